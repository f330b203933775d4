"""What a condition waits for, as values: a sentence is made of one where it is shown, and tables
that quote sentences are read back by :func:`parse`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal

from chunkstudy.base import weights
from chunkstudy.encoders import models, received
from chunkstudy.llm import asking, causal_models, providers
from chunkstudy.llm.openai_client import KEY

Kind = Literal[
    "reading", "weights", "states", "vectors", "replies", "study", "run", "computed", "data"
]
SOLD = frozenset({"vectors", "replies"})
"""What somebody may ask money for."""
SENTENCES: dict[Kind, tuple[str, str, str]] = {
    "reading": (
        "needs ",
        "the weights of {of}",
        ", whose reading of the text draws these boundaries: {how}",
    ),
    "weights": ("needs ", "the weights of {of}", ": {how}"),
    "states": ("an API returns no ", "token states", ", which contextualized encoding pools"),
    "vectors": ("needs ", f"{KEY} or recordings of {{of}}", ""),
    "replies": ("needs ", "recordings of {of}", ", which {how}"),
    "study": ("needs ", "`chunkstudy study {of}` then", ""),
    "run": ("open: ", "run `chunkstudy run --only '{of}'`", ""),
    "computed": ("nothing to run: ", "{of}", ""),
    "data": ("needs ", "{of}", ": {how}"),
}
"""A kind's verb, what is waited for, and what else is said; what two of them match is the first's.
"""
AND = "; "


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that a condition or a published cell waits for.

    Attributes:
        kind: weights of a model that reads for boundaries, an encoder's, token states that nobody
            gives, vectors or replies that are sold or recorded, a study, a run that could begin,
            a computation over records, or texts and boundaries.
        of: the model, the condition, or what else it is.
        how: what else its sentence says; nothing is decided by it.
    """

    kind: Kind
    of: str = ""
    how: str = ""

    def __str__(self) -> str:
        return self._filled("".join(SENTENCES[self.kind]))

    @property
    def thing(self) -> str:
        """What is waited for, in words, and nothing else; pages of the site list it."""
        return self._filled(SENTENCES[self.kind][1])

    @property
    def noun(self) -> str:
        """The sentence without its verb."""
        return self._filled("".join(SENTENCES[self.kind][1:]))

    @property
    def sold(self) -> bool:
        """Whether having it may cost money."""
        return self.kind in SOLD

    def _filled(self, form: str) -> str:
        return form.format(of=self.of, how=self.how)


def said(needs: Iterable[Need]) -> str:
    """The sentences of all, each once; empty where nothing is needed."""
    return AND.join(dict.fromkeys(map(str, needs)))


def parse(text: str) -> list[Need]:
    """What :func:`said` made a text of.

    Raises:
        ValueError: if a sentence is none of ``SENTENCES``.
    """
    return [_parsed(one) for one in text.split(AND)]


@cache
def _parsed(sentence: str) -> Need:
    for kind, parts in SENTENCES.items():
        form = re.escape("".join(parts))
        form = form.replace(r"\{of\}", "(?P<of>.+?)").replace(r"\{how\}", "(?P<how>.+)")
        if found := re.fullmatch(form, sentence):
            return Need(kind, **found.groupdict())
    raise ValueError(f"{sentence!r} says no need; make the column `needs` with needs.said")


def weights_needed(spec: models.ModelSpec) -> list[Need]:
    """That a model's weights were never checked, if so."""
    if spec.verified:
        return []
    command = f"`python -m chunkstudy.encoders.models {spec.id}`"
    return [Need("weights", spec.id, f"{command} fetches them and records {weights.MISSING}")]


def encoder_needed(spec: models.ModelSpec, contextualized: bool, here: bool) -> list[Need]:
    """What an encoder takes; ``here``: and this machine lacks."""
    if spec.kind != "api":
        return weights_needed(models.with_recorded_digests(spec) if here else spec)
    found = [Need("states")] if contextualized else []
    return found if here and received.at_hand(spec.id) else [*found, Need("vectors", spec.id)]


def replies_needed(model: str, does: str, here: bool, why: str = "") -> list[Need]:
    """That a language model's replies are needed, ``here``: and can be had in no way."""
    if here and not asking.lacks(model):
        return []
    key = providers.takes(model)[1]
    return [Need("replies", model, f"{does}, or {key} and CHUNKSTUDY_LLM=record to ask it{why}")]


def reading_needed(model: models.ModelSpec, here: bool) -> list[Need]:
    """That a causal model's weights are needed, ``here``: and are not at hand."""
    if here and causal_models.at_hand(model):
        return []
    how = causal_models.remedy(model)
    return [Need("reading", model.id, f"{how} or go online once" if how else "go online")]
