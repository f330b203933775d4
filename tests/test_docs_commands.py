"""What the pages tell a reader to type, open or set is there, and what can be run here runs."""

from __future__ import annotations

import fnmatch
import importlib.util
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from chunkstudy.cli import main
from chunkstudy.collections import registry
from chunkstudy.core.project import find_project
from chunkstudy.pipeline import conditions
from chunkstudy.release import grid

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / f"{name}.md" for name in ("README", "REPRODUCING", "CONTRIBUTING")]
PAGES += sorted((ROOT / "docs").glob("*.md"))
WITHOUT = ("protocols.md", "pages.md", "glossary.md", "cite.md", "limits.md", "other-tools.md")
"""Pages that name no command."""
FENCE = re.compile(r"^[ ]*```\w*\n(.*?)^[ ]*```", re.DOTALL | re.MULTILINE)
SPAN = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
OURS = re.compile(r"(?:src/chunkstudy|tests|docs|results|notebooks|figures|paper|\.ci)/[\w./*-]*")
VARIABLE = re.compile(r"\bCHUNKSTUDY_[A-Z_]+\b")
SETTING = re.compile(r"[A-Z_]+=\S*")
NAMED = re.compile(r"^[A-Z]+$")
"""A part of a path that stands for any name, as in results/studies/NAME."""
NOT_ALONE = ("Missing argument", "Missing option")
COMMANDS: Any = typer.main.get_command(main.app)
UsageError: Any = typer.BadParameter.__mro__[1]
"""Of the click that typer uses, whichever it is."""
WAITING = {
    r"(evaluate|fetch|generate|merge)$": "a word of a sentence, without its arguments",
    r"fetch .*": "the network",
    r"study (?!--list).*": "hours, or a collection that is fetched",
    r"reproduce|check|inspect builtin": "minutes; `make reproduce` and `make check` run them",
    r"generate (?!.*--dry-run).*": "a language model",
    r"inspect handbook|run --only handbook/.*": "questions that a language model wrote",
    r"evaluate .*--baseline .*": "an accepted evaluation; tests/test_gate.py makes some",
    r"merge .*": "records of another machine",
}
"""Commands of ours that are typed here and not run, by what they need."""
IN_SMALL = {"run": ["--dry-run"], "export": ["--only", "builtin/*"]}
"""What keeps a command that does run to seconds."""
SNIPPET = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
ELSEWHERE = ("Asker(", "compare(", "openvino")
"""What a snippet holds that needs a language model, another engine, or minutes: the
notebook your_own_data runs that one."""
TARGETS = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def code(text: str) -> Iterator[str]:
    """Each line of a block of code, with what continues it, and each piece of code in a line."""
    for block in FENCE.findall(text):
        yield from block.replace("\\\n", " ").splitlines()
    for piece in SPAN.findall(FENCE.sub("", text)):
        yield " ".join(piece.split())


def typed(text: str) -> Iterator[list[str]]:
    """The words of every command of ours, settings before it left out."""
    for line in code(text):
        if not re.search(r"\b(chunkstudy|make|python -m)\b", line):
            continue
        try:
            words = shlex.split(re.sub(r"\$\(\(.*?\)\)", "1", line), comments=True)
        except ValueError:  # prose or another language
            continue
        while words and SETTING.fullmatch(words[0]):
            words.pop(0)
        if words and Path(words[0]).name in ("chunkstudy", "make", "python"):
            end = next(
                (i for i, one in enumerate(words) if one in ("|", ">", "&", "&&", ";")), None
            )
            yield [Path(words[0]).name, *words[1:end]]


def fault(words: list[str]) -> str | None:
    """What is wrong with a command; None where nothing is."""
    name, *rest = words
    if name == "make":
        unknown = {one for one in rest if "=" not in one and not one.startswith("-")} - TARGETS
        return f"make has no target {min(unknown)}" if unknown else None
    if name == "python":
        if rest[:1] != ["-m"] or not rest[1].startswith(("chunkstudy", "tests")):
            return None
        return None if importlib.util.find_spec(rest[1]) else f"there is no module {rest[1]}"
    if not rest or rest[0].startswith("-"):
        return None
    return _fault_of_ours(rest)


def _fault_of_ours(words: list[str]) -> str | None:
    command = COMMANDS.commands.get(words[0])
    if command is None:
        return f"chunkstudy has no command {words[0]}"
    try:
        command.make_context(words[0], words[1:], parent=typer.Context(COMMANDS)).close()
    except typer.Exit:  # --help
        return None
    except UsageError as error:
        said = error.format_message()
        return None if len(words) == 1 and said.startswith(NOT_ALONE) else said
    only = [words[i + 1] for i, one in enumerate(words[:-1]) if one == "--only"]
    return next((f"nothing matches {one}" for one in only if not _matches(one)), None)


def _matches(pattern: str) -> bool:
    if any(fnmatch.fnmatch(str(one), pattern) for one in grid.conditions(find_project())):
        return True
    collection, _, others = pattern.partition("/")
    known = collection in registry.COLLECTIONS  # any other name stands for one of the reader's own
    try:
        return bool(conditions.parse(pattern if known else f"builtin/{others}"))
    except (ValueError, RuntimeError):
        return False


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_can_be_typed(page: Path) -> None:
    found = list(typed(page.read_text(encoding="utf-8")))
    wrong = [f"{' '.join(words)}: {said}" for words in found if (said := fault(words))]
    assert not wrong
    assert found or page.name in WITHOUT


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = (one for one in LINK.findall(text) if "://" not in one)
    missing = [one for one in links if not (page.parent / one).exists()]
    for piece in {one for line in code(text) for one in line.split()}:
        path = OURS.fullmatch(piece.strip(",.;:()'\""))
        if path:
            parts = path[0].rstrip("/").split("/")
            pattern = "/".join("*" if NAMED.match(one) else one for one in parts)
            if not any(ROOT.glob(pattern)):
                missing.append(path[0])
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_variable_is_read_somewhere(page: Path) -> None:
    named = set(VARIABLE.findall(page.read_text(encoding="utf-8")))
    sources = [*(ROOT / "src").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
    read = {one for path in sources for one in VARIABLE.findall(path.read_text(encoding="utf-8"))}
    assert not named - read


def _ours() -> list[str]:
    pages = (page.read_text(encoding="utf-8") for page in PAGES)
    found = (words[1:] for page in pages for words in typed(page) if words[0] == "chunkstudy")
    return sorted({shlex.join(words) for words in found if words and not words[0].startswith("-")})


def _waits(command: str) -> list[str]:
    plain = " ".join(shlex.split(command))
    return [pattern for pattern in WAITING if re.fullmatch(pattern, plain)]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project whose records may change, with the files that the pages speak of."""
    root = tmp_path_factory.mktemp("checkout")
    for name in ("results", "notebooks"):
        shutil.copytree(ROOT / name, root / name)
    for name in ("figures", "docs", "paper", "src"):
        (root / name).symlink_to(ROOT / name)
    (root / "handbook").mkdir()
    (root / "my-folder").symlink_to(root / "handbook")
    (root / "handbook/leave.md").write_text("# Leave\n\nThirty days a year.\n\nAsk in the tool.\n")
    (root / "handbook/travel.md").write_text("# Travel\n\nThe office books trains.\n")
    question = '{"question": "Who books trains?", "excerpts": ["The office books trains."]}\n'
    (root / "questions.jsonl").write_text(question)
    (root / "my_module.py").write_text("def split(text):\n    return text.split('\\n\\n')\n")
    return root


@pytest.fixture
def here(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(checkout)
    monkeypatch.setenv("CHUNKSTUDY_ROOT", str(checkout))
    return checkout


@pytest.mark.slow
@pytest.mark.parametrize("command", [one for one in _ours() if not _waits(one)])
def test_every_command_that_needs_nothing_runs(here: Path, command: str) -> None:
    words = [word.removeprefix("~/") for word in shlex.split(command)]
    small = [one for one in IN_SMALL.get(words[0], []) if one not in words]
    ended = CliRunner().invoke(main.app, [*words, *small])
    assert ended.exit_code == 0, f"{ended.output}{ended.exception!r}"


def test_no_command_is_spared_that_no_page_names() -> None:
    spared = {pattern for command in _ours() for pattern in _waits(command)}
    assert spared == set(WAITING)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_snippet_of_python_that_needs_nothing_runs(here: Path, page: Path) -> None:
    for snippet in SNIPPET.findall(page.read_text(encoding="utf-8")):
        if not any(one in snippet for one in ELSEWHERE):
            exec(snippet, {"my_splitter": str.splitlines})
