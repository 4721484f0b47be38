"""``python -m local``: the service, left running, with lines to paste."""

import os
import threading

from local.service import running

_PORT = 8765
_EXAMPLES = """\
memtools listens at {url}; its memory lasts until it ends (Ctrl+C).
window: {url}/
emulator: {emulator}
Paste into another terminal:

  curl -s {url}/tools/memory_add -H 'content-type: application/json' \\
       -H 'x-memory-agent: helper' -H 'x-memory-user: ana' \\
       -d '{{"facts": ["Ana prefers dark themes", "Ana is allergic to walnuts"]}}'

  curl -s {url}/tools/memory_search -H 'content-type: application/json' \\
       -H 'x-memory-agent: helper' -H 'x-memory-user: ana' \\
       -d '{{"query": "what must she not eat?"}}'

  curl -s {url}/tools/memory_edit -H 'content-type: application/json' \\
       -H 'x-memory-agent: helper' -H 'x-memory-user: ana' \\
       -d '{{"action": "add", "target": "user", "text": "Speaks Spanish and English"}}'

  curl -s {url}/tools/memory_read -H 'content-type: application/json' \\
       -H 'x-memory-agent: helper' -H 'x-memory-user: ana' -d '{{}}'
"""


def main() -> None:
    """Serve until interrupted, on PORT or 8765."""
    with running(int(os.environ.get("PORT", _PORT))) as service:
        print(_EXAMPLES.format(url=service.url, emulator=service.emulator), flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print("\nStopped.")


if __name__ == "__main__":
    main()
