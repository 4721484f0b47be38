"""A checker of histories: several processes with skewed clocks, stopped and killed, and what each was told."""
