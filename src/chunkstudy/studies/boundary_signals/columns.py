"""How the columns of this page's tables are shown."""

from __future__ import annotations

from chunkstudy.show.columns import Column, Columns, one_of
from chunkstudy.show.formats import number

SIGNALS = {
    "entropy": "Entropy at the boundary",
    "entropy-rise": "Rise of entropy",
    "first-surprisal": "Surprisal of the first token",
    "surprisal": "Surprisal of the text after",
    "attention": "Attention that stays behind",
    "attention-last": "The same, last layer's largest",
    "influence": "Little influence of the text before",
    "distance": "Distance of embeddings",
    "paragraph end": "End of a paragraph",
    "length since": "Length since the last boundary",
    "punctuation": "Punctuation and lengths",
}
"""What tells boundaries from other ends of sentences, and what it is compared with."""
COLUMNS: Columns = {
    "area": number,
    "signal": one_of(SIGNALS),
    "entropy": Column("entropy, bits", number),
    "error": Column("standard error, bits", number),
}
