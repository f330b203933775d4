"""Which registered models late chunking suits, by the checklist in Jina's second post.

The post (Which Embedding Models Support Late Chunking?) asks for token states, for a window of
8,192 tokens that works and is not only claimed, and for mean pooling. That attention must be
bidirectional it takes for granted elsewhere; here it is asked as well. What models' own files do
not tell their cards do (``data/models.toml``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chunkstudy.base import weights
from chunkstudy.base.faults import ModelError
from chunkstudy.base.models import CAUSAL_MODELS, MODELS, ModelSpec

LATE_CHUNKING_WINDOW = 8191
"""Tokens a model must read: 8,192 as the post has it, and OpenAI's models read as many, of which
their documentation says either number."""
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Listed:
    """A model as it is listed.

    Attributes:
        obstacles: what it lacks for late chunking; none where that suits.
        doubts: what speaks against reading as much as it claims.
    """

    spec: ModelSpec

    @property
    def id(self) -> str:
        return self.spec.id

    @property
    def token_states(self) -> bool:
        """Whether they can be had; an API returns one vector for a text."""
        return self.spec.kind != "api"

    @property
    def weights(self) -> str:
        """Where they come from."""
        if not self.token_states:
            return "none, an API"
        packaged = self.spec.package or self.spec.parts or self.spec.packed
        return "Python package" if packaged else "model hub"

    @property
    def obstacles(self) -> tuple[str, ...]:
        found = []
        if not self.token_states:
            found.append("it returns one vector for a text and no token states")
        if self.spec.window < LATE_CHUNKING_WINDOW:
            found.append(f"it reads {self.spec.window} tokens, fewer than 8,192")
        if self.spec.card.attention == "causal":
            found.append("its attention is causal: no token's state knows what comes later")
        if self.spec.card.pooling == "none":
            found.append("it was trained to write, not to embed, and has no pooling of its own")
        return tuple(found)

    @property
    def doubts(self) -> tuple[str, ...]:
        card, found = self.spec.card, []
        if card.tuned is None:
            found.append("on how long texts it was tuned is not known")
        elif card.tuned < self.spec.window:
            found.append(f"it was tuned on texts of up to {card.tuned:,} tokens")
        return tuple(found)

    @property
    def suits(self) -> bool:
        return not self.obstacles


def every() -> list[Listed]:
    """All models of the registry, and the causal models beside them."""
    return [Listed(spec) for spec in (*MODELS.values(), *CAUSAL_MODELS.values())]


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
    return weights.at_hand(MODELS.get(name) or CAUSAL_MODELS[name])


def row(one: Listed) -> dict[str, object]:
    """A model as a row, for tables and files; None where nobody says."""
    spec, card = one.spec, one.spec.card
    sources = {"tuned": card.tuned_source, "pre-trained": card.pretrained_source}
    return {
        "model": one.id,
        "late chunking suits": one.suits,
        "why not": "; ".join(one.obstacles),
        "doubts": "; ".join(one.doubts),
        "token states": one.token_states,
        "window": spec.window,
        "tuned on": card.tuned,
        "pre-trained on": card.pretrained,
        "sources": "; ".join(f"{what}: {said}" for what, said in sources.items() if said),
        "pooling": card.pooling,
        "attention": card.attention,
        "positions": card.positions,
        "query prefix": spec.query_prefix,
        "document prefix": spec.document_prefix,
        "licence": spec.licence,
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
