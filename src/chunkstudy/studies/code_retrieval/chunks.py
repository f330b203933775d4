"""How source files are cut, and what their names put before each chunk at no cost."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePosixPath

from chunkstudy.chunkers import contexts
from chunkstudy.collections.contextual_code import guides_chunks
from chunkstudy.core.spans import Chunks, Collection, Span
from chunkstudy.pipeline import engine

GUIDE, BLANK_LINES, SYNTAX = "guide", "blank-lines", "syntax"
CHUNKERS = {
    GUIDE: "The guide's own",
    "recursive-200-0": "Recursive, 200 tokens",
    "fixed-256": "Fixed size, 256 tokens",
    BLANK_LINES: "Between blank lines",
    SYNTAX: "By syntax",
}
PLAIN, PATH, DEFINITION, BOTH = "plain", "path", "definition", "both"
CONTEXTS = {
    PLAIN: "none",
    PATH: "file name",
    DEFINITION: "definitions",
    BOTH: "both",
}
"""By name, as a reader reads them."""
LANGUAGES = {".c": "c", ".cpp": "cpp", ".h": "cpp", ".java": "java", ".py": "python", ".rs": "rust"}
"""By how a file's name ends, as tree-sitter calls them."""
BLOCK = re.compile(r"(?:[^\n]*\S[^\n]*(?:\n|\Z))+")
"""Lines of which none is blank."""
DEFINITION_LINE = re.compile(
    r"(?!(?:if|for|while|switch|catch|else|return|match|do|try|new|throw)\b)(?:"
    r"(?:[\w().]+\s+)*(?:class|struct|enum|union|trait|impl|interface|namespace|mod|def|fn|public|"
    r"private|protected)\b(?!:)|"  # a word that says so
    r"[\w~][\w:<>*&~\[\]., ]*\(.*\)[\w\s]*\{$)"  # or a head and its brace, as C++ and Java have it
)
"""A line, without its indentation, that begins a definition in one of the five languages."""


def cut(collection: Collection, chunker: str) -> Chunks:
    """The chunks of all files by one of ``CHUNKERS``.

    Raises:
        ModuleNotFoundError: for ``SYNTAX``, if tree-sitter-language-pack is not installed.
    """
    ours: dict[str, Callable[[str], list[Span] | list[str]]] = {
        GUIDE: guides_chunks,
        BLANK_LINES: lambda text: [block.span() for block in BLOCK.finditer(text)],
        SYNTAX: by_syntax(collection),
    }
    return engine.chunk(collection, ours.get(chunker, chunker))


def by_syntax(collection: Collection) -> Callable[[str], list[str]]:
    """LlamaIndex's ``CodeSplitter`` as it comes, 1,500 characters at most, over the parser that a
    file's name asks for."""
    languages = {
        document.text: LANGUAGES[PurePosixPath(collection.titles[document.id]).suffix]
        for document in collection.documents
    }

    def split(text: str) -> list[str]:
        from llama_index.core.node_parser import CodeSplitter  # late: no other page needs it

        pieces: list[str] = CodeSplitter(language=languages[text]).split_text(text)
        return [piece for piece in pieces if piece]

    return split


def texts(collection: Collection, chunks: Chunks, context: str) -> list[str]:
    """What is embedded and what words are counted of: each chunk behind its context."""
    heads = []
    for document, start in zip(chunks.document.tolist(), chunks.start.tolist(), strict=True):
        file = collection.documents[document]
        path = [collection.titles[file.id]] if context in (PATH, BOTH) else []
        inside = definitions(file.text, start) if context in (DEFINITION, BOTH) else []
        heads.append(contexts.short(" > ".join(path + inside)))
    return [
        contexts.before(head, text)
        for head, text in zip(heads, chunks.texts(collection.documents), strict=True)
    ]


def definitions(text: str, start: int) -> list[str]:
    """The lines that begin the definitions around a chunk, the widest first: of the lines above
    the chunk's first, going up, each that is indented less than all below it and begins one."""
    above = text[: text.rfind("\n", 0, start) + 1]
    first = next((line for line in text[len(above) :].split("\n") if line.strip()), "")
    depth, heads, below = _indentation(first), [], first.strip()
    for line in reversed(above.split("\n")):
        bare = line.strip()
        braced = f"{bare} {{" if below == "{" else bare
        if bare and _indentation(line) < depth and DEFINITION_LINE.match(braced):
            depth = _indentation(line)
            heads.append(bare.rstrip("{: "))
        below = bare
    return heads[::-1]


def _indentation(line: str) -> int:
    return len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
