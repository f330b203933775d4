"""Two controls of chunking: boundaries at random, and reading at an equal budget."""
