"""Conditions of the study: run, scored, recorded, priced."""
