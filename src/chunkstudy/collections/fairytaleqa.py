"""FairytaleQA, its validation split: stories in sections, and questions with the sections that
answer them.

Source: uci-soe/FairytaleQAData at the commit below (Xu et al., "Fantastic Questions and Where to
Find Them: FairytaleQA", ACL 2022), Apache-2.0; the stories are Project Gutenberg's. Experts of
education wrote the questions with the section in view. A document is a story, its sections joined
by a blank line; the judged spans of a question are its sections, one or more.
"""

from __future__ import annotations

from chunkstudy.core import sources
from chunkstudy.core.sources import SourceFile, fetch
from chunkstudy.core.spans import Collection, Document, Judgment, Query, Span

WITHIN = "fairytaleqa-within"
COMMIT = "a24ddc17364666b7c13a425b9970c87368b03417"
HOME = f"https://raw.githubusercontent.com/uci-soe/FairytaleQAData/{COMMIT}/data-by-train-split"
FOLDERS = {"questions": "questions/val", "stories": "section-stories/val"}
"""Of the files here, and of the same in the repository."""
GAP = "\n\n"


def load_within() -> Collection:
    """Every question searched in its own story.

    Raises:
        ResourceError: if a file is missing or has another digest.
    """
    documents, queries, judgments = [], [], []
    for path in sources.listed("fairytaleqa"):
        folder, _, file = path.partition("/")
        if folder != "questions":
            continue
        story = file.removesuffix("-questions.csv")
        text, sections = _story(_rows(f"stories/{story}-story.csv"))
        documents.append(Document(story, text))
        for row in _rows(path):
            identifier = f"{story}-{row['question_id']}"
            queries.append(Query(identifier, row["question"].strip(), story))
            named = dict.fromkeys(part.strip() for part in row["cor_section"].split(","))
            judgments += [Judgment(identifier, story, *sections[name]) for name in named]
    groups = {query.id: query.document for query in queries if query.document}
    return Collection(WITHIN, tuple(documents), tuple(queries), tuple(judgments), groups)


def _rows(path: str) -> list[dict[str, str]]:
    folder, _, file = path.partition("/")
    digest = sources.listed("fairytaleqa")[path]
    source = SourceFile(f"fairytaleqa/{path}", f"{HOME}/{FOLDERS[folder]}/{file}", digest)
    return sources.rows(fetch(source).read_bytes())


def _story(rows: list[dict[str, str]]) -> tuple[str, dict[str, Span]]:
    """The text of a story, and where each of its sections stands."""
    sections: dict[str, Span] = {}
    at = 0
    for row in rows:
        sections[row["section"].strip()] = (at, at + len(row["text"]))
        at += len(row["text"]) + len(GAP)
    return GAP.join(row["text"] for row in rows), sections
