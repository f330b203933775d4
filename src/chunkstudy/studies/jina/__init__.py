"""What the notebooks on Jina's posts need beyond a cell: tables, counts and figures."""
