"""The paper: its numbers and tables from the derived tables, and how it is set."""
