"""The life of a scope's index: loaded, brought up to date with the table, completed, compacted, saved."""
