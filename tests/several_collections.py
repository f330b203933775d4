"""Collections of one's own, each another text, small enough to run in a test, and conditions."""

from __future__ import annotations

import json
import random
from pathlib import Path

from chunkstudy.runs.conditions import MINILM, Condition
from tests.small_study import tree

NAMES = ("alpha", "beta", "gamma")
CHUNKERS = ("sentence-1", "sentence-2", "sentence-3", "none")
SUBJECTS = "The ferry|A lamp|This bridge|Every bee|No comet|One tailor|The harbour|Some cheese"
VERBS = "waits for|remembers|outlives|follows|repairs|forgets|paints|carries"
THINGS = "the tide|a letter|its keeper|the winter|an orchard|three stones|the choir|old maps"


def write(folder: Path, names: tuple[str, ...] = NAMES) -> None:
    """Write the collections, the same whenever they are written."""
    for name in names:
        draw = random.Random(name)
        (folder / name / "documents").mkdir(parents=True)
        lines = []
        for number in range(3):
            sentences = [
                " ".join([*(draw.choice(one.split("|")) for one in (SUBJECTS, VERBS, THINGS)),
                          f"in {name} {draw.randrange(1000)} times."])
                for _ in range(20)
            ]  # fmt: skip
            document = f"{number}.txt"
            (folder / name / "documents" / document).write_text(" ".join(sentences))
            asked = sentences[draw.randrange(len(sentences))]
            excerpt = {"document": document, "text": asked}
            lines.append({"id": f"q{number}", "question": asked[:-1] + "?", "excerpts": [excerpt]})
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / name / "questions.jsonl").write_text(text)


def conditions(*names: str) -> list[Condition]:
    """What is run of some collections: plain, with context, and without an encoder."""
    found = []
    for name in names:
        found += [Condition(name, one, MINILM, "pre_embedding", "corrected") for one in CHUNKERS]
        found += [
            Condition(name, one, MINILM, "contextualized-64", "corrected") for one in CHUNKERS[:2]
        ]
        found.append(Condition(name, "sentence-3", "none", "none", "corrected"))
    return found


def left_by(folder: Path, *names: str) -> dict[str, bytes]:
    """The files of the records, but for what varies from run to run."""
    return {
        f"{name}/{path}": content
        for name in names
        for path, content in tree(folder / name / "runs").items()
    }
