"""Which registered models late chunking suits, by the checklist in Jina's second post.

The post (Which Embedding Models Support Late Chunking?) asks for token states, for a window of
8,192 tokens that works and is not only claimed, and for mean pooling. That attention must be
bidirectional it takes for granted elsewhere; here it is asked as well. What models' own files do
not tell their cards do (``data/models.toml``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pandas as pd

from chunkstudy.core.errors import ResourceError
from chunkstudy.core.models import CAUSAL_MODELS, MODELS, ModelSpec

LATE_CHUNKING_WINDOW = 8191
"""Tokens a model must read: 8,192 as the post has it, and OpenAI's models read as many, of which
their documentation says either number."""
UNKNOWN = "unknown"


def every() -> list[ModelSpec]:
    """All models of the registry, and the causal models beside them."""
    return [*MODELS.values(), *CAUSAL_MODELS.values()]


def named(names: Sequence[str]) -> list[ModelSpec]:
    """The models whose name contains one of these, whatever the case; all where none is given.

    Raises:
        ResourceError: if no model's name contains one of them.
    """
    found = every()
    for name in names:
        if not any(name.lower() in one.id.lower() for one in found):
            raise ResourceError(
                f"no model is called {name!r} or has that in its name; there are "
                f"{', '.join(one.id for one in found)}"
            )
    return [one for one in found if not names or any(n.lower() in one.id.lower() for n in names)]


def obstacles(spec: ModelSpec) -> list[str]:
    """What a model lacks for late chunking; none where that suits."""
    found = []
    if spec.kind == "api":
        found.append("it returns one vector for a text and no token states")
    if spec.window < LATE_CHUNKING_WINDOW:
        found.append(f"it reads {spec.window} tokens, fewer than 8,192")
    if spec.card.attention == "causal":
        found.append("its attention is causal: no token's state knows what comes later")
    if spec.card.pooling == "none":
        found.append("it was trained to write, not to embed, and has no pooling of its own")
    return found


def row(spec: ModelSpec) -> dict[str, object]:
    """A model as a row, for tables and files; None where nobody says."""
    card, doubts = spec.card, ""
    if card.tuned is None:
        doubts = "on how long texts it was tuned is not known"
    elif card.tuned < spec.window:
        doubts = f"it was tuned on texts of up to {card.tuned:,} tokens"
    packaged = "Python package" if spec.package or spec.parts or spec.packed else "model hub"
    sources = {"tuned": card.tuned_source, "pre-trained": card.pretrained_source}
    return {
        "model": spec.id,
        "late chunking suits": not obstacles(spec),
        "why not": "; ".join(obstacles(spec)),
        "doubts": doubts,
        "token states": spec.kind != "api",
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
        "weights": "none, an API" if spec.kind == "api" else packaged,
    }


def checked() -> pd.DataFrame:
    """The registered models by the checklist, a row each; what nobody says is unknown."""
    table = pd.DataFrame([row(spec) for spec in every()])
    for length in ("tuned on", "pre-trained on"):
        table[length] = [UNKNOWN if pd.isna(n) else f"{n:,.0f}" for n in table[length]]
    return table


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
