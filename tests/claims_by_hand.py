"""Data made by hand for the claims that the menu of mutations does not turn."""

from __future__ import annotations

from tests.claims_by_hand_chroma import CHROMA
from tests.claims_by_hand_late_chunking import LATE_CHUNKING
from tests.claims_mutations import Mutation

BY_HAND: dict[str, list[Mutation]] = {**CHROMA, **LATE_CHUNKING}
"""By claim: data under which what the menu does not turn holds or fails."""
