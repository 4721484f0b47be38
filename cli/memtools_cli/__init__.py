"""The command line ``memtools``: the tools by hand, and a scope's memory taken out, put in, erased and looked after."""
