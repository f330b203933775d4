"""What the notebooks on *Beyond Chunk-Then-Embed* need beyond a cell: tables and figures."""
