"""``python -m local.sam_env ENDPOINT``: the environment file of ``sam local``, which runs the functions in a container.

In it the functions reach this machine as ``host.docker.internal``, and there the emulator of ``make local``.
"""

import json
import sys
from urllib.parse import urlsplit

from local.ministack import settings_for
from local.template import Template

_HOST = "host.docker.internal"


def environment_file(endpoint: str) -> dict[str, dict[str, str]]:
    """What ``sam local --env-vars`` takes: the template's variables with local names, and the emulator's address."""
    stand_in = {**settings_for(endpoint), "AWS_ENDPOINT_URL": f"http://{_HOST}:{urlsplit(endpoint).port}"}
    template = Template()
    return {name: {**template.environment, **stand_in} for name in template.functions}


if __name__ == "__main__":
    print(json.dumps(environment_file(sys.argv[1]), indent=2))
