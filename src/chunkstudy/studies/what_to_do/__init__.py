"""What to do: recommendations computed from the tables of other pages."""
