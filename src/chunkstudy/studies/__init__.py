"""Questions outside the grid, one file each."""
