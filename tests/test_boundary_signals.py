"""The study of boundary signals: its texts, what is true in them, and the errors of means."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from chunkstudy.chunkers.signals import SIGNALS
from chunkstudy.studies import boundary_signals as study
from chunkstudy.studies.boundary_signals import areas, texts
from chunkstudy.studies.boundary_signals.texts import Text
from tests.plain_reader import MadeReader

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
    hens = texts.text("hens", texts.markdown(ARTICLES))
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


@pytest.mark.parametrize("paragraphs", [texts.markdown(ARTICLES), texts.messages(CHATS)])
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
    text = texts.text("built-in articles", texts.markdown(raw))
    places = study.read(MadeReader(), [text])
    assert places[places["entropy"].notna()][list(SIGNALS)].notna().all().all()
    profile = study.profile(places)
    assert profile["offset"].tolist() == list(range(-8, 8))
    assert profile["entropy"].gt(0).all()
    tasks = list(areas.tasks(places.assign(distance=0.5)))
    assert {task.boundaries for task in tasks} == {"articles", "sections of articles"}
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
