"""How a ranking is searched, scored, and compared."""
