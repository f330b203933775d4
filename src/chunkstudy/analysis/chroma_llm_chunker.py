"""Chroma's row of the LLM chunker beside what a small model's chunks score."""

from __future__ import annotations

import pandas as pd

from chunkstudy.grid.conditions import LARGE
from chunkstudy.places import Places
from chunkstudy.protocols import AS_PUBLISHED_CHROMA
from chunkstudy.published import cells
from chunkstudy.studies.chroma_llm_chunker import FORMS, MEASURES, PARTS

PUBLISHED = "llm"


def beside_published(places: Places, scores: pd.DataFrame) -> pd.DataFrame:
    """The chunks of State of the Union under the published protocol, and of each measure what the
    report has of the same chunker on that corpus with text-embedding-3-large, fractions. The report
    searches all five corpora for it, the study this one alone.

    Args:
        places: of the published cells.
        scores: as the study ``chroma-llm-chunker`` keeps them.
    """
    ((collection, part),) = PARTS.items()
    known = pd.DataFrame([one.model_dump() for one in cells.read(places)])
    of_part = (known["table"] == "appendix") & (known["part"] == part)
    of_part &= (known["encoder"] == LARGE) & (known["statistic"] == "mean")
    printed = known[of_part & known["measure"].isin(MEASURES)]
    printed = printed.pivot(index="chunker", columns="measure", values="published").astype(float)
    asked = scores["collection"] == collection
    found = scores[asked & (scores["protocol"] == AS_PUBLISHED_CHROMA.name)]
    rows = found["chunker"].replace(dict.fromkeys(FORMS, PUBLISHED))
    columns = {one: found[one] for one in ("chunker", "chunks", "mean tokens", "n")}
    for measure in MEASURES:
        columns |= {one: found[one] for one in (measure, f"{measure} low", f"{measure} high")}
        columns[f"{measure} published"] = rows.map(printed[measure] / 100)
    return pd.DataFrame(columns).reset_index(drop=True)
