"""The study of boundary signals: its texts, and what is true in them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from chunkstudy.chunkers.signals import SIGNALS, Memory
from chunkstudy.studies import boundary_signals as study
from chunkstudy.studies.boundary_signals import means as over
from chunkstudy.studies.boundary_signals import texts
from chunkstudy.studies.boundary_signals.texts import ALONE, STANDS, Text
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
    found = texts.text("hens", ARTICLES, texts.markdown(ARTICLES, 1, 2))
    assert begins(found) == [
        ("It stops.", "sentence"),
        ("Corn is good.", "part"),
        ("Mr. Pym says so.", "sentence"),
        ("Bread is not.", "paragraph"),
        ("A duck swims.", "document"),
    ]
    assert found.places["document"].tolist() == [0, 0, 0, 0, 1]


def test_chats_in_either_notation_fall_into_turns_and_the_last_may_break_off() -> None:
    found = texts.text("chats", CHATS, texts.messages(CHATS))
    assert found.sentences[0] == 'Is it "so"?'
    assert begins(found) == [
        ("I ask.", "paragraph"),
        ("Twice.", "sentence"),
        ("It is.", "part"),
        ("Don't.", "document"),
        ("It's off.", "part"),
        ("And th", "sentence"),
    ]


@pytest.mark.parametrize(
    "found",
    [
        texts.text("hens", ARTICLES, texts.markdown(ARTICLES, 1, 2)),
        texts.text("chats", CHATS, texts.messages(CHATS)),
    ],
    ids=lambda text: text.name,
)
def test_the_text_alone_gives_no_boundary_away(found: Text) -> None:
    """Between all sentences stands the same, and nothing of headings and notation is left."""
    alone = found.forms[ALONE]
    assert alone == " ".join(found.sentences)
    assert not any(sign in alone for sign in ("\n", "#", "\\", "{", "content", "role", "Food"))
    assert [alone[end : end + 1] for end in found.ends[ALONE]] == [" "] * len(found.places)


def test_a_text_read_as_it_stands_has_no_influence_and_the_others_have_every_signal() -> None:
    said = " ".join(f"Number {i} is {i * i % 97}, they say." for i in range(60))
    raw = f"# One\n\n{said}\n\n## Two\n\n{said}\n"
    one = texts.text(study.CUT_ANEW, raw, texts.markdown(raw, 1, 2))
    found = study.read(MadeReader(), [one], Memory())
    alone, stands = (found[found["form"] == form] for form in (ALONE, STANDS))
    assert alone[alone["entropy"].notna()][list(SIGNALS)].notna().all().all()
    assert stands["influence"].isna().all()
    assert stands["attention"].notna().sum() > 50
    table = study.profile(study.read(MadeReader(), [one], Memory()))
    assert table["offset"].tolist() == list(range(-8, 8))
    assert table["entropy"].gt(0).all()


def test_errors_of_kinds_in_one_text_add_up_and_those_of_two_texts_partly_cancel() -> None:
    def half(*kinds: str) -> float:
        one = {"among": over.SENTENCES, "signal": "influence", "places": 9, "true boundaries": 3}
        rows = [{**one, "boundaries": kind, "difference": 0.1, "error": 0.02} for kind in kinds]
        made = over.means(pd.DataFrame(rows), "difference").set_index("boundaries")
        assert made.loc[over.TOPICS, "difference"] == pytest.approx(0.1)
        return float(made["high"][over.TOPICS] - made["low"][over.TOPICS]) / 2

    together = half("articles", "sections of articles", "chats", "chapters of Emma")
    apart = half("articles", "sections of Chroma's wikitexts", "chats", "chapters of Emma")
    assert together == pytest.approx(1.959964 * 0.02 * np.sqrt(4 + 1 + 1) / 4)
    assert apart == pytest.approx(1.959964 * 0.02 * np.sqrt(4) / 4)
