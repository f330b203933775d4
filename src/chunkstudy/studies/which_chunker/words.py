"""What was searched by words: the scores that two experiments left, in one frame."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from chunkstudy.base.places import Places
from chunkstudy.runs import study_results
from chunkstudy.runs.conditions import NONE, parse_encoder

WORDS, BOTH = "words", "both"
"""BM25, and its fusion with plain vectors."""
EXPERIMENTS: Mapping[str, tuple[dict[str, str], dict[str, str]]] = {
    "baselines": ({"arm": "system"}, {"chunker": "sentence-5"}),
    "word-search": ({}, {}),
}
"""By name, how columns are renamed and what is the same in all rows."""
WITHIN, WHOLE = "DCG@10", "nDCG@10"


def by_words(places: Places) -> pd.DataFrame:
    """A row a question, its score a fraction: ``collection``, ``model`` (a hub id, none of BM25),
    ``system``, ``chunker``, ``measure``, ``query_id``, ``value``; empty where nothing was run."""
    columns = ["collection", "model", "system", "chunker", "measure", "query_id", "value"]
    found = [pd.DataFrame(columns=columns)]
    for name, (renamed, constant) in EXPERIMENTS.items():
        tables = study_results.tables(places, name)
        if not tables:
            continue
        parts = tables["parts"].rename(columns=renamed)
        rows = tables["scores"].merge(parts[parts["system"].isin([WORDS, BOTH])], on="part")
        if "measure" not in rows:
            within = rows["collection"].str.endswith("-within")
            rows["measure"] = within.map({True: WITHIN, False: WHOLE})
        model = rows["encoder"].map({one: _model(one) for one in rows["encoder"].unique()})
        # The words of a chunk are the same whichever model stands beside them.
        model = model.mask(rows["system"] == WORDS, NONE)
        rows = rows.assign(model=model, **constant)[columns]
        found.append(rows.drop_duplicates(columns[:-1]))
    return pd.concat(found, ignore_index=True)


def _model(slug: str) -> str:
    return NONE if slug == NONE else parse_encoder(slug).model
