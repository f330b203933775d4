"""What the notebook on late chunking needs beyond a cell: the registered comparisons within
documents, layouts of windows, and whole documents."""
