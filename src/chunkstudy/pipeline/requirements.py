"""Whether a condition can be run here, and what it takes beside this package: a sentence each."""

from __future__ import annotations

from chunkstudy.collections import registry
from chunkstudy.core import weights
from chunkstudy.encoders import api, models
from chunkstudy.llm import asking, providers
from chunkstudy.llm.openai_client import KEY
from chunkstudy.pipeline.conditions import Condition

AND = "; "
"""Between two sentences."""


def reason_not_run(condition: Condition) -> str | None:
    """Why a condition cannot be run here, in words a reader can act on; None if it can."""
    return AND.join(dict.fromkeys(requirements(condition, lacking_here=True))) or None


def requirements(condition: Condition, lacking_here: bool = False) -> list[str]:
    """What a condition takes beside this package; ``lacking_here``: and this machine lacks."""
    chunker, method = condition.chunking, condition.method
    sentences = []
    for encoder in condition.encoders:
        sentences += _of_encoder(models.spec(encoder.model), method.window > 0, lacking_here)
    if chunker.llm:
        nobody = ", since nobody released them"
        sentences += _of_replies(chunker.llm, "draws these boundaries", lacking_here, nobody)
    if method.llm:
        sentences += _of_replies(method.llm, "writes these contexts", lacking_here)
    if (known := chunker.entry.segments) and condition.collection not in known:
        sentences.append(
            f"needs a segmentation of {condition.collection}: {condition.chunker} is one of "
            f"{' and '.join(known)} and of nothing else, use another chunker"
        )
    if lacking := registry.find(condition.collection).lacks:
        sentences.append(f"needs {lacking}")
    return sentences


def weights_needed(spec: models.ModelSpec) -> list[str]:
    """That a model's weights were never checked, if so."""
    if spec.verified:
        return []
    command = f"`python -m chunkstudy.encoders.models {spec.id}`"
    return [f"needs the weights of {spec.id}: {command} fetches them and records {weights.MISSING}"]


def _of_encoder(spec: models.ModelSpec, contextualized: bool, lacking_here: bool) -> list[str]:
    if spec.kind != "api":
        return weights_needed(models.with_recorded_digests(spec) if lacking_here else spec)
    states = "an API returns no token states, which contextualized encoding pools"
    sentences = [states] if contextualized else []
    if lacking_here and api.at_hand(spec.id):
        return sentences
    return [*sentences, f"needs {KEY} or recordings of {spec.id}"]


def _of_replies(model: str, does: str, lacking_here: bool, why: str = "") -> list[str]:
    """That a language model's replies are needed, ``lacking_here``: and can be had in no way."""
    if lacking_here and not asking.lacks(model):
        return []
    key = providers.takes(model)[1]
    return [
        f"needs recordings of {model}, which {does}, or {key} and CHUNKSTUDY_LLM=record to ask "
        f"it{why}"
    ]
