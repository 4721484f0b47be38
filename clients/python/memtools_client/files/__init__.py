"""Memory as files under ``/memories``: MEMORY.md and USER.md, and a folder of further notes in S3. No framework."""
