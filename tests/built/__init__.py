"""What `sam build` makes, run: deployed to an emulator, and compared with the service of this machine."""
