"""The command line: options, commands, what they print. No stage of the pipeline is here."""
