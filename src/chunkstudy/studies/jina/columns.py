"""How the columns of these pages' tables are shown."""

from __future__ import annotations

from chunkstudy.runs.display_names import shown
from chunkstudy.show.columns import Column, Columns, named, one_of
from chunkstudy.show.formats import number, points, probability, whole

SENTENCES = {
    "Berlin is th": "Berlin is the \N{HORIZONTAL ELLIPSIS}",
    "Its more tha": "Its more than \N{HORIZONTAL ELLIPSIS}",
    "The city is": "The city is also \N{HORIZONTAL ELLIPSIS}",
}
"""How the three sentences on Berlin begin, by the characters that tables keep of them."""
COLUMNS: Columns = {
    "Pearson r": Column("Pearson's r", number),
    "Spearman rho": Column("Spearman's rho", number),
    "p (exact)": Column("p, exact", probability),
    "document length": Column("document length, characters", whole),
    "late - plain": Column("late minus plain, points", points),
    "late - no chunking": Column("late minus no chunking, points", points),
    **dict.fromkeys(("left out", "above in"), named("collection")),
    "sentence": one_of(SENTENCES),
    "source": one_of({"records": "ours"}),
    **{
        f"{which} {kind}": named(kind)
        for which in ("first", "second")
        for kind in ("chunker", "encoder", "ordering")
    },
    "question": lambda text: " ".join(shown("chunker", word) for word in text.split()),
}
