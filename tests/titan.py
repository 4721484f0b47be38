"""A stand-in for Titan on Bedrock, on loopback: botocore's time-outs and retries meet it as they would the real one."""

import json
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote

import boto3
from botocore.config import Config
from memtools.adapters.titan import CONFIG, DIMENSIONS

# What stands in a reply's body, or an error of AWS: its status and its name.
Answer = bytes | tuple[int, str]

# What no caller may see of AWS.
SECRET = "arn:aws:sts::111122223333:assumed-role/secret"


def vector_of(text: str) -> list[float]:
    """A direction for each text; the same text, the same direction."""
    source = random.Random(text)
    return [source.gauss(0, 1 / DIMENSIONS**0.5) for _ in range(DIMENSIONS)]


def reply(text: str) -> bytes:
    """The reply as Bedrock's user guide shows it."""
    vector = vector_of(text)
    return json.dumps({"embedding": vector, "inputTextTokenCount": 1, "embeddingsByType": {"float": vector}}).encode()


class Titan:
    """What was asked so far, the model's id with each; answers as ``answer`` does."""

    def __init__(self, answer: Callable[[str], Answer]) -> None:
        self.answer = answer
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.gone = threading.Event()
        self.address = ""

    @property
    def texts(self) -> list[str]:
        return [body["inputText"] for _, body in self.asked]

    def client(self, config: Config = CONFIG) -> Any:
        return boto3.client(
            "bedrock-runtime",
            config=config,
            endpoint_url=self.address,
            region_name="eu-central-1",
            aws_access_key_id="x",
            aws_secret_access_key="x",
        )

    def hang(self, text: str) -> Answer:
        """An answer that does not come while anybody waits for it."""
        self.gone.wait(30)
        return 503, "ServiceUnavailableException"


@contextmanager
def titan(answer: Callable[[str], Answer] = reply) -> Iterator[Titan]:
    model = Titan(answer)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            _, _, model_id, operation = self.path.split("/")
            assert operation == "invoke"
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            model.asked.append((unquote(model_id), body))
            told = model.answer(body["inputText"])
            status, error = told if isinstance(told, tuple) else (200, "")
            data = told if isinstance(told, bytes) else json.dumps({"message": f"no access for {SECRET}"}).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            if error:
                self.send_header("x-amzn-ErrorType", error)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        request_queue_size = 128

        def handle_error(self, *_: Any) -> None:
            """Nobody waits any more for an answer that hung; a real fault shows as one that is missing."""

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    model.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield model
    finally:
        model.gone.set()
        server.shutdown()
        thread.join()
        server.server_close()
