"""Embedding models that run inside the function: texts to vectors."""
