"""A chunker of somebody's own or of a library, whatever its form: what it returns becomes spans, or
an error that names the document.

Nothing here imports a library: a chunker is told by what it can do. LangChain's text splitters
have ``split_text``; LlamaIndex's node parsers ``get_nodes_from_documents``; chonkie's chunkers
``chunk``. What they return is told likewise: strings, pairs, or objects that hold a text and,
perhaps, where it starts and ends.
"""

from __future__ import annotations

import copy
import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from operator import attrgetter, index
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, cast

from chunkstudy.core.errors import ChunkerError
from chunkstudy.core.folding import View, solid
from chunkstudy.core.spans import Chunker, Document, RewrittenSpan, Span

OwnChunker = Callable[[str], Iterable[Any]]
"""``f(text)`` that gives ``(start, end)`` pairs, ``(start, end, rewritten text)``, or strings."""
TEXTS = ("text", "page_content")
STARTS, ENDS = ("start_index", "start_char_idx"), ("end_index", "end_char_idx")


class Piece(NamedTuple):
    """A chunk's text and, where the chunker says so, its offsets."""

    text: str
    span: Span | None = None


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
    module = _module(where, name)
    try:
        return attrgetter(attribute)(module)
    except AttributeError:
        raise ChunkerError(f"{where} has no {attribute}; correct {name!r}") from None


def made(given: Any, name: str) -> Any:
    """The chunker itself, where a class or a function without arguments was given that makes it.

    Raises:
        ChunkerError: if making it fails.
    """
    makes = isinstance(given, type) or (
        inspect.isfunction(given)
        and {each.kind for each in inspect.signature(given).parameters.values()}
        <= {inspect.Parameter.VAR_KEYWORD}
    )
    if not makes:
        return given
    try:
        return given()
    except Exception as error:
        raise ChunkerError(
            f"{name} failed when it was called to make a chunker: {type(error).__name__}: {error}"
        ) from error


def as_function(chunker: Any, name: str) -> OwnChunker:
    """Any chunker as a function from a text to what :func:`checked` takes.

    Raises:
        ChunkerError: if it is none of the forms above.
    """
    if hasattr(chunker, "get_nodes_from_documents"):
        of = "llama_index.core.schema"  # its documents are of its own kind
        return lambda text: chunker.get_nodes_from_documents([sys.modules[of].Document(text=text)])
    if hasattr(chunker, "create_documents") and hasattr(chunker, "_add_start_index"):
        told = copy.copy(chunker)  # one that says where its chunks begin
        told._add_start_index = True
        return lambda text: told.create_documents([text])
    for method in ("split_text", "chunk", "__call__"):
        if callable(split := getattr(chunker, method, None)):
            return cast(OwnChunker, split)
    raise ChunkerError(
        f"{name} is {type(chunker).__name__}, which is no chunker; give a function from a text to "
        "a list of texts or of (start, end) pairs, a LangChain text splitter, a LlamaIndex node "
        "parser or a chonkie chunker"
    )


def label(given: object) -> str:
    """A name for a chunker that was given as an object: its own, or its class's."""
    name = getattr(given, "__name__", None) or type(given).__name__
    return re.sub(r"[^A-Za-z0-9_.-]", "", str(name)) or "mine"


def comes_from(chunker: object) -> str:
    """The package, with its version, that a library's object comes from; empty for other code."""
    from importlib.metadata import packages_distributions, version

    # A method of a built-in type, such as str.splitlines, has no module.
    owner = chunker if inspect.isroutine(chunker) else type(chunker)
    parts = (getattr(owner, "__module__", None) or "").split(".")
    if parts[0] in sys.stdlib_module_names or parts[0] in ("__main__", "chunkstudy"):
        return ""
    packages = packages_distributions().get(parts[0], [])
    if len(packages) > 1:  # a namespace: the distribution called like the module's first parts
        prefixes = ["-".join(parts[:n]).replace("_", "-") for n in range(len(parts), 0, -1)]
        packages = [prefix for prefix in prefixes if prefix in packages][:1]
    return ", ".join(f"{name} {version(name)}" for name in dict.fromkeys(packages))


def checked(chunker: OwnChunker, documents: Iterable[Document]) -> Chunker:
    """The chunker as one that gives spans, for these documents only; it is asked once for each,
    since asking again might cost or give other chunks. Strings of white space are no chunks, since
    nobody finds anything in them.

    Raises, when it is called:
        ChunkerError: if the chunker raises (the original error is chained), returns nothing or no
            chunk for a text that has any, returns something else than spans or strings, or a
            string that stands nowhere in the document after the chunk before it.
    """
    names = {document.text: document.id for document in documents}

    @cache
    def spans(text: str) -> list[Span] | list[RewrittenSpan]:
        name = names[text]
        try:
            returned = chunker(text)
            one_text = returned is None or isinstance(returned, str)
            chunks = None if one_text else [(chunk, _piece(chunk)) for chunk in returned]
        except Exception as error:
            raise ChunkerError(
                f"your chunker failed on document {name!r}: {type(error).__name__}: {error}"
            ) from error
        if chunks is None:
            raise ChunkerError(
                f"your chunker returned {'one text' if returned else 'nothing'} for document "
                f"{name!r}; return a list of (start, end) pairs or of strings"
            )
        chunks = [(chunk, piece) for chunk, piece in chunks if not piece or piece.text.strip()]
        if not chunks and text.strip():
            raise ChunkerError(
                f"your chunker returned no chunk for document {name!r}; return at least one"
            )
        pieces = [piece for _, piece in chunks if piece]
        if len(pieces) == len(chunks):
            return _located(text, pieces, name)
        return [_span(chunk, number, name) for number, (chunk, _) in enumerate(chunks, start=1)]

    return spans


def locate_in_order(text: str, chunks: Sequence[str], name: str) -> list[Span]:
    """Where strings that were cut from a text in this order stand in it.

    They are searched character by character; only if that fails, whatever the white space. Either
    way first without overlap, every search starting at the end of the chunk before, then with it,
    starting after that chunk's beginning; the reading that leaves nothing but white space out is
    preferred. So the strings of a splitter that neither overlaps nor leaves out text are located
    exactly, whatever is repeated in it.

    Raises:
        ChunkerError: naming document and chunk if no reading finds every chunk.
    """
    exact = View(text, range(len(text)), range(1, len(text) + 1))
    most: list[Span] = []
    for view, needles in (
        (exact, chunks),
        (solid(text), ["".join(chunk.split()) for chunk in chunks]),
    ):
        readings = [_search(view, needles, overlapping) for overlapping in (False, True)]
        complete = [spans for spans in readings if len(spans) == len(chunks)]
        if complete:
            return next((spans for spans in complete if not _left_out(text, spans)), complete[0])
        most = max(most, *readings, key=len)
    lost = chunks[len(most)]
    raise ChunkerError(
        f"chunk {len(most) + 1} of {len(chunks)} of document {name!r} stands nowhere after the "
        f"beginning of the chunk before it: {lost[:60]!r}; return texts as they stand in the "
        "document and in its order, or (start, end) pairs"
    )


def _located(text: str, pieces: Sequence[Piece], name: str) -> list[Span]:
    """Where pieces stand: as their offsets say, if these give their texts and leave nothing but
    white space out; else where the texts are found; else as the offsets say after all.

    Libraries that search for a piece to tell its offsets take an earlier place of the same words.
    """
    spans = [piece.span or (0, 0) for piece in pieces]
    true = all(
        0 <= start < end and text[start:end] == piece.text
        for (start, end), piece in zip(spans, pieces, strict=True)
    )
    if true and not _left_out(text, spans):
        return spans
    try:
        return locate_in_order(text, [piece.text for piece in pieces], name)
    except ChunkerError:
        if true:
            return spans
        raise


def _search(view: View, needles: Sequence[str], overlapping: bool) -> list[Span]:
    """The spans of the needles up to the first that is not found."""
    spans: list[Span] = []
    start = 0
    for needle in needles:
        place = view.text.find(needle, start) if needle else -1
        if place < 0:
            break
        spans.append(view.span(place, len(needle)))
        start = place + 1 if overlapping else place + len(needle)
    return spans


def _left_out(text: str, spans: Sequence[Span]) -> str:
    """The characters outside of all spans, without white space."""
    reached, gaps = 0, []
    for start, end in spans:
        gaps.append(text[reached:start])
        reached = max(reached, end)
    return "".join([*gaps, text[reached:]]).strip()


def _span(chunk: Any, number: int, name: str) -> Any:
    try:
        start, end, *rewritten = chunk
        if len(rewritten) > 1 or not all(isinstance(text, str) for text in rewritten):
            raise TypeError
        return (index(start), index(end), *rewritten)
    except (TypeError, ValueError) as error:
        raise ChunkerError(
            f"chunk {number} of document {name!r} is {type(chunk).__name__} {str(chunk)[:60]!r}; "
            "return (start, end) pairs of whole numbers or strings, one kind for all chunks"
        ) from error


def _piece(chunk: Any) -> Piece | None:
    """A string, or an object's text with its offsets; None of a pair, or of what has no text."""
    if isinstance(chunk, str):
        return Piece(chunk)
    text = next((t for name in TEXTS if isinstance(t := getattr(chunk, name, None), str)), None)
    if text is None:
        return None
    start, end = _offset(chunk, STARTS), _offset(chunk, ENDS)
    if start is not None and end is None:
        end = start + len(text)
    return Piece(text, (start, end) if start is not None and end is not None else None)


def _offset(chunk: Any, names: Sequence[str]) -> int | None:
    """An offset that an object names itself, or in LangChain's ``metadata``."""
    metadata = getattr(chunk, "metadata", None)
    values: list[Any] = [getattr(chunk, name, None) for name in names]
    values += [metadata.get(name) for name in names] if isinstance(metadata, dict) else []
    offsets = (index(value) for value in values if hasattr(value, "__index__"))
    return next((offset for offset in offsets if offset >= 0), None)


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
        if (folder := str(Path.cwd())) not in sys.path:
            sys.path.insert(0, folder)
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
