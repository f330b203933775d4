"""What the notebooks on Chroma's report need beyond a cell: its tables, counts and figures."""
