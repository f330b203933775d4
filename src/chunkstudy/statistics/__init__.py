"""Intervals, paired tests, correlation, agreement, power."""
