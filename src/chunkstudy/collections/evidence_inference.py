"""Evidence Inference 2.0, its test split: articles on clinical trials, and where in an article a
physician found evidence on an intervention.

Source: jayded/evidence-inference at the commit below (DeYoung et al., "Evidence Inference 2.0: More
Data, Better Models", BioNLP 2020), MIT for the repository; each article has its own licence. There
is no question: a prompt is an outcome, an intervention and a comparator, of which a query is made
by :data:`TEMPLATE`. The judged spans of a prompt are the annotated ones without white space at the
ends, overlapping ones joined.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict

from chunkstudy.core import sources
from chunkstudy.core.files import write_bytes
from chunkstudy.core.sources import SourceFile, cache_folder, fetch, find
from chunkstudy.core.spans import Collection, Document, Judgment, Query, Span, stripped, union

FOLDER, WITHIN = "evidence_inference", "evidence-inference-within"
COMMIT = "b9831b6c59b52ac2d277f757d413ececf0949a8d"
HOME = f"https://raw.githubusercontent.com/jayded/evidence-inference/{COMMIT}"
TABLES = {"annotations.csv": "v2_annotations.csv", "prompts.csv": "prompts_merged.csv"}
"""The tables here, which hold the rows of the articles at hand, and the repository's, which hold
all."""
TEMPLATE = "effect of {Intervention} compared with {Comparator} on {Outcome}"


def load_within() -> Collection:
    """Every prompt searched in its own article.

    Raises:
        ResourceError: if a file is missing or has another digest.
    """
    texts = {
        path.removeprefix("txt/PMC").removesuffix(".txt"): _file(path).decode("utf-8")
        for path in sources.listed(FOLDER)
        if path.startswith("txt/")
    }
    spans: dict[str, list[Span]] = defaultdict(list)
    for row in sources.rows(_file("annotations.csv")):
        start, end = int(row["Evidence Start"]), int(row["Evidence End"])
        spans[row["PromptID"]].append(stripped(texts[row["PMCID"]], start, end))
    queries, judgments = [], []
    for row in sources.rows(_file("prompts.csv")):
        article, prompt = f"PMC{row['PMCID']}", row["PromptID"]
        parts = {name: " ".join(text.split()) for name, text in row.items()}
        queries.append(Query(prompt, TEMPLATE.format(**parts), article))
        judgments += [Judgment(prompt, article, *span) for span in union(spans[prompt])]
    documents = tuple(Document(f"PMC{name}", text) for name, text in texts.items())
    groups = {query.id: query.document for query in queries if query.document}
    return Collection(WITHIN, documents, tuple(queries), tuple(judgments), groups)


def _file(path: str) -> bytes:
    """A file as it lies here; a table that does not is cut out of the repository's."""
    if path in TABLES and not find(f"{FOLDER}/{path}"):
        whole = SourceFile(f"{FOLDER}/{TABLES[path]}", f"{HOME}/annotations/{TABLES[path]}", "")
        write_bytes(cache_folder() / FOLDER / path, _of_articles(fetch(whole).read_bytes()))
    digest, home = sources.listed(FOLDER)[path], f"{HOME}/{path.replace('txt/', 'txt_files/')}"
    return fetch(SourceFile(f"{FOLDER}/{path}", home, digest)).read_bytes()


def _of_articles(table: bytes) -> bytes:
    """The rows of a table whose article is at hand, its columns unchanged."""
    names = sources.listed(FOLDER)
    head, *rows = csv.reader(io.StringIO(table.decode("utf-8"), newline=""))
    article = head.index("PMCID")
    table_here = io.StringIO(newline="")
    csv.writer(table_here).writerows(
        [head, *(row for row in rows if f"txt/PMC{row[article]}.txt" in names)]
    )
    return table_here.getvalue().encode("utf-8")
