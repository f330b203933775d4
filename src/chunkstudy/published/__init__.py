"""Printed cells: read, bound to conditions, compared."""
