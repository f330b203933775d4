"""Texts that nobody wrote for this project: a collection of BEIR."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chunkstudy import evaluate
from chunkstudy.collections import beir

ASKED = 30
OTHERS = 200


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CHUNKSTUDY_VECTORS", str(tmp_path / "vectors"))
    return tmp_path


def part_of_scifact(folder: Path) -> tuple[Path, dict[str, str], dict[str, str], dict[str, Any]]:
    """The first questions of SciFact with all that is judged for them and some other documents, in
    BEIR's form."""
    whole = beir.load("scifact")
    asked = {query.id: query.text for query in whole.queries[:ASKED]}
    judged: dict[str, Any] = {name: {} for name in asked}
    for one in whole.judgments:
        if one.query in asked:
            judged[one.query][one.document] = one.grade
    wanted = {name for grades in judged.values() for name in grades}
    wanted |= {document.id for document in whole.documents[:OTHERS]}
    corpus = {one.id: one.text for one in whole.documents if one.id in wanted}
    (folder / "qrels").mkdir(parents=True)
    lines = "".join(f"{json.dumps({'_id': k, 'text': v})}\n" for k, v in corpus.items())
    (folder / "corpus.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    lines = "".join(f"{json.dumps({'_id': k, 'text': v})}\n" for k, v in asked.items())
    (folder / "queries.jsonl").write_text(lines, encoding="utf-8")
    rows = [f"{q}\t{d}\t{g}\n" for q, grades in judged.items() for d, g in grades.items()]
    header = "query-id\tcorpus-id\tscore\n"
    (folder / "qrels" / "test.tsv").write_text(header + "".join(rows), encoding="utf-8")
    return folder, corpus, asked, judged


@pytest.mark.real_data
def test_scifact_in_beirs_form_scores_as_a_plain_computation(
    outside: Path, little_model: Path
) -> None:
    if not beir.available("scifact"):
        pytest.skip("SciFact is not here; set CHUNKSTUDY_DATA")
    library = pytest.importorskip("sentence_transformers").SentenceTransformer(str(little_model))
    folder, corpus, asked, judged = part_of_scifact(outside / "part")
    found = evaluate(folder, None, ["none"], [str(little_model)], output=outside / "out")
    names = sorted(corpus)
    vectors = library.encode([corpus[name] for name in names], normalize_embeddings=True)
    expected = []
    for query, text in asked.items():
        order = np.argsort(-(vectors @ library.encode(text)), kind="stable")[:10]
        gains = [judged[query].get(names[i], 0) for i in order]
        ideal = sorted(judged[query].values(), reverse=True)[:10]
        discount = 1 / np.log2(np.arange(2, 12))
        expected.append((gains @ discount[: len(gains)]) / (ideal @ discount[: len(ideal)]))
    (row,) = found.table.to_dict("records")
    assert row["measure"] == "nDCG@10" and row["n"] == ASKED
    assert row["score"] == pytest.approx(float(np.mean(expected)), abs=2e-3)
    assert 0.1 < row["score"] < 0.95
