"""What quotes the notebooks: README, the paper, `make reproduce` and `make check`."""
