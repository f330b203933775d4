"""Titles, number formats, tables and drawings that several pages share."""
