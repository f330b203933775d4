"""Questions of two evaluations paired by what they ask and by what answers them.

An id that is the number of a line moves when a line is inserted above it, so the text and the gold
decide which questions are the same. The id only chooses between questions that are equal in both.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chunkstudy.collections.user_questions import Judged
from chunkstudy.core.folding import in_short
from chunkstudy.core.spans import Collection

DIGEST_LENGTH = 16
"""Hexadecimal digits that identify a text."""
NAMED = 3
"""Questions that a message names."""


@dataclass(frozen=True)
class QuestionIdentity:
    """What identifies a question: digests of its text and of its gold.

    Attributes:
        text: digest of the question as it is written.
        gold: digest of the excerpts, whatever their form and place, or of the graded documents.
        document: the one document that holds its excerpts; empty if there are several, or if whole
            documents are judged.
    """

    text: str
    gold: str
    document: str = ""


Questions = Mapping[str, QuestionIdentity]


@dataclass(frozen=True)
class Pairing:
    """The questions of a baseline, paired with those of a new evaluation.

    Attributes:
        pairs: (id in the baseline, id now) of every question with the same text and gold.
        reworded: ids of the baseline whose question now has another text.
        rejudged: ids of the baseline whose question now has other gold.
        gone: ids of the baseline that nothing corresponds to now.
        added: the number of questions that the baseline does not have.
    """

    pairs: tuple[tuple[str, str], ...]
    reworded: tuple[str, ...]
    rejudged: tuple[str, ...]
    gone: tuple[str, ...]
    added: int

    @property
    def is_whole(self) -> bool:
        """Return True if every question of the baseline can be compared."""
        return not (self.reworded or self.rejudged or self.gone)

    def describe(self, texts: Mapping[str, str]) -> list[str]:
        """List in a sentence each what cannot be compared, the first questions by name.

        Args:
            texts: the baseline's questions by id.
        """
        kinds = {
            "cannot be scored any more, because they or their gold are gone": self.gone,
            "have another text under the same id": self.reworded,
            "have other gold": self.rejudged,
        }
        total = len(self.pairs) + sum(map(len, kinds.values()))
        return [
            f"{len(ids)} of {total} questions of the baseline {fault}: {_names(ids, texts)}."
            for fault, ids in kinds.items()
            if ids
        ]


def printable_id(name: str) -> str:
    """Return an id as files hold it: a lone surrogate becomes a question mark."""
    return name.encode("utf-8", "replace").decode()


def identify_questions(labelled: Judged) -> dict[str, QuestionIdentity]:
    """Identify every question of a collection by its printable id."""
    collection = labelled.collection
    gold = _gold_documents(collection) if labelled.task == "in_corpus" else _excerpts(collection)
    documents = {} if labelled.task == "in_corpus" else _single_documents(collection)
    return {
        printable_id(query.id): QuestionIdentity(
            _digest(query.text),
            _digest("\0".join(sorted(gold[query.id]))),
            printable_id(documents.get(query.id, "")),
        )
        for query in collection.queries
    }


def pair_questions(baseline: Questions, current: Questions) -> Pairing:
    """Pair the questions that have the same text and the same gold.

    Several questions may be equal in both. Those with the same id are paired first, the others in
    their order.
    """
    unpaired = {id_: (one.text, one.gold) for id_, one in current.items()}
    pairs: dict[str, str] = {}
    for id_, one in baseline.items():
        if unpaired.get(id_) == (one.text, one.gold):
            pairs[id_] = id_
            del unpaired[id_]
    by_content: dict[tuple[str, str], list[str]] = defaultdict(list)
    for id_, content in reversed(unpaired.items()):
        by_content[content].append(id_)
    for id_, one in baseline.items():
        same = by_content[one.text, one.gold]
        if id_ not in pairs and same:
            pairs[id_] = same.pop()
            del unpaired[pairs[id_]]
    texts = {text for text, _ in unpaired.values()}
    lost = [id_ for id_ in baseline if id_ not in pairs]
    rejudged = [id_ for id_ in lost if baseline[id_].text in texts]
    reworded = [id_ for id_ in lost if id_ in unpaired and id_ not in rejudged]
    gone = [id_ for id_ in lost if id_ not in rejudged and id_ not in reworded]
    return Pairing(
        tuple(pairs.items()), tuple(reworded), tuple(rejudged), tuple(gone), len(unpaired)
    )


def _excerpts(collection: Collection) -> dict[str, list[str]]:
    """Return the texts of each question's excerpts, without what typesetting changes."""
    texts = {document.id: document.text for document in collection.documents}
    gold: dict[str, list[str]] = defaultdict(list)
    for judgment in collection.judgments:
        excerpt = texts[judgment.document][judgment.start : judgment.end]
        gold[judgment.query].append(in_short(excerpt))
    return gold


def _gold_documents(collection: Collection) -> dict[str, list[str]]:
    """Return the graded documents of each question, those that are missing marked."""
    gold: dict[str, list[str]] = defaultdict(list)
    for judgment in collection.judgments:
        gold[judgment.query].append(f"{judgment.document}\t{judgment.grade}")
    for query, document, grade in collection.absent:
        gold[query].append(f"{document}\t{grade}\tmissing")
    return gold


def _single_documents(collection: Collection) -> dict[str, str]:
    """Return the document of each question whose gold is in one document."""
    documents: dict[str, set[str]] = defaultdict(set)
    for judgment in collection.judgments:
        documents[judgment.query].add(judgment.document)
    return {query: next(iter(names)) for query, names in documents.items() if len(names) == 1}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_LENGTH]


def _names(ids: Sequence[str], texts: Mapping[str, str]) -> str:
    names = [f"{id_} ({texts[id_]!r})" if id_ in texts else id_ for id_ in ids[:NAMED]]
    return ", ".join(names) + (", …" if len(ids) > NAMED else "")
