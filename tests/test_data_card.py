"""The data card names every file that the loading code accepts, with the digest it must have."""

from __future__ import annotations

import re
from pathlib import Path

from chunkstudy.base.models import MODELS
from chunkstudy.collections import beir, chroma, covid_qa, emma_files
from chunkstudy.llm.causal_models import MODELS as CAUSAL


def test_the_data_card_has_the_digests_of_every_collection_and_model() -> None:
    text = (Path(__file__).parents[1] / "docs/data-card.md").read_text(encoding="utf-8")
    digests = {covid_qa.FILE.sha256, *chroma.DIGESTS.values()}
    digests |= {sheet.sha256 for sheet in emma_files.SHEETS.values()}
    digests |= {each[0] for source in beir.SOURCES.values() for each in source.sha256.values()}
    digests |= {one for model in MODELS.values() for one in model.files.values() if one}
    digests |= {one for model in CAUSAL.values() for one in model.files.values()}
    assert set(re.findall(r"sha256 `(\w+)`", text)) == digests
    for revision in (chroma.COMMIT, covid_qa.COMMIT, emma_files.COMMIT):
        assert revision in text
