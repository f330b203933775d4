"""What a condition waits for, as values; a sentence is made of one where it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from chunkstudy.base import weights
from chunkstudy.encoders import api, models
from chunkstudy.llm import asking, causal_models, providers

Kind = Literal["weights", "reading", "states", "vectors", "replies", "segmentation", "data"]
SOLD = frozenset({"vectors", "replies"})
"""What somebody may ask money for."""
SENTENCES: dict[Kind, str] = {
    "weights": "needs the weights of {of}: {how}",
    "reading": "needs the weights of {of}, whose reading of the text draws these boundaries: {how}",
    "states": "an API returns no token states, which contextualized encoding pools",
    "vectors": f"needs {api.KEY} or recordings of {{of}}",
    "replies": "needs recordings of {of}, which {how}",
    "segmentation": "needs a segmentation of {of}: {how}",
    "data": "{how}",
}


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that a condition waits for.

    Attributes:
        kind: an encoder's weights, those of a model that reads for boundaries, token states that
            nobody gives, vectors or replies that are sold or recorded, boundaries, or texts.
        of: the model or the collection.
        how: what else its sentence says; nothing is decided by it.
    """

    kind: Kind
    of: str = ""
    how: str = ""

    def __str__(self) -> str:
        return SENTENCES[self.kind].format(of=self.of, how=self.how)

    @property
    def sold(self) -> bool:
        """Whether having it may cost money."""
        return self.kind in SOLD


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
    return found if here and not api.reason_not_run(spec) else [*found, Need("vectors", spec.id)]


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
