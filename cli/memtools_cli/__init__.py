"""The command line ``memtools``: the tools by hand; export, import, erasure and a check-up."""
