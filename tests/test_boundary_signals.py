"""Boundary signals: the study's texts, passes and measuring with a reader that needs no weights,
the area under the ROC curve against counting pairs, and the errors of means."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkstudy.core.spans import Span
from chunkstudy.studies import boundary_signals as study
from chunkstudy.studies.boundary_signals import areas, roc, signals, texts
from chunkstudy.studies.boundary_signals.reader import CausalReader, Floats, Read
from chunkstudy.studies.boundary_signals.signals import AFTER, CONTEXT, SIGNALS, SIZE, measure, plan
from chunkstudy.studies.boundary_signals.texts import Text


class MadeReader(CausalReader):
    """Probabilities out of digests: a token's own number and that of the tokens it can attend to.

    Tokens are words with the white space before them. The surprisal of a token changes with any
    token among the ``reach`` before it that is not hidden.
    """

    reach = 8

    def __init__(self) -> None:
        self.read_at_once: list[int] = []

    def tokens(self, text: str) -> tuple[list[int], list[Span]]:
        ids: list[int] = []
        spans: list[Span] = []
        start = 0
        for end in range(1, len(text) + 1):
            last = end == len(text)
            if last or (text[end].isspace() and not text[end - 1].isspace()):
                ids.append(_number(text[start:end]) % 50_000)
                spans.append((start, end))
                start = end
        return ids, spans

    def read(self, ids: Sequence[int]) -> Read:
        self.read_at_once.append(len(ids))
        count = len(ids)
        surprisal = np.array([self._bits(ids, i, i) for i in range(count)])
        paid = np.tril(np.ones((count, count), dtype=np.float32))
        paid *= np.array(ids, dtype=np.float32) % 7 + 1
        paid /= paid.sum(axis=1, keepdims=True) if count else 1
        return Read(surprisal / 2, surprisal, paid, paid**2, None)

    def without_before(
        self, ids: Sequence[int], read: Read, places: Sequence[int], before: int, after: int
    ) -> Floats:
        rows = [
            [self._bits(ids, i + 1, place, before) for i in range(place, place + after)]
            for place in places
        ]
        return np.array(rows)

    def _bits(self, ids: Sequence[int], place: int, first: int, hidden: int = 0) -> float:
        seen = [
            ids[i]
            for i in range(max(0, place - self.reach), place)
            if not first - hidden <= i < first
        ]
        return _number(f"{ids[place]} {seen}") % 1_000 / 100


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:6], "big")


ARTICLES = """# Hens

A hen runs. It stops.

## Food

Corn is good. Mr. Pym says so.
Bread is not.

# Ducks

A duck swims.
"""
CHATS = """[
{"content": "Is it \\"so\\"?\\n\\nI ask. Twice.", "role": "user"},
{"content": "It is.", "role": "assistant"}
]
[{'content': "Don't.", 'role': 'user'}, {'content': 'It\\'s off. And th"""


def begins(text: Text) -> list[tuple[str, str]]:
    return list(zip(text.sentences[1:], text.places["begins"], strict=True))


def test_articles_fall_into_documents_parts_paragraphs_and_sentences() -> None:
    hens = texts.text("hens", texts.headed(ARTICLES, *texts.MARKDOWN))
    assert begins(hens) == [
        ("It stops.", "sentence"),
        ("Corn is good.", "part"),
        ("Mr. Pym says so.", "sentence"),
        ("Bread is not.", "paragraph"),
        ("A duck swims.", "document"),
    ]
    assert hens.places["document"].tolist() == [0, 0, 0, 0, 1]
    assert hens.places["since"].tolist() == [11, 21, 14, 31, 45]


def test_chats_in_either_notation_fall_into_turns_and_the_last_may_break_off() -> None:
    chats = texts.text("chats", texts.messages(CHATS))
    assert chats.sentences[0] == 'Is it "so"?'
    assert begins(chats) == [
        ("I ask.", "paragraph"),
        ("Twice.", "sentence"),
        ("It is.", "part"),
        ("Don't.", "document"),
        ("It's off.", "part"),
        ("And th", "sentence"),
    ]


@pytest.mark.parametrize(
    "paragraphs", [texts.headed(ARTICLES, *texts.MARKDOWN), texts.messages(CHATS)]
)
def test_the_text_gives_no_boundary_away(paragraphs: list[texts.Paragraph]) -> None:
    """Between all sentences stands the same, and nothing of headings and notation is left."""
    whole = texts.text("a text", paragraphs)
    assert not any(
        sign in whole.whole for sign in ("\n", "#", "\\", "{", "content", "role", "Food")
    )
    assert [whole.whole[end] for end in whole.places["end"]] == [" "] * len(whole.places)


def test_every_signal_is_read_and_tells_boundaries_of_a_made_text() -> None:
    """The experiment in small, up to the tables of the page."""
    sentences = " ".join(f"Number {i} is {i * i % 97}, they say." for i in range(12))
    raw = "\n".join(f"# {n}\n\n{sentences}\n\n## Part\n\n{sentences}\n" for n in range(12))
    text = texts.text("built-in articles", texts.headed(raw, *texts.MARKDOWN))
    places = measure(MadeReader(), text)
    assert places[places["entropy"].notna()][list(SIGNALS)].notna().all().all()
    profile = study.profile(places)
    assert profile["offset"].tolist() == list(range(-8, 8))
    assert profile["entropy"].gt(0).all()
    tasks = list(areas.tasks(places.assign(distance=0.5)))
    assert {keys["boundaries"] for keys, _ in tasks} == {"articles", "sections of articles"}
    table = areas.areas(tasks).set_index(["among", "boundaries", "signal"])["area"]
    assert table[areas.SENTENCES, "sections of articles", areas.PARAGRAPH_END] == 1
    assert table[areas.SENTENCES, "articles", areas.DISTANCE] == 0.5
    difference = areas.areas(tasks, areas.PUNCTUATION).set_index(["among", "boundaries", "signal"])[
        "difference"
    ]
    at = (areas.SENTENCES, "articles")
    expected = table[*at, "influence"] - table[*at, areas.PUNCTUATION]
    assert difference[*at, "influence"] == pytest.approx(expected)


def test_errors_of_kinds_in_one_text_add_up_and_those_of_two_texts_partly_cancel() -> None:
    def half(*kinds: str) -> float:
        signal = {"among": areas.SENTENCES, "signal": "influence", "places": 9}
        value = {"true boundaries": 3, "difference": 0.1, "error": 0.02}
        rows = pd.DataFrame([{**signal, "boundaries": kind, **value} for kind in kinds])
        means = areas.means(rows, "difference", 0.0).set_index("boundaries")
        assert means.loc[areas.TOPICS, "difference"] == pytest.approx(0.1)
        return float(means["high"][areas.TOPICS] - means["low"][areas.TOPICS]) / 2

    together = half("articles", "sections of articles", "chats", "chapters of Emma")
    apart = half("articles", "sections of Chroma's wikitexts", "chats", "chapters of Emma")
    assert together == pytest.approx(1.959964 * 0.02 * np.sqrt(4 + 1 + 1) / 4)
    assert apart == pytest.approx(1.959964 * 0.02 * np.sqrt(4) / 4)


PLACES = st.lists(
    st.tuples(st.integers(0, 4), st.booleans(), st.integers(0, 3)), min_size=1, max_size=30
)


def pairs_counted(scores: list[float], true: list[bool]) -> float:
    """One pair after the other."""
    won = [
        1.0 if a > b else 0.5 if a == b else 0.0
        for a, first in zip(scores, true, strict=True)
        if first
        for b, second in zip(scores, true, strict=True)
        if not second
    ]
    return sum(won) / len(won) if won else float("nan")


@pytest.mark.parametrize("again", [False, True])
@given(PLACES)
def test_the_area_is_the_share_of_pairs_that_are_won_and_a_group_drawn_twice_counts_as_two(
    again: bool, places: list[tuple[int, bool, int]]
) -> None:
    scores, true, groups = (list(column) for column in zip(*places, strict=True))
    names = sorted(set(groups))
    times = np.ones(len(names))
    if again:
        times = np.arange(float(len(names)))  # the first not drawn at all
    repeated = [place for place in places for _ in range(int(times[names.index(place[2])]))]
    expected = pairs_counted([p[0] for p in repeated], [p[1] for p in repeated])
    found = roc.pair_counts(scores, true, groups).area(times)
    assert float(found) == pytest.approx(expected, nan_ok=True)


def some(boundaries_higher_by: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    groups = np.repeat(np.arange(30), 20)
    true = np.tile(np.arange(20) == 0, 30)
    return random.normal(size=600) + boundaries_higher_by * true, true, groups


def test_the_jackknife_is_that_of_leaving_each_group_out() -> None:
    scores, true, groups = some(0.5)
    without = np.array(
        [pairs_counted(scores[groups != g].tolist(), true[groups != g].tolist()) for g in range(30)]
    )
    expected = np.sqrt(29 / 30 * ((without - without.mean()) ** 2).sum())
    assert roc.area(roc.pair_counts(scores, true, groups)).error == pytest.approx(expected)


def test_what_is_left_out_has_no_say_in_its_own_score() -> None:
    scores, true, groups = some(1.0)
    before = roc.held_out(scores[:, None], true, groups)
    part = groups % roc.FOLDS == 3
    after = roc.held_out(scores[:, None], np.where(part, ~true, true), groups)
    assert np.array_equal(before[part], after[part])
    assert not np.allclose(before[~part], after[~part])


def test_what_cannot_be_told_is_refused() -> None:
    with pytest.raises(ValueError, match="leave out what was not measured"):
        roc.pair_counts([1.0, float("nan")], [True, False], [0, 1])
    with pytest.raises(ValueError, match="give two"):
        roc.held_out([[1.0], [2.0]], [True, False], [0, 0])


LONG = " ".join(f"Number {i} is said to be {i * i % 97} by those who know." for i in range(120))


def test_sentences_end_at_marks_and_not_at_titles() -> None:
    text = "Mr. Pym rose. “Is it so?” he said. “It is.” 3. She left Dr. Ash"
    assert [text[start:end] for start, end in texts.sentences(text)] == [
        "Mr. Pym rose.", "“Is it so?” he said.", "“It is.”", "3. She left Dr. Ash",
    ]  # fmt: skip


@given(st.sets(st.integers(0, 2_000), max_size=40), st.integers(1, 2_000))
def test_every_place_is_read_once_with_what_it_needs(at: set[int], tokens: int) -> None:
    passes = plan(sorted(at), tokens)
    read = [place for one in passes for place in one.places]
    assert read == sorted(place for place in at if place > 0 and place + AFTER < tokens)
    for one in passes:
        assert 0 <= one.start < one.end <= tokens
        assert one.end - one.start <= SIZE
        for place in one.places:
            assert place - one.start >= min(CONTEXT, place)
            assert place + AFTER < one.end


def test_values_are_those_of_one_reading_of_the_whole_text() -> None:
    """However it is cut into passes, where a model looks no further back than their context."""
    reader, text = MadeReader(), texts.text("long", [(LONG, texts.DOCUMENT)])
    found = measure(reader, text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(signals, "SIZE", len(LONG))
        whole = measure(reader, text)
    assert max(reader.read_at_once[:-1]) <= SIZE < reader.read_at_once[-1]
    assert found["surprisal"].notna().sum() > 100
    near = [name for name in SIGNALS if not name.startswith("attention")]
    assert np.allclose(found[near], whole[near], equal_nan=True)
    words = [len(LONG[end:].split()) for end in text.places["end"]]
    assert [count > AFTER for count in words] == found["entropy"].notna().tolist()
    shared = [name for name in SIGNALS if name not in near]  # attention is, with all text
    assert found[shared].corrwith(whole[shared], method="spearman").min() > 0.9
