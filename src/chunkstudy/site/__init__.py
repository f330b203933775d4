"""Pages that open from disk."""
