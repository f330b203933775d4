"""What the command line does, a file for each kind of command."""
