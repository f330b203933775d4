"""Facts that decide claims and that no record holds, written to ``results/parts``.

Verdicts are derived without the collections, so what they need of texts and vectors is written
down once, by ``python -m chunkstudy.studies.claim_facts`` with the collections at hand. With
the folder of the printed works as an argument, what is counted in their text is written too.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from chunkstudy import places as project
from chunkstudy import tokens
from chunkstudy.chunkers import catalogue, structure
from chunkstudy.collections import chroma
from chunkstudy.collections.sources import fetch
from chunkstudy.files import write_text
from chunkstudy.grid.encoding import encode, parse_ordering
from chunkstudy.grid.grids import BEIR_AT_HAND, JINA, LATE, MAIN_SIZES, WIDE
from chunkstudy.grid.run import load_collection, load_store
from chunkstudy.grid.store import VectorStore
from chunkstudy.measures.token_overlap import TokenOverlap
from chunkstudy.places import Places
from chunkstudy.protocols import AS_PUBLISHED_CHROMA, CORRECTED, PROTOCOLS, Protocol
from chunkstudy.spans import Chunks, Collection, Document, chunk_documents

LANGCHAIN_SEPARATORS = ("\n\n", "\n", " ", "")
NOTEBOOK = {
    "Paragraph": "paragraph",
    "Semantic": "semantic",
    "Propositions": "proposition",
    "LumberChunker": "lumberchunker",
    "Recursive (LangChain)": "recursive",
    "HyDE": "hyde",
}
AND = re.compile(r"(\w+)\W* and \W*(\w+)")
SENTENCES = (
    "Berlin is the capital and largest city of Germany, both by area and by population.",
    " Its more than 3.85 million inhabitants make it the European Union's most populous city, "
    "as measured by population within city limits.",
    " The city is also one of the states of Germany, and is the third smallest state in the "
    "country in terms of area.",
)
"""S1:204-210."""
OTHER = " The museum keeps paintings and prints from four centuries."
"""Put in the place of a sentence, to see which vectors notice."""


def write_all(places: Places, printed: Path | None = None) -> None:
    """Write every fact; those of the printed works where their folder is given."""
    questioned = load_collection("chroma")
    store = load_store(WIDE, places.vectors)
    made = {
        "chroma_questions": questions(questioned),
        "chroma_hits": hits(questioned),
        "chroma_separators": separators(questioned),
        "chroma_similarity": similarity(questioned, store),
        "beir_lengths": lengths([load_collection(name) for name in BEIR_AT_HAND]),
        "late_direction": direction(store),
    }
    means = Path(os.environ.get("CHUNKSTUDY_DATA", "")) / "gutenqa_emma" / "published_results.json"
    if means.is_file():
        made["gutenqa_published"] = gutenqa_published(means.read_text(encoding="utf-8"))
    if printed is not None:
        report, post = (sorted(printed.glob(f"{n}_*.txt"))[0] for n in ("000", "001"))
        made["printed_prompt"] = prompt(report.read_text(encoding="utf-8"))
        made["printed_segmentations"] = segmentations(post.read_text(encoding="utf-8"))
    for name, table in made.items():
        text = table.to_csv(index=False, lineterminator="\n")
        write_text(places.results / "parts" / f"{name}.csv", text)


def questions(collection: Collection) -> pd.DataFrame:
    """One row: counts over all questions and excerpts.

    ``and outside of names``: an ``and`` that stands between two words, one of them in lower case.
    """
    texts = [query.text for query in collection.queries]
    raw = fetch(chroma.FILES["questions_df.csv"]).read_bytes().decode("utf-8")
    excerpts = Counter(judgment.query for judgment in collection.judgments)
    source = {document.id: document.text for document in collection.documents}
    shared = sum(
        a.query == b.query and a.document == b.document and a.start < b.end and b.start < a.end
        for i, a in enumerate(collection.judgments)
        for b in collection.judgments[i + 1 :]
    )
    return pd.DataFrame(
        [
            {
                "questions": len(texts),
                "excerpts": len(collection.judgments),
                "excerpts that stand at their offsets": sum(
                    source[row["corpus_id"]][e["start_index"] : e["end_index"]] == e["content"]
                    for row in csv.DictReader(io.StringIO(raw, newline=""))
                    for e in json.loads(row["references"])
                ),
                "pairs of excerpts that overlap": shared,
                "most excerpts of a question": max(excerpts.values()),
                "questions of one excerpt": sum(n == 1 for n in excerpts.values()),
                "questions with and": sum(" and " in text.lower() for text in texts),
                "questions with and outside of names": sum(map(_joins_with_and, texts)),
                "mean tokens of a question": round(
                    float(np.mean(tokens.counter("cl100k").count_many(texts))), 2
                ),
            }
        ]
    )


def hits(collection: Collection) -> pd.DataFrame:
    """How many chunks hold part of a question's excerpts, per chunker of the main table."""
    rows = []
    for name in ("recursive", "token"):
        for size in MAIN_SIZES:
            slug = f"{name}-{size}"
            for protocol in (AS_PUBLISHED_CHROMA, CORRECTED):
                rows.append(_hits(slug, protocol, collection))
    return pd.DataFrame(rows)


def separators(collection: Collection) -> pd.DataFrame:
    """Recursive chunks with LangChain's own separators and with Chroma's (S0:293)."""
    count = tokens.counter("cl100k")
    rows = []
    for size in (200, 400):
        for name, marks in (
            ("LangChain's", LANGCHAIN_SEPARATORS),
            ("Chroma's", structure.SEPARATORS),
        ):
            sizes: list[int] = []
            for document in collection.documents:
                splitter = structure._Recursive(document.text, size, 0, count)
                splitter.split(0, len(document.text), marks)
                sizes += count.count_many([document.text[a:b] for a, b in splitter.found])
            found = np.array(sizes)
            rows.append(
                {
                    "separators": name,
                    "size": size,
                    "chunks": len(found),
                    "mean tokens": round(float(found.mean()), 2),
                    "shorter than a tenth of the size": int((found < size / 10).sum()),
                }
            )
    return pd.DataFrame(rows)


def similarity(collection: Collection, store: VectorStore) -> pd.DataFrame:
    """Cosine similarity of each question to the least similar of its excerpts, by the store's
    model."""
    source = {document.id: document.text for document in collection.documents}
    asked = store.encode([query.text for query in collection.queries], "query")
    texts = [source[j.document][j.start : j.end] for j in collection.judgments]
    found = store.encode(texts, "document")
    row = {query.id: i for i, query in enumerate(collection.queries)}
    least: dict[str, float] = {}
    for judgment, vector in zip(collection.judgments, found, strict=True):
        value = float(asked[row[judgment.query]] @ vector)
        least[judgment.query] = min(value, least.get(judgment.query, 1.0))
    return pd.DataFrame(
        [
            {
                "query_id": query.id,
                "part": collection.groups[query.id],
                "least similar excerpt": f"{least[query.id]:.4f}",
            }
            for query in collection.queries
        ]
    )


def lengths(collections: Sequence[Collection]) -> pd.DataFrame:
    """Mean characters of a document, title and text joined by a space."""
    return pd.DataFrame(
        [
            {
                "collection": one.name,
                "documents": len(one.documents),
                "mean characters": round(
                    float(np.mean([len(document.text) for document in one.documents])), 2
                ),
            }
            for one in collections
        ]
    )


def direction(store: VectorStore) -> pd.DataFrame:
    """How far a late chunk's vector moves when the last sentence is replaced, or the first:
    its cosine similarity to what it was."""
    before = _vectors(store, SENTENCES)
    later = _vectors(store, (*SENTENCES[:2], OTHER))
    earlier = _vectors(store, (OTHER.strip(), *SENTENCES[1:]))
    return pd.DataFrame(
        [
            {
                "chunk": i + 1,
                "last replaced": f"{before[i] @ later[i]:.4f}" if i < 2 else "",
                "first replaced": f"{before[i] @ earlier[i]:.4f}" if i else "",
            }
            for i in range(len(SENTENCES))
        ]
    )


def gutenqa_published(text: str) -> pd.DataFrame:
    """DCG@10 of LumberChunker's notebook, means over 100 books with text-embedding-ada-002."""
    table = json.loads(text)["mean_dcg_over_100_books_ada002"]
    row = next(row for row in table["rows"] if row[0] == 10)
    found = dict(zip(table["columns"], row, strict=True))
    return pd.DataFrame(
        [{"chunker": slug, "DCG@10": found[name]} for name, slug in NOTEBOOK.items()]
    )


def prompt(report: str) -> pd.DataFrame:
    """cl100k tokens of the question prompt as S0's appendix prints it, line breaks as spaces."""
    lines = report.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("You are an agent that"))
    end = next(i for i in range(start, len(lines)) if "ALREADY BEEN USED" in lines[i])
    text = " ".join(line.strip() for line in lines[start : end + 1] if line.strip("` \n"))
    return pd.DataFrame([{"printed prompt tokens": tokens.counter("cl100k").count(text)}])


def segmentations(post: str) -> pd.DataFrame:
    """S1's four segmentations of one article: chunks stated and found, words kept of the longest.

    A chunk is a block between two runs of blank lines at least as wide as the rarest kind.
    """
    rows = []
    parts = re.split(r"(?m)^## (.+)$", post)[1:]
    texts = dict(zip(parts[::2], parts[1::2], strict=True))
    words = {name: _words(text) for name, text in texts.items()}
    whole = max(words.values(), key=len)
    for name, text in texts.items():
        stated = int(re.search(r"(\d+) chunk\(s\)", text)[1])  # type: ignore[index]
        kept = sum((Counter(words[name]) & Counter(whole)).values())
        rows.append(
            {
                "segmentation": name,
                "chunks stated": stated,
                "chunks found": _blocks(text),
                "words": len(words[name]),
                "words of the longest": len(whole),
                "words shared with the longest": kept,
            }
        )
    return pd.DataFrame(rows)


def _words(text: str) -> list[str]:
    return re.sub(r"(?m)^#### .*$", "", text).split()


def _blocks(text: str) -> int:
    body = re.sub(r"(?m)^(#### .*|---)$", "", text).strip("\n")
    return len([block for block in re.split(r"\n\s*\n", body) if block.strip()])


def _joins_with_and(text: str) -> bool:
    return any(not (a[:1].isupper() and b[:1].isupper()) for a, b in AND.findall(text))


def _hits(slug: str, protocol: Protocol, collection: Collection) -> dict[str, object]:
    chunks = chunk_documents(catalogue.build(slug, protocol), collection.documents)
    counts = TokenOverlap.of(collection, chunks, protocol.hit).touching_counts
    return {
        "chunker": slug,
        "protocol": protocol.name,
        "questions": len(counts),
        "one to three": int(((counts >= 1) & (counts <= 3)).sum()),
        "median": float(np.median(counts)),
        "most": int(counts.max()),
        "all": int(counts.sum()),
    }


def _vectors(store: VectorStore, sentences: Sequence[str]) -> NDArray[np.float32]:
    ends = np.cumsum([len(sentence) for sentence in sentences])
    starts = np.concatenate([[0], ends[:-1]])
    chunks = Chunks(np.zeros(len(sentences), dtype=np.int64), starts, ends, None)
    documents = [Document("article", "".join(sentences))]
    vectors, _ = encode(store, documents, chunks, parse_ordering(LATE), PROTOCOLS[JINA])
    return vectors


if __name__ == "__main__":
    write_all(project.find(), Path(sys.argv[1]) if len(sys.argv) > 1 else None)
