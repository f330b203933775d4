"""Whether a condition can be run here, and what it takes beside this package: a sentence each."""

from __future__ import annotations

from chunkstudy.base import weights
from chunkstudy.collections import gutenqa, registry, released
from chunkstudy.encoders import models
from chunkstudy.llm import asking, causal_models, embeddings, providers
from chunkstudy.llm.openai_client import KEY
from chunkstudy.runs.conditions import NONE, Condition
from chunkstudy.runs.names import parse_chunker, parse_encoder, parse_ordering

AND = "; "
"""Between two sentences."""


def reason_not_run(condition: Condition) -> str | None:
    """Why a condition cannot be run here, in words a reader can act on; None if it can."""
    return AND.join(dict.fromkeys(requirements(condition, here=True))) or None


def requirements(condition: Condition, here: bool = False) -> list[str]:
    """What a condition takes beside this package; ``here``: and this machine lacks."""
    chunker = parse_chunker(condition.chunker)
    ordering = parse_ordering(condition.ordering) if condition.ordering != NONE else None
    sentences = []
    for encoder in condition.encoders:
        spec = models.spec(parse_encoder(encoder).model)
        sentences += _of_encoder(spec, bool(ordering and ordering.window), here)
    if chunker.llm:
        nobody = ", since nobody released them"
        sentences += _of_replies(chunker.llm, "draws these boundaries", here, nobody)
    if ordering and ordering.llm:
        sentences += _of_replies(ordering.llm, "writes these contexts", here)
    if chunker.reader:
        sentences += _of_reader(causal_models.causal_model(chunker.reader), here)
    if (known := chunker.entry.segments) and condition.collection not in known:
        sentences.append(
            f"needs a segmentation of {condition.collection}: {condition.chunker} is one of "
            f"{' and '.join(known)} and of nothing else, use another chunker"
        )
    lacking = [registry.find(condition.collection).lacks()]
    if condition.collection == gutenqa.FULL and chunker.name in released.RELEASED:
        lacking.append(gutenqa.lacks_segmentation(chunker.name))
    return sentences + [f"needs {what}: {how}" for what, how in filter(None, lacking)]


def weights_needed(spec: models.ModelSpec) -> list[str]:
    """That a model's weights were never checked, if so."""
    if spec.verified:
        return []
    command = f"`python -m chunkstudy.encoders.models {spec.id}`"
    return [f"needs the weights of {spec.id}: {command} fetches them and records {weights.MISSING}"]


def sold(condition: Condition, asks: bool) -> str:
    """The model that a condition lets somebody ask money for, empty if none: that of vectors, and
    where language models are asked, not replayed, theirs."""
    encoders = (parse_encoder(one).model for one in condition.encoders)
    paid = [one for one in encoders if models.spec(one).kind == "api"]
    if asks:
        ordering = parse_ordering(condition.ordering) if condition.ordering != NONE else None
        paid += [parse_chunker(condition.chunker).llm, ordering.llm if ordering else ""]
    return next(filter(None, paid), "")


def _of_encoder(spec: models.ModelSpec, contextualized: bool, here: bool) -> list[str]:
    if spec.kind != "api":
        return weights_needed(models.with_recorded_digests(spec) if here else spec)
    states = "an API returns no token states, which contextualized encoding pools"
    sentences = [states] if contextualized else []
    if here and embeddings.at_hand(spec.id):
        return sentences
    return [*sentences, f"needs {KEY} or recordings of {spec.id}"]


def _of_replies(model: str, does: str, here: bool, why: str = "") -> list[str]:
    """That a language model's replies are needed, ``here``: and can be had in no way."""
    if here and not asking.lacks(model):
        return []
    key = providers.takes(model)[1]
    return [
        f"needs recordings of {model}, which {does}, or {key} and CHUNKSTUDY_LLM=record to ask "
        f"it{why}"
    ]


def _of_reader(model: models.ModelSpec, here: bool) -> list[str]:
    """That a causal model's weights are needed, ``here``: and are not at hand."""
    if here and causal_models.at_hand(model):
        return []
    how = causal_models.remedy(model)
    return [
        f"needs the weights of {model.id}, whose reading of the text draws these boundaries: "
        + (f"{how} or go online once" if how else "go online")
    ]
