"""What `pip install chunkstudy` brings is enough to evaluate; the rest are extras."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
IMPORTED_AS = {"scikit-learn": "sklearn", "google-generativeai": "google", "pillow": "PIL",
               "ipython": "IPython", "beautifulsoup4": "bs4"}  # fmt: skip
EVALUATE = """
import importlib.abc, sys

class Refused(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in sys.argv[1].split(","):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Refused())
from chunkstudy.commands.cli import app

app(sys.argv[2:])
"""


def test_evaluate_runs_without_any_extra(tmp_path: Path, little_model: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    names = {one.partition(";")[0].strip() for some in extras.values() for one in some}
    blocked = ",".join(IMPORTED_AS.get(one, one.replace("-", "_")) for one in names)
    (tmp_path / "texts").mkdir()
    for name in "abc":
        words = f"Grain {name} is sown in spring. It is cut in autumn.\n\n" * 3
        (tmp_path / "texts" / f"{name}.md").write_text(words + name, encoding="utf-8")
    line = {"question": "When is grain a sown?", "excerpts": ["Grain a is sown in spring."]}
    (tmp_path / "texts" / "q.jsonl").write_text(json.dumps(line), encoding="utf-8")
    asked = ["evaluate", "texts", "--questions", "texts/q.jsonl", "--output", "out"]
    asked += ["--chunker", "recursive-200-0", "--encoder", str(little_model)]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("CHUNKSTUDY")}
    done = subprocess.run(
        [sys.executable, "-c", EVALUATE, blocked, *asked, "--encoder", "bm25"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment | {"PYTHONPATH": str(ROOT / "src")},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "index.html" in done.stdout
