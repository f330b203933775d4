"""How much of an evaluation of own documents is spent inside the encoder.

Run ``python -m tests.benchmarks.own [DOCUMENTS]``. The documents are 2,000 words each, sentences of
the built-in collection in a drawn order, with two questions a document; the chunker is the
recursive one of 200 tokens and the encoder all-MiniLM-L6-v2. Everything counts: reading, chunking,
counting tokens, encoding, search, scores, intervals, and the pages. The share is the encoder's own
seconds over all of them, both from one run, so that a busy machine moves both.
"""

from __future__ import annotations

import os
import random
import re
import sys
import tempfile
import time
from pathlib import Path

from chunkstudy import evaluate
from chunkstudy.collections import builtin

WORDS = 2_000
DOCUMENTS = 40


def main() -> None:
    """Print seconds inside the encoder, seconds in all, and the share."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdecimal() else DOCUMENTS
    documents, questions = made(count)
    warm = dict(list(documents.items())[:1])
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CHUNKSTUDY_VECTORS"] = f"{folder}/vectors"
        evaluate(warm, questions[:2], output=f"{folder}/warm")
        started = time.perf_counter()
        found = evaluate(documents, questions, output=f"{folder}/out")
        seconds = time.perf_counter() - started
    encoding = float(found.table["seconds encoding"].iloc[0])
    tokens = int(found.table["tokens encoded"].iloc[0])
    print(
        f"{count} documents, {tokens:,} tokens: encoder {encoding:.1f} s of {seconds:.1f} s, "
        f"share {encoding / seconds:.2f} (target: 0.8)"
    )


def made(count: int) -> tuple[dict[str, str], list[dict[str, object]]]:
    """Documents by name, and questions with an excerpt each."""
    draw = random.Random(0)
    texts = [one.text for one in builtin.load_documents() if Path(one.id).suffix == ".md"]
    sentences = [s for text in texts for s in re.split(r"(?<=[.!?])\s+", text) if s.strip()]
    documents: dict[str, str] = {}
    questions: list[dict[str, object]] = []
    for number in range(count):
        parts: list[str] = []
        words = 0
        while words < WORDS:
            parts.append(draw.choice(sentences))
            words += len(parts[-1].split())
        text = " ".join(parts)
        name = f"document-{number:04d}"
        documents[name] = text
        for _ in range(2):
            at = draw.randrange(len(text) - 200)
            excerpt = {"document": name, "start": at, "end": at + 200}
            asked = " ".join(text[at : at + 200].split()[2:12])
            questions.append({"question": f"What is said of {asked}?", "excerpts": [excerpt]})
    return documents, questions


if __name__ == "__main__":
    main()
