"""A function of one's own as an encoder: its vectors, or a sentence on what it returned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import chunkstudy
from chunkstudy.core.errors import ResourceError
from chunkstudy.encoders.interface import ReadingReporter, StateEncoder, TokenCountingEncoder
from chunkstudy.encoders.user_function import FunctionEncoder
from chunkstudy.pipeline.vector_store import VectorStore

TEXTS = ["one", "two words", "one", "", "x \ud83d"]


def lengths(texts: list[str]) -> list[list[float]]:
    return [[len(text), 1.0, 2.0] for text in texts]


def backwards(texts: list[str]) -> list[list[float]]:
    return [[2.0, 1.0, len(text)] for text in texts]


def test_rows_get_unit_length_and_stand_in_the_order_of_the_texts() -> None:
    encoder = FunctionEncoder(lengths)
    found = encoder.encode(TEXTS)
    wanted = np.array(lengths(TEXTS))
    np.testing.assert_allclose(found, wanted / np.linalg.norm(wanted, axis=1)[:, None], rtol=1e-6)
    assert found.dtype == np.float32
    assert encoder.dimension == 3
    assert encoder.encode([]).shape == (0, 3)


def test_queries_have_a_function_of_their_own_where_one_is_given(tmp_path: Path) -> None:
    store = VectorStore(FunctionEncoder(lengths, backwards), tmp_path)
    assert not np.allclose(store.encode(["one"]), store.encode(["one"], "query"))
    alike = VectorStore(FunctionEncoder(lengths), tmp_path)
    assert alike.encode(["one"]).tobytes() == alike.encode(["one"], "query").tobytes()
    assert alike.computed == 1


def test_vectors_are_kept_and_those_of_another_function_of_that_name_are_not_taken(
    tmp_path: Path,
) -> None:
    VectorStore(FunctionEncoder(lengths, name="mine"), tmp_path).encode(TEXTS)
    again = VectorStore(FunctionEncoder(lengths, name="mine"), tmp_path)
    again.encode(TEXTS)
    assert again.computed == 0
    other = VectorStore(FunctionEncoder(backwards, name="mine"), tmp_path)
    other.encode(TEXTS)
    assert other.computed == 4


def later(returned: Any) -> FunctionEncoder:
    """An encoder whose function returns something else from its second call on."""
    answers = iter([lengths(["a", "ab"])])
    return FunctionEncoder(lambda texts: next(answers, returned), name="mine")


@pytest.mark.parametrize(
    ("returned", "sentence"),
    [
        (None, r"shape \(\) for 2 texts; return one of shape \(2, dimension\)"),
        ([[1.0, 2.0, 3.0]], r"shape \(1, 3\) for 2 texts"),
        (np.ones((2, 0)), r"shape \(2, 0\) for 2 texts"),
        (np.ones((2, 4)), "vectors of 4 numbers, and of 3 before"),
        ([[1.0, 2.0, 3.0], [1.0]], "list, of which NumPy makes no array"),
        ([[1, 2, 3], [np.nan, 1, 2]], "not finite for the text 'two'"),
    ],
)
def test_what_is_no_row_of_numbers_for_each_text_is_refused_in_one_sentence(
    returned: Any, sentence: str
) -> None:
    with pytest.raises(ResourceError, match=sentence) as caught:
        later(returned).encode(["one", "two"])
    assert str(caught.value).startswith("mine returned")
    assert "\n" not in str(caught.value)


def test_a_function_shows_no_token_states_so_that_late_chunking_is_refused(tmp_path: Path) -> None:
    store = VectorStore(FunctionEncoder(lengths, name="mine"), tmp_path)
    collection = chunkstudy.collection("builtin")
    chunks = chunkstudy.chunk(collection, "fixed-512")
    with pytest.raises(ValueError, match=r"^mine shows no token states, which late chunking pools"):
        chunkstudy.encode(collection, chunks, store, embedding="contextualized-512")
    assert not isinstance(store.encoder, StateEncoder | TokenCountingEncoder | ReadingReporter)
