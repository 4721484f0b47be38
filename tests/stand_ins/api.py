"""The HTTP API of a stack: the emulator's hands on nobody who signed a request, so the functions see no caller."""

from memtools.catalogue import TOOLS
from memtools_cli.service.http import event_of
from werkzeug.wrappers import Request, Response

from tests.stand_ins.gateway import Ask

PATH = "/tools/"
_SIGNED_FOR = "/execute-api/aws4_request"


def api(ask: Ask, request: Request) -> Response:
    """The answer to a signed request; as API Gateway, this refuses all others before a function is asked."""
    if _SIGNED_FOR not in request.headers.get("authorization", ""):
        return Response('{"message": "Forbidden"}', 403, content_type="application/json")
    tool = TOOLS[request.path.removeprefix(PATH)]
    reply = ask(f"{tool.function.capitalize()}Function", event_of(request), None)
    return Response(reply["body"], reply["statusCode"], headers=reply["headers"])
