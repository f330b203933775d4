"""What the notebook on retrieving source code needs beyond a cell."""
