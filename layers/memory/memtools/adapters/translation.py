"""What all stores say when a call fails, and what the log may say of it."""


class Cause(Exception):
    """Names a store's error for the log, without its text, which may contain content."""


READ_FAILED = "Send the same call again in a moment."
WRITE_FAILED = (
    "The change was stored either completely or not at all. Send the same call again to make sure that it is stored."
)
