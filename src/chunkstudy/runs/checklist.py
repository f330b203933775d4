"""Which registered models late chunking suits, by the checklist in Jina's second post.

The post (Which Embedding Models Support Late Chunking?) asks for token states, for a window of
8,192 tokens that works and is not only claimed, and for mean pooling. That attention must be
bidirectional it takes for granted elsewhere; here it is asked as well. What models' own files do
not tell stands in ``data/models.toml`` with its sources.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from chunkstudy.base.faults import ModelError, first_fault
from chunkstudy.encoders import models
from chunkstudy.encoders.registry import MODELS, ModelSpec
from chunkstudy.llm import causal_models

SOURCE = Path(__file__).parents[1] / "data" / "models.toml"
LATE_CHUNKING_WINDOW = 8191
"""Tokens a model must read: 8,192 as the post has it, and OpenAI's models read as many, of which
their documentation says either number."""
UNKNOWN = "unknown"


class Facts(BaseModel):
    """What sources say of a model; see the head of ``data/models.toml``."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    id: str
    pooling: Literal["mean", "none", "unknown"] = "unknown"
    attention: Literal["bidirectional", "causal", "unknown"] = "unknown"
    positions: str = UNKNOWN
    pretrained: int | None = None
    pretrained_source: str = ""
    tuned: int | None = None
    tuned_source: str = ""


@dataclass(frozen=True, slots=True)
class Listed:
    """A model as it is listed.

    Attributes:
        token_states: whether they can be had; an API returns one vector for a text.
        window: tokens that it claims to read.
        licence, query_prefix, document_prefix: as registered.
        weights: where they come from.
        obstacles: what it lacks for late chunking; none where that suits.
        doubts: what speaks against reading as much as it claims.
    """

    facts: Facts
    token_states: bool
    window: int | None
    licence: str
    query_prefix: str
    document_prefix: str
    weights: str

    @property
    def id(self) -> str:
        return self.facts.id

    @property
    def obstacles(self) -> tuple[str, ...]:
        found = []
        if not self.token_states:
            found.append("it returns one vector for a text and no token states")
        if self.window is not None and self.window < LATE_CHUNKING_WINDOW:
            found.append(f"it reads {self.window} tokens, fewer than 8,192")
        if self.facts.attention == "causal":
            found.append("its attention is causal: no token's state knows what comes later")
        if self.facts.pooling == "none":
            found.append("it was trained to write, not to embed, and has no pooling of its own")
        return tuple(found)

    @property
    def doubts(self) -> tuple[str, ...]:
        facts, found = self.facts, []
        if facts.tuned is None:
            found.append("on how long texts it was tuned is not known")
        elif self.window is not None and facts.tuned < self.window:
            found.append(f"it was tuned on texts of up to {facts.tuned:,} tokens")
        return tuple(found)

    @property
    def suits(self) -> bool:
        return not self.obstacles


def every() -> list[Listed]:
    """All models of the registry, and the causal models beside them."""
    return [_encoder(spec) for spec in MODELS.values()] + [
        _causal(model) for model in causal_models.MODELS.values()
    ]


def named(names: Sequence[str]) -> list[Listed]:
    """The models whose name contains one of these, whatever the case; all where none is given.

    Raises:
        ModelError: if no model's name contains one of them.
    """
    found = every()
    for name in names:
        if not any(name.lower() in one.id.lower() for one in found):
            raise ModelError(
                f"no model is called {name!r} or has that in its name; there are "
                f"{', '.join(one.id for one in found)}"
            )
    return [one for one in found if not names or any(n.lower() in one.id.lower() for n in names)]


def at_hand(name: str) -> bool:
    """Whether a listed model's weights lie on this machine; nothing is read or downloaded."""
    if name in causal_models.MODELS:
        return causal_models.at_hand(causal_models.MODELS[name])
    return models.at_hand(models.spec(name))


def read_facts(path: Path = SOURCE) -> dict[str, Facts]:
    """Facts by model.

    Raises:
        ModelError: if an entry is not written as it should be, or stands twice.
    """
    found: dict[str, Facts] = {}
    for entry in tomllib.loads(path.read_text(encoding="utf-8")).get("model", []):
        try:
            one = Facts.model_validate(entry)
        except ValidationError as error:
            where, fault = first_fault(error)
            raise ModelError(f"{path.name}, {entry.get('id', '?')}: {where}: {fault}") from error
        if one.id in found:
            raise ModelError(f"{path.name} has {one.id} twice; remove one")
        if (one.pretrained and not one.pretrained_source) or (one.tuned and not one.tuned_source):
            raise ModelError(
                f"{path.name} says how long texts {one.id} was trained on; say who does"
            )
        found[one.id] = one
    return found


@cache
def _facts() -> dict[str, Facts]:
    return read_facts()


def _known(name: str) -> Facts:
    return _facts().get(name) or Facts(id=name)


def _encoder(spec: ModelSpec) -> Listed:
    if spec.kind == "api":
        weights = "none, an API"
    elif spec.package or spec.parts or spec.four_bits:
        weights = "Python package"
    else:
        weights = "model hub"
    return Listed(
        facts=_known(spec.id),
        token_states=spec.kind != "api",
        window=spec.window,
        licence=spec.licence,
        query_prefix=spec.query_prefix,
        document_prefix=spec.document_prefix,
        weights=weights,
    )


def _causal(model: causal_models.CausalModel) -> Listed:
    return Listed(
        facts=_known(model.id),
        token_states=True,
        window=model.positions,
        licence=model.licence,
        query_prefix="",
        document_prefix="",
        weights="Python package" if model.packed else "model hub",
    )


def row(one: Listed) -> dict[str, object]:
    """A model as a row, for tables and files; None where nobody says."""
    facts = one.facts
    sources = {"tuned": facts.tuned_source, "pre-trained": facts.pretrained_source}
    return {
        "model": one.id,
        "late chunking suits": one.suits,
        "why not": "; ".join(one.obstacles),
        "doubts": "; ".join(one.doubts),
        "token states": one.token_states,
        "window": one.window,
        "tuned on": facts.tuned,
        "pre-trained on": facts.pretrained,
        "sources": "; ".join(f"{what}: {said}" for what, said in sources.items() if said),
        "pooling": facts.pooling,
        "attention": facts.attention,
        "positions": facts.positions,
        "query prefix": one.query_prefix,
        "document prefix": one.document_prefix,
        "licence": one.licence,
        "weights": one.weights,
    }


def lines(shown: Mapping[str, object]) -> list[str]:
    """A row as lines for reading: the model's name, then what is said of it; what is empty is left
    out."""
    model, *others = shown.items()
    texts = ((name, _text(name, value)) for name, value in others)
    return [str(model[1]), *(f"  {name:<21}{text}" for name, text in texts if text)]


def _text(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,} tokens"
    if name.endswith("prefix"):  # in quotation marks, since it may end in a blank
        return json.dumps(value, ensure_ascii=False) if value else "none"
    return UNKNOWN if value is None else str(value)
