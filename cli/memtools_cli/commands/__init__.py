"""The commands: options in, one function of the modules beside this package, output out."""
