"""Every study runs in small and leaves the tables and columns that are committed.

What is measured is not looked at: the encoder has one layer, the collections a few documents.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from chunkstudy.base.models import ModelSpec
from chunkstudy.base.places import Places
from chunkstudy.base.protocols import CORRECTED
from chunkstudy.collections import registry
from chunkstudy.commands import experiments
from chunkstudy.runs import records, study_results
from chunkstudy.runs.conditions import MINILM_512, PRE_EMBEDDING, Condition
from chunkstudy.runs.run import evaluate
from chunkstudy.studies.chroma import search as chroma_search
from chunkstudy.studies.controls import random_boundaries
from chunkstudy.studies.jina import three_sentences
from chunkstudy.studies.language_models import window_answers
from chunkstudy.studies.late_chunking import word_search
from tests.small_context import EMMA, SmallContext, collection, one_layer, quoted

ROOT = Places(Path(__file__).parents[1])
NAMES = sorted(one.name for one in (ROOT.results / "studies").iterdir())
LACKING = {
    "boundary-signals": "a causal model's weights",
    "code-retrieval": "source files, whose names say in which language they are",
    "one-post": "the printed post",
}
"""What a study takes that is not here and that nothing small can stand for."""
SMALLER: dict[str, dict[str, Any]] = {
    "berlin": {"MODELS": three_sentences.MODELS[1:]},
    "bidirectionality": {"TEXTS": dict.fromkeys(three_sentences.MODELS[1:], 1)},
    "chroma-llm-chunker": {"OTHERS": ("recursive-200-0",), "DRAWS": 1},
    "chroma-search": {"CHUNKERS": chroma_search.CHUNKERS[:2], "SEEDS": 1},
    "chunking-speed": {"EMBEDDED": 1},
    "random-boundaries": {
        "CONTROLS": [
            replace(control, at_units=1, anywhere=min(control.anywhere, 1))
            for control in random_boundaries.CONTROLS
        ]
    },
    "word-search": {
        "PLAN": [word_search.Part("covid-qa-within", one) for one in ("none", MINILM_512)]
    },
    "window-answers": {
        "DRAWS": {
            ordering: dict.fromkeys(draws, 1) for ordering, draws in window_answers.DRAWS.items()
        }
    },
}  # fmt: skip
"""Fewer models, draws, seeds and sizes."""
OTHERS = {"document-lengths": ("builtin",), "chroma-llm-chunker": ("builtin",)}
"""Collections in place of those whose files a study reads by itself, or whose replies are of the
texts themselves."""
RECORDED = {
    "chunk-sizes": Condition("scifact", "sentence-5", MINILM_512, PRE_EMBEDDING, CORRECTED.name),
}
"""A record of which a study wants to know more."""


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> tuple[ModelSpec, Path]:
    folder = tmp_path_factory.mktemp("weights") / "one-layer"
    return one_layer(folder), folder


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_study_leaves_the_columns_that_are_committed(
    name: str, weights: tuple[ModelSpec, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name in LACKING:
        pytest.skip(f"{name} takes {LACKING[name]}")
    module = experiments.every()[name]
    for constant, value in SMALLER.get(name, {}).items():
        monkeypatch.setattr(module, constant, value)
    study = experiments.of(module)
    quotations = partial(quoted, collection(EMMA))
    emma = replace(registry.COLLECTIONS[EMMA], quotations=quotations)
    monkeypatch.setitem(registry.COLLECTIONS, EMMA, emma)
    places = Places(tmp_path)
    places.results.mkdir()
    places.llm.symlink_to(ROOT.llm)
    context = SmallContext(places, *weights)
    if one := RECORDED.get(name):
        store = context.store(one.encoder)
        records.write(places.runs, evaluate(one, context.collection(one.collection), store))
    if name == "trained-late-chunking":
        plan = [study.plan[0], replace(study.plan[1], steps=1)]
    else:
        plan = list(study.plan)
    if study.part:
        made = [study.part(context, one) for one in plan]
    else:
        assert study.tables
        made = [study.tables(context, OTHERS.get(name, study.collections))]
    committed = study_results.tables(ROOT, name)
    columns = {(table, *sorted(map(str, rows))) for found in made for table, rows in found.items()}
    assert columns and columns <= {
        (table, *sorted(map(str, rows))) for table, rows in committed.items()
    }
