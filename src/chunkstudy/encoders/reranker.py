"""Rerankers: a cross-encoder as sentence-transformers reads it, or a function of one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunkstudy.core.errors import ResourceError, one_line
from chunkstudy.core.tokens import without_surrogates
from chunkstudy.encoders import user_models

BATCH = 32
Pair = tuple[str, str]
"""A query and a chunk."""
Function = Callable[[str, list[str]], Any]
"""``f(query, texts)`` that gives a number for each text; higher is better."""


class Reranker:
    """What scores a chunk for a query; a pair is scored once.

    Args:
        name: on the hub, of a folder, or of a function.
        score: pairs to a number for each, those of one query together.
        described: what determines the scores, for records.
    """

    def __init__(
        self, name: str, score: Callable[[list[Pair]], Any], described: Mapping[str, Any]
    ) -> None:
        self.name, self._score, self.described = name, score, {"id": name, **described}
        self._known: dict[Pair, float] = {}

    def score(self, pairs: Sequence[Pair]) -> NDArray[np.float32]:
        """How well each chunk answers its query, shape (pairs,).

        Raises:
            ResourceError: if it fails, or gives something else than one finite number for each.
        """
        new = list(dict.fromkeys(pair for pair in pairs if pair not in self._known))
        if new:
            self._known |= zip(new, self._scored(new), strict=True)
        return np.array([self._known[pair] for pair in pairs], dtype=np.float32)

    def _scored(self, pairs: list[Pair]) -> list[float]:
        readable = [(without_surrogates(query), without_surrogates(text)) for query, text in pairs]
        try:
            returned = self._score(readable)
            scores = np.asarray(returned, dtype=np.float32)
        except ResourceError:
            raise
        except Exception as error:
            raise ResourceError(
                f"{self.name} failed on {len(pairs)} texts: {one_line(error)}"
            ) from error
        if scores.shape != (len(pairs),) or not np.isfinite(scores).all():
            raise ResourceError(
                f"{self.name} returned numbers of shape {scores.shape} for {len(pairs)} texts, or "
                "some that are not finite; return one finite number for each text"
            )
        values: list[float] = scores.tolist()
        return values


def of_function(function: Function, name: str = "") -> Reranker:
    """A function ``f(query, texts)`` as a reranker; ``name`` is its own where none is given."""

    name = name or getattr(function, "__name__", type(function).__name__)

    def score(pairs: list[Pair]) -> list[Any]:
        scores: list[Any] = []
        for query, of_query in groupby(pairs, key=itemgetter(0)):
            texts = [text for _, text in of_query]
            returned = list(function(query, texts))
            if len(returned) != len(texts):  # else the numbers would go to other questions' texts
                raise ResourceError(
                    f"{name} returned {len(returned)} numbers for {len(texts)} texts; return one "
                    "finite number for each text"
                )
            scores += returned
        return scores

    return Reranker(name, score, {})


def cross_encoder(name: str) -> Reranker:
    """A model of sentence-transformers that reads query and chunk together, in a folder or of the
    hub; no code of the model's own is run, and only safetensors are read.

    Raises:
        ResourceError: here if there is none of that name; once it scores, if the library is not
            installed or cannot read it as a cross-encoder.
    """
    model = user_models.find(name)

    def score(pairs: list[Pair]) -> Any:
        network = _load(model.folder, model.name)
        return network.predict(pairs, batch_size=BATCH, show_progress_bar=False)

    described = {"revision": model.revision, "files_sha256": model.files_sha256()}
    return Reranker(model.name, score, described)


@cache
def _load(folder: Path, name: str) -> Any:
    from chunkstudy.encoders.library import loaded  # torch, only where it computes

    remedy = "name one that scores a question and a text, as those of the hub below cross-encoder/"
    model = loaded("CrossEncoder", folder, name, remedy)
    if model.num_labels != 1:
        raise ResourceError(
            f"{name} gives {model.num_labels} numbers for a question and a text, where a reranker "
            "gives one; name another"
        )
    return model
