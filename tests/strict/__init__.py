"""moto made as strict as AWS: items expire and have a size, and what is too large is refused."""
