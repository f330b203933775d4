"""What the notebook on which chunker to use needs beyond a cell."""
