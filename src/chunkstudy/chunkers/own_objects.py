"""A chunker of somebody's own or of a library, whatever its form, as a function of a text.

Nothing here imports a library: a chunker is told by what it can do. LangChain's text splitters
have ``split_text``; LlamaIndex's node parsers ``get_nodes_from_documents``; chonkie's chunkers
``chunk``. What they return is told likewise: strings, pairs, or objects that hold a text and,
perhaps, where it starts and ends.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Callable, Iterable
from operator import index
from pathlib import Path
from types import ModuleType
from typing import Any

from chunkstudy.chunkers.own import ChunkerError, OwnChunker, Piece

TEXTS = ("text", "page_content")
STARTS, ENDS = ("start_index", "start_char_idx"), ("end_index", "end_char_idx")


def named(name: str) -> Any:
    """What ``module:name`` or ``file.py:name`` names: a function of a text, an object of a library,
    or a function without arguments that makes either.

    Raises:
        ChunkerError: if there is none.
    """
    where, _, attribute = name.rpartition(":")
    if not where or not attribute:
        raise ChunkerError(
            f"{name!r} is no chunker of the catalogue (`chunkstudy list` shows some) and no "
            "module:name of your own, such as my_module:split or my_file.py:split"
        )
    found: Any = _module(where, name)
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise ChunkerError(f"{where} has no {attribute}; correct {name!r}")
        found = getattr(found, part)
    return found


def made(given: Any, name: str) -> Any:
    """The chunker itself, where a class or a function without arguments was given that makes it.

    Raises:
        ChunkerError: if making it fails.
    """
    if not _takes_nothing(given):
        return given
    try:
        return given()
    except Exception as error:
        raise ChunkerError(
            f"{name} failed when it was called to make a chunker: {type(error).__name__}: {error}"
        ) from error


def as_function(made: Any, name: str) -> OwnChunker:
    """Any chunker as a function from a text to what ``own.checked`` takes.

    Raises:
        ChunkerError: if it is none of the forms above.
    """
    if hasattr(made, "get_nodes_from_documents"):
        return _nodes(made, name)
    for method in ("split_text", "chunk"):
        if callable(getattr(made, method, None)):
            return _unwrapped(getattr(made, method))
    if callable(made) and not isinstance(made, type):
        return _unwrapped(made)
    raise ChunkerError(
        f"{name} is {type(made).__name__}, which is no chunker; give a function from a text to a "
        "list of texts or of (start, end) pairs, a LangChain text splitter, a LlamaIndex node "
        "parser or a chonkie chunker"
    )


def label(given: object) -> str:
    """A name for a chunker that was given as an object: its own, or its class's."""
    name = getattr(given, "__name__", None) or type(given).__name__
    return re.sub(r"[^A-Za-z0-9_.-]", "", str(name)) or "mine"


def comes_from(made: object) -> str:
    """The package, with its version, that a library's object comes from; empty for other code."""
    from importlib.metadata import packages_distributions, version

    # A method of a built-in type, such as str.splitlines, has no module.
    owner = made if inspect.isroutine(made) else type(made)
    module: str = getattr(owner, "__module__", None) or ""
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names or top in ("__main__", "chunkstudy"):
        return ""
    parts = module.replace("_", "-").split(".")
    known = packages_distributions().get(top, [])
    if len(known) > 1:  # a namespace: the distribution called like the module's first parts
        called = ["-".join(parts[:n]) for n in range(len(parts), 0, -1)]
        known = [one for one in called if one in known][:1]
    return ", ".join(f"{one} {version(one)}" for one in dict.fromkeys(known))


def _module(where: str, name: str) -> ModuleType:
    path = Path(where).expanduser()
    try:
        if path.suffix == ".py":
            spec = importlib.util.spec_from_file_location(path.stem, path)
            if not path.is_file() or spec is None or spec.loader is None:
                raise ChunkerError(f"there is no file {path}; correct {name!r}")
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
        if (here := str(Path.cwd())) not in sys.path:
            sys.path.insert(0, here)
        return importlib.import_module(where)
    except ChunkerError:
        raise
    except ModuleNotFoundError as error:
        if error.name not in (where, where.partition(".")[0]):
            raise ChunkerError(f"{where} needs {error.name}; install it") from error
        raise ChunkerError(
            f"there is no module {where} to import; run this in the folder that holds {where}.py, "
            f"or write {where}.py:{name.rpartition(':')[2]} with the path to the file"
        ) from error
    except Exception as error:
        raise ChunkerError(f"{where} failed on import: {type(error).__name__}: {error}") from error


def _takes_nothing(made: Any) -> bool:
    """Whether it is a class or function that has to be called, without arguments, to get one."""
    if not (inspect.isfunction(made) or isinstance(made, type)):
        return False
    try:
        parameters = inspect.signature(made).parameters.values()
    except (TypeError, ValueError):
        return isinstance(made, type)
    free = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    if isinstance(made, type):
        return all(p.default is not p.empty for p in free)
    return not free and not any(p.kind is p.VAR_POSITIONAL for p in parameters)


def _nodes(parser: Any, name: str) -> OwnChunker:
    """A LlamaIndex node parser; its own kind of document is found where the parser comes from."""
    schema = sys.modules.get("llama_index.core.schema")
    if schema is None:
        raise ChunkerError(
            f"{name} has get_nodes_from_documents, and llama_index.core.schema, whose documents it "
            "takes, is not loaded; use a node parser of llama-index-core"
        )
    document = schema.Document
    return _unwrapped(lambda text: parser.get_nodes_from_documents([document(text=text)]))


def _unwrapped(split: Callable[[str], Any]) -> OwnChunker:
    def chunks(text: str) -> Any:
        returned = split(text)
        if returned is None or isinstance(returned, str) or not isinstance(returned, Iterable):
            return returned
        pieces = [_piece(one) for one in returned]
        return [one for one in pieces if not _blank(one)]  # nobody finds anything in white space

    return chunks


def _blank(piece: Any) -> bool:
    text = piece.text if isinstance(piece, Piece) else piece
    return isinstance(text, str) and not text.strip()


def _piece(chunk: Any) -> Any:
    """An object's text with its offsets; a string or a pair stays what it is."""
    if isinstance(chunk, str | tuple | list | dict):
        return chunk
    text = next((t for name in TEXTS if isinstance(t := getattr(chunk, name, None), str)), None)
    if text is None:
        return chunk
    start, end = _offset(chunk, STARTS), _offset(chunk, ENDS)
    return Piece(text, (start, end) if start is not None and end is not None else None)


def _offset(chunk: Any, names: Iterable[str]) -> int | None:
    for name in names:
        try:
            return index(getattr(chunk, name, None))  # type: ignore[arg-type]
        except TypeError:
            continue
    return None
