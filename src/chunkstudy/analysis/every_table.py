"""Every table of the study by name, from records, published cells and studies."""

from __future__ import annotations

VERDICTS = ("exact", "within_noise", "deviates", "not_run")
