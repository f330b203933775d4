"""What Sphinx reads, below ``build/site-source``: docs, executed notebooks, and pages made of
``results/*.csv``, laid out as in the repository so that their links to each other hold."""

from __future__ import annotations

import pkgutil
import re
from importlib import import_module
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath

import cells

SOURCE = "build/site-source"
NOTEBOOKS = "results/notebooks"
TREE = {
    "works": ("Works", {
        "chroma": ("Chroma's report", "chroma_"),
        "jina": ("Jina's posts on late chunking", "jina_"),
        "taxonomy": ("Beyond Chunk-Then-Embed", "taxonomy_"),
        "tutorial": ("A tutorial on precision and recall of chunks", "labels_ tutorial_"),
        "mteb": ("MTEB's leaderboard", "mteb_"),
    }),
    "questions": ("Our questions", {
        "late_chunking": ("Late chunking", "late_chunking"),
        "chunking": ("Chunking", ""),
    }),
    "verdicts": ("Overview and claims", {"all_works": ("All works together", "00_ claims")}),
    "guides": ("Guides", {"own_texts": ("On your own texts", "your_own_")}),
}  # fmt: skip
"""By section and part: a title, and how the names of its notebooks begin; the part of no beginning
takes those that no other takes."""
GUIDES = ("your-own-data", "study", "generation", "llm", "cluster")
REFERENCE = (
    "settings", "limits", "other-tools", "glossary", "protocols", "data-card", "faults", "cite",
)  # fmt: skip
OF_THE_ROOT = ("REPRODUCING.md", "CONTRIBUTING.md", "CHANGELOG.md")
LIBRARIES = (
    "collections", "chunkers", "encoders", "evaluation.retrieval", "evaluation.measures",
    "evaluation.statistics",
)  # fmt: skip
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\])\(([^)\s#:]+)(#[^)\s]*)?\)")


def write(root: Path) -> None:
    """Lay everything out. What did not change is left alone, so that Sphinx reads it once."""
    out = root / SOURCE
    pages = _written(root) | _tree(root) | _api()
    known = {name.lower() for name in pages}
    files: dict[str, bytes] = {}
    files["_static/site.css"] = Path(__file__).with_name("site.css").read_bytes()
    files[cells.SCRIPT] = cells.script()
    for name, text in pages.items():
        linked, taken = _linked(root, name, text, known)
        files[name] = linked.encode("utf-8")
        files |= {one: (root / one).read_bytes() for one in taken}
    for path in [one for one in out.rglob("*") if one.is_file()]:
        if path.relative_to(out).as_posix() not in files:
            path.unlink()
    for name, content in files.items():
        path = out / name
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def _written(root: Path) -> dict[str, str]:
    """Pages that people wrote or that a notebook became."""
    names = [*(f"docs/{one}.md" for one in (*GUIDES, *REFERENCE)), *OF_THE_ROOT]
    names += [path.relative_to(root).as_posix() for path in (root / NOTEBOOKS).glob("*.ipynb")]
    found = {name: (root / name).read_text(encoding="utf-8") for name in names}
    home = (root / "README.md").read_text(encoding="utf-8")
    sections = [f"pages/{name}" for name in (*TREE, "reference")]
    return found | {"index.md": f"{home}\n{_toctree(sections, hidden=True)}"}


def _tree(root: Path) -> dict[str, str]:
    """A page a section and a part, which lists what is in it, and the tables of each work."""
    parts = {part: starts.split() for _, of in TREE.values() for part, (_, starts) in of.items()}
    notebooks: dict[str, list[str]] = {part: [] for part in parts}
    for path in sorted((root / NOTEBOOKS).glob("*.ipynb")):
        taking = [part for part, starts in parts.items() if path.stem.startswith(tuple(starts))]
        notebooks[(taking or ["chunking"])[0]].append(f"../{NOTEBOOKS}/{path.stem}")
    beside = {f"published_{work}": text for work, text in cells.published(root).items()}
    claims = {f"claims_{work}": text for work, text in cells.claims(root).items()}
    found = (tables := beside | claims).copy()
    for section, (title, of) in TREE.items():
        for part, (heading, _) in of.items():
            of_work = [one for one in tables if one.partition("_")[2] == part]
            found[part] = f"# {heading}\n\n{_toctree([*notebooks[part], *of_work])}"
        extra = [f"../docs/{name}" for name in GUIDES] if section == "guides" else []
        found[section] = f"# {title}\n\n{_toctree([*of, *extra], depth=2)}"
    works = TREE["works"][1]
    for said, pages in (("Claims", claims), ("Published numbers beside ours", beside)):
        listed = [f"- [{works[one.partition('_')[2]][0]}]({one}.md)" for one in pages]
        found["verdicts"] += f"\n## {said}\n\n" + "\n".join(listed) + "\n"
    reference = [f"../docs/{name}" for name in REFERENCE]
    reference += ["api", *(f"../{name.removesuffix('.md')}" for name in OF_THE_ROOT)]
    found["reference"] = f"# Reference\n\n{_toctree(reference)}"
    return {f"pages/{name}.md": text for name, text in found.items()}


def _toctree(entries: list[str], depth: int = 1, hidden: bool = False) -> str:
    options = [f":maxdepth: {depth}", *([":hidden:"] if hidden else [])]
    lines = ["```{toctree}", *options, ":titlesonly:", "", *entries, "```"]
    return "\n".join(lines) + "\n"


def _api() -> dict[str, str]:
    """A page for what ``chunkstudy`` exports and one for each library below it."""
    exported = {
        "Study": (
            "chunkstudy.notebook.study",
            "chunkstudy.notebook.runs",
            "chunkstudy.notebook.scores",
        ),
        "evaluate": tuple(f"chunkstudy.user_data.{x}" for x in ("evaluate", "comparison")),
    }
    pages = {name: list(modules) for name, modules in exported.items()}
    for name in LIBRARIES:
        package = import_module(f"chunkstudy.{name}")
        below = sorted(one.name for one in pkgutil.iter_modules(package.__path__))
        pages[name] = [package.__name__, *(f"{package.__name__}.{one}" for one in below)]
    found = {
        f"pages/api_{name}.md": f"# {name}\n\n"
        + "\n".join(_module(module, len(modules) == 1) for module in modules)
        for name, modules in pages.items()
    }
    return found | {"pages/api.md": f"# API\n\n{_toctree([f'api_{name}' for name in pages])}"}


def _module(name: str, alone: bool) -> str:
    """What a module says of itself, under a heading where it is not the only one of its page."""
    heading = "" if alone or name.count(".") == 1 else f"## {name.rpartition('.')[2]}\n\n"
    return f"{heading}```{{eval-rst}}\n.. automodule:: {name}\n```\n"


def _linked(root: Path, name: str, text: str, known: set[str]) -> tuple[str, set[str]]:
    """A page whose links lead to pages, and the files of the repository that it offers: a link to
    a notebook leads to the executed one; of one to a folder or a text of the repository that is no
    page, its words stay."""
    files = set()

    def there(found: re.Match[str]) -> str:
        words, target, anchor = found[1], found[2], found[3] or ""
        path = normpath(PurePosixPath(name).parent / target)
        path = re.sub(r"^notebooks/", f"{NOTEBOOKS}/", path)
        path = {"README.md": "index.md", "docs/pages.md": "pages/works.md"}.get(path, path)
        if path.lower() not in known:
            if path.endswith((".md", ".ipynb")) or not (root / path).is_file():
                return words.strip("[]")
            files.add(path)
        return f"{words}({relpath(path, str(PurePosixPath(name).parent))}{anchor})"

    if name.endswith(".ipynb"):
        return text, files
    return LINK.sub(there, text), files
