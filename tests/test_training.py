"""What is trained on: triples, folds, passages in windows, batches, and the loss."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from chunkstudy.encoders.transformer import TransformerEncoder
from chunkstudy.encoders.window_layouts import LAYOUTS
from chunkstudy.runs.study_results import StudyError
from chunkstudy.studies.trained_late_chunking import batches, passages
from chunkstudy.studies.trained_late_chunking import questions as of_collection
from chunkstudy.studies.trained_late_chunking.batches import gather, once, stream
from chunkstudy.studies.trained_late_chunking.loop import Trainee, info_nce
from tests import small_training as small

DOCUMENTS = [small.document(name, 3 + 2 * i) for i, name in enumerate("abc")]
TRIPLES = small.triples(DOCUMENTS)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("base") / "model"


@pytest.fixture(scope="module")
def encoder(base: Path) -> TransformerEncoder:
    return small.encoder(base, small.model(base))


@pytest.fixture(scope="module")
def library(encoder: TransformerEncoder) -> batches.Library:
    return small.library(encoder, DOCUMENTS)


@settings(max_examples=50)
@given(
    papers=st.integers(8, 60), corpora=st.integers(0, 6), number=st.integers(2, 5),
    seed=st.integers(0, 99),
)  # fmt: skip
def test_nothing_trained_on_is_tested_on(papers: int, corpora: int, number: int, seed: int) -> None:
    names = [("papers", str(i)) for i in range(papers)]
    large = [("corpora", str(i)) for i in range(corpora)]
    found = of_collection.folds(names, large, number, seed)
    tested = Counter(one for fold in found for one in fold.test)
    assert tested == Counter([*names, *large]), "every document is tested on once"
    for fold in found:
        assert not fold.train & fold.test
        assert not fold.train & fold.validation
        assert not fold.validation & fold.test
        assert fold.train and fold.validation and fold.test
        assert not fold.validation.intersection(large)


def test_a_smaller_share_of_the_triples_is_within_a_larger_and_the_whole_is_all() -> None:
    shares = [of_collection.share(TRIPLES, one, seed=3) for one in (0.125, 0.25, 0.5, 1.0)]
    for smaller, larger in pairwise(shares):
        assert set(smaller) < set(larger)
    assert shares[-1] == TRIPLES


@pytest.mark.parametrize("layout", ["", *LAYOUTS])
def test_passages_of_some_windows_are_pooled_as_from_the_whole_document(
    base: Path, encoder: TransformerEncoder, layout: str
) -> None:
    model = Trainee(base)
    document = small.library(encoder, DOCUMENTS, layout)["small", "c"]
    whole = encoder.pool([document.layout], [document.tokens])[0]
    windows = len(document.layout.windows)
    assert windows > 3
    for chosen in ([0], [1, 2], [0, 2, 3], range(windows)):
        part, here, tokens = passages.excerpt(document, list(chosen))
        expected = [
            i for i in range(len(document.tokens)) if set(document.windows(i)) <= set(chosen)
        ]
        assert here.tolist() == expected
        if expected:
            pooled = model.pooled([part], [tokens]).detach().numpy()
            np.testing.assert_allclose(pooled, whole[expected], atol=1e-5)


def test_a_batch_reads_alike_plain_and_late_what_the_study_reads(
    base: Path, encoder: TransformerEncoder, library: batches.Library
) -> None:
    model = Trainee(base)
    held = [one for one in TRIPLES if one.document in "ac"]
    batch = gather(held, TRIPLES, library)
    texts = [d.text[a:b] for d in DOCUMENTS if d.id in "ac" for a, b in small.spans(d)]
    assert len(batch.alone) == len(texts)
    plain = model.plain(batch.alone).detach().numpy()
    np.testing.assert_allclose(plain, encoder.encode(texts), atol=1e-5)
    whole = [library["small", name] for name in "ac"]
    late = [encoder.pool([one.layout], [one.tokens])[0] for one in whole]
    pooled = model.pooled(batch.layouts, batch.tokens).detach().numpy()
    np.testing.assert_allclose(pooled, np.concatenate(late), atol=1e-5)
    for question, positive, relevant in zip(
        held, batch.positive.tolist(), batch.relevant, strict=True
    ):
        assert texts[positive].startswith(question.question)
        assert relevant[positive] and relevant.sum() == 1


def test_other_answers_to_a_question_are_not_held_against_it(library: batches.Library) -> None:
    start, end = small.spans(DOCUMENTS[0])[1]
    second = replace(TRIPLES[0], start=start, end=end)
    batch = gather([TRIPLES[0], TRIPLES[1]], [*TRIPLES, second], library)
    assert batch.relevant[0].sum() == 2 and batch.relevant[1].sum() == 1


def test_a_stream_shows_every_triple_before_any_again_and_is_the_same_twice(
    library: batches.Library,
) -> None:
    first = list(islice(stream(TRIPLES, library, 60, seed=4), 40))
    again = list(islice(stream(TRIPLES, library, 60, seed=4), 40))
    other = list(islice(stream(TRIPLES, library, 60, seed=5), 40))
    questions = [text for batch in first for text in batch.questions]
    assert questions == [text for batch in again for text in batch.questions]
    assert questions != [text for batch in other for text in batch.questions]
    assert set(questions[: len(TRIPLES)]) == {one.question for one in TRIPLES}
    assert all(len(batch.alone) > 1 for batch in first)
    assert max(batch.read for batch in first) <= 60
    assert any(batch.read > small.WINDOW for batch in first)


def test_a_triple_whose_passage_is_too_long_to_be_read_alone_is_left_out_whatever_the_window(
    encoder: TransformerEncoder,
) -> None:
    document = small.document("x", encoder.window // small.LETTERS + 2)
    long = len(document.text) - 2 * small.LETTERS
    cut = [(0, long), (long, len(document.text))]
    asked = small.triples([document])
    for window in (small.WINDOW, encoder.window):
        known = {("small", "x"): passages.prepare(encoder, document, cut, window)}
        assert batches.read_whole([asked[0], asked[-1]], known) == [asked[-1]]


def test_questions_about_a_single_passage_are_refused(encoder: TransformerEncoder) -> None:
    document = small.document("x", 1)
    known = small.library(encoder, [document])
    with pytest.raises(StudyError, match="at least two passages"):
        next(stream(small.triples([document]), known, 60, 0))
    with pytest.raises(StudyError, match="to validate on"):
        once(small.triples([document]), known, 60)


@settings(max_examples=40)
@given(
    questions=st.integers(1, 6), texts=st.integers(2, 7), seed=st.integers(0, 999),
    temperature=st.sampled_from([0.02, 0.05, 1.0]),
)  # fmt: skip
def test_info_nce_equals_a_count_by_hand(
    questions: int, texts: int, seed: int, temperature: float
) -> None:
    random = np.random.default_rng(seed)
    left, right = random.normal(size=(questions, 5)), random.normal(size=(texts, 5))
    left /= np.linalg.norm(left, axis=1, keepdims=True)
    right /= np.linalg.norm(right, axis=1, keepdims=True)
    positive = random.integers(texts, size=questions)
    relevant = random.random((questions, texts)) < 0.3
    relevant[np.arange(questions), positive] = True
    assume(not relevant.all())
    expected = 0.0
    for i in range(questions):
        others = [j for j in range(texts) if j == positive[i] or not relevant[i, j]]
        shares = {j: math.exp(float(left[i] @ right[j]) / temperature) for j in others}
        expected -= math.log(shares[positive[i]] / sum(shares.values()))
    a, b, right_one, judged = map(torch.from_numpy, (left, right, positive, relevant))
    loss = float(info_nce(a, b, right_one, judged, temperature))
    assert loss == pytest.approx(expected / questions, rel=1e-9)
