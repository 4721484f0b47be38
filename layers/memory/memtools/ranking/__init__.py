"""Finding traces: terms, embeddings, the index and the ranking. Pure; numpy is imported when a call needs it."""
