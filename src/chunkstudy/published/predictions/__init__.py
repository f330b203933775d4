"""What is expected of published cells before anyone runs them, and what became of it."""
