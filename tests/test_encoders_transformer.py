"""The encoder against sentence-transformers, and against plain vectors in either role."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer
from tokenizers.models import Unigram
from tokenizers.pre_tokenizers import Metaspace
from tokenizers.processors import TemplateProcessing

from chunkstudy.encoders import models
from chunkstudy.encoders.contextualized import most_context
from chunkstudy.encoders.interface import Role
from chunkstudy.encoders.models import ModelSpec
from chunkstudy.encoders.transformer import TransformerEncoder
from tests import checkpoints
from tests.checkpoints import KINDS
from tests.plain_models import plain

SPEC = models.spec("sentence-transformers/all-MiniLM-L6-v2")
ENGLISH = "The committee's report, published in 1998, did not settle the question of costs. "
GERMAN = "Die Größe der Bruchstücke ändert, was die Suche findet, und zwar überall: 3,5 %. "
TEXTS = [
    "",
    " \n\t",
    ".",
    "a",
    *(ENGLISH[: 7 * n] for n in range(1, 12)),
    *(GERMAN[: 9 * n] for n in range(1, 9)),
    *((ENGLISH + GERMAN) * n for n in (2, 3, 5, 8, 60)),
    "emoji 🙂🏳️‍🌈 and 漢字 and \u0000 and e\u0301",
    "😀" * 300,
    "x" * 5000,
    "[CLS] [SEP] [MASK] [PAD] in the text",
    ENGLISH,
    "a",
]


@pytest.fixture(scope="module")
def encoder() -> TransformerEncoder:
    return TransformerEncoder(SPEC)


@pytest.mark.parametrize("window", [256, 512])
def test_vectors_equal_those_of_sentence_transformers(window: int) -> None:
    from sentence_transformers import SentenceTransformer

    reference = SentenceTransformer(str(models.weights_folder(SPEC)), device="cpu")
    assert reference.max_seq_length == SPEC.window
    reference.max_seq_length = window
    found = TransformerEncoder(SPEC, window).encode(TEXTS)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, reference.encode(TEXTS), atol=1e-5, rtol=0)


def test_token_offsets_point_into_the_text(encoder: TransformerEncoder) -> None:
    text = "\ud83d Größe zählt"  # the tokenizer drops the replacement character
    ((ids, offsets),) = encoder.content([text])
    covered = [text[start:end] for start, end in offsets.tolist()]
    assert len(ids) == len(covered)
    assert "".join(covered) == "Größezählt"


def test_the_characters_read_are_those_of_the_tokens_in_the_window() -> None:
    encoder = TransformerEncoder(SPEC, window=8)
    long = "A lighthouse keeper counts unhurried ships at nightfall."
    short = "Café no."
    read, whole = encoder.characters_read([long, short])
    assert whole == len(short)
    assert encoder.token_ids([long[:read]]) == encoder.token_ids([long])
    assert encoder.token_ids([long[: read - 1]]) != encoder.token_ids([long])


LETTERS = ["a b c", "", "d e", "a b c", "z " * 100, "q"]
ROLES: tuple[Role, Role] = ("query", "document")


@pytest.fixture(params=KINDS)
def spec(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> ModelSpec:
    """A small model of each kind, installed as a package."""
    return installed(request.param, tmp_path, monkeypatch)


def installed(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModelSpec:
    folder = tmp_path / f"package_of_{kind}" / "model"
    _, spec = checkpoints.written(folder, kind)
    (folder.parent / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    return spec


def plain_vectors(spec: ModelSpec, encoder: TransformerEncoder, role: Role) -> np.ndarray:
    """Of each text, the mean of the plain states of prefix and text, at unit length."""
    config = checkpoints.configuration(spec.kind)
    weights = checkpoints.random_weights(spec.kind, config)
    adapter = spec.query_adapter if role == "query" else spec.document_adapter
    prefix = spec.query_prefix if role == "query" else spec.document_prefix
    states = plain(spec.kind, config, weights, adapter)
    means = [states(ids).mean(0) for ids in encoder.token_ids([prefix + t for t in LETTERS])]
    return np.stack([(mean / mean.norm()).numpy() for mean in means])


def test_vectors_of_each_role_equal_plain_ones_whatever_came_before(spec: ModelSpec) -> None:
    encoder = TransformerEncoder(spec)
    for role in (*ROLES, *reversed(ROLES)):
        found = encoder.encode(LETTERS, role)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, plain_vectors(spec, encoder, role), atol=1e-5, rtol=0)


def test_a_document_with_its_prefix_laid_out_reads_what_plain_encoding_reads(
    spec: ModelSpec,
) -> None:
    encoder = TransformerEncoder(spec)
    ((content, _),) = encoder.content(LETTERS[:1])
    layout = most_context(content, encoder.frame(64), 16)
    (ids,) = encoder.token_ids([spec.document_prefix + LETTERS[0]])
    assert layout.windows == (tuple(ids),)
    assert layout.digest() == encoder.keys(LETTERS[:1])[0]


def test_keys_tell_roles_apart_wherever_vectors_differ(spec: ModelSpec) -> None:
    encoder = TransformerEncoder(spec)
    queries, documents = (encoder.keys(LETTERS, role) for role in ROLES)
    assert (queries[0] == documents[0]) == (spec.kind in ("jina_bert", "mpnet"))
    assert queries[0] == queries[3]
    same = dataclasses.replace(spec, query_prefix="", document_prefix="")
    encoder.spec = same
    for query, document in zip(*(encoder.keys(LETTERS, role) for role in ROLES), strict=True):
        assert (query == document) == (not spec.query_adapter)


def test_a_prefix_before_a_text_is_cut_as_sentence_pieces_cut_both_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # XLM-RoBERTa's pieces carry the space before them, so the prefix's last space is not its own.
    spec = installed("jina_embeddings_v3", tmp_path, monkeypatch)
    pieces = ["<s>", "<pad>", "</s>", "<unk>", "▁", "▁a", "b", "▁Represent", "▁the", ":"]
    tokenizer = Tokenizer(Unigram([(piece, -1.0 - i) for i, piece in enumerate(pieces)], unk_id=3))
    tokenizer.pre_tokenizer = Metaspace(prepend_scheme="always")
    tokenizer.post_processor = TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    encoder = TransformerEncoder(spec)
    encoder.tokenizer = encoder._cutting = tokenizer
    encoder.document_prefix = "Represent the: "
    ((content, _),) = encoder.content(["ab a"])
    (ids,) = encoder.token_ids([f"{encoder.document_prefix}ab a"])
    assert ids == [0, *encoder.prefix_ids, *content, 2]
    assert 3 not in ids and len(encoder.prefix_ids) == 3
