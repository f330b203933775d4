"""Late chunking, trained: what training does for it, and what context in training does."""
