"""QMSum: meetings, what was asked of each, and the turns that answer it.

Source: Yale-LILY/QMSum at the commit below (Zhong et al., "QMSum: A New Benchmark for Query-based
Multi-domain Meeting Summarization", NAACL 2021), MIT. A document is a meeting, its turns as lines
``speaker: content``, some 8,000 words. Two collections are made of it:

- **within a meeting** (:func:`load_within`): the specific questions that do not begin with
  "Summarize", each judged on the turns that its annotators marked. Validation and test meetings are
  one collection and the training meetings another, so that what is chosen on one can be told apart.
- **whole meetings** (:func:`load`): MTEB's LEMBQMSumRetrieval (Zhu et al., "LongEmbed", 2024), of
  training and validation meetings: a query is an annotator's *answer*, and the meeting is relevant.
  Two answers stand word for word in two meetings each. MTEB's printed scores come out to the last
  digit where such a query is asked once and judged on the later of its meetings (nDCG@1 of .0799 is
  122 of 1,527 queries and no number of 1,529), so that is how it is asked here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

from chunkstudy.core import sources
from chunkstudy.core.spans import Collection, Document, Judgment, Query, Span

WHOLE, WITHIN = "qmsum", "qmsum-within"
COMMIT = "83d7768c1f2b4dfeb091385d3dc7e239b8e5bb7e"
HOME = f"https://raw.githubusercontent.com/Yale-LILY/QMSum/{COMMIT}/data/ALL"
Meeting = dict[str, Any]


def load() -> Collection:
    """Whole meetings: 197 documents, 1,527 queries.

    Raises:
        ResourceError: if a file is missing or has another digest.
    """
    documents = []
    judgments: dict[str, Judgment] = {}
    """By the query's text, so that the later meeting takes the place of the earlier."""
    for name, meeting in _meetings("train", "val"):
        text = "\n".join(_turns(meeting))
        documents.append(Document(name, text))
        questions = [*meeting["general_query_list"], *meeting["specific_query_list"]]
        for number, question in enumerate(questions):
            judgments[question["answer"]] = Judgment(f"{name}-{number}", name, 0, len(text))
    queries = (Query(judgment.query, text) for text, judgment in judgments.items())
    return Collection(WHOLE, tuple(documents), tuple(queries), tuple(judgments.values()))


def load_within(name: str = WITHIN, splits: Sequence[str] = ("val", "test")) -> Collection:
    """Every specific question searched in its own meeting.

    Args:
        name: of the collection.
        splits: whose meetings; a document is called ``split/meeting``.

    Raises:
        ResourceError: if a file is missing or has another digest.
    """
    documents, queries, judgments = [], [], []
    for meeting_name, meeting in _meetings(*splits):
        lines = _turns(meeting)
        documents.append(Document(meeting_name, "\n".join(lines)))
        for number, question in enumerate(meeting["specific_query_list"]):
            if question["query"].startswith("Summarize"):
                continue
            identifier = f"{meeting_name}-{number}"
            queries.append(Query(identifier, question["query"], meeting_name))
            spans = _spans(lines, question["relevant_text_span"])
            judgments += [Judgment(identifier, meeting_name, *span) for span in spans]
    groups = {query.id: query.document for query in queries if query.document}
    return Collection(name, tuple(documents), tuple(queries), tuple(judgments), groups)


def _meetings(*splits: str) -> Iterator[tuple[str, Meeting]]:
    """The meetings of some splits, each called ``split/meeting``, in the order of their names."""
    for path in sources.listed("qmsum"):
        if path.partition("/")[0] in splits:
            yield path.removesuffix(".json"), json.loads(sources.read("qmsum", path, HOME))


def _turns(meeting: Meeting) -> list[str]:
    return [f"{turn['speaker']}: {turn['content']}" for turn in meeting["meeting_transcripts"]]


def _spans(lines: Sequence[str], marked: Sequence[Sequence[str]]) -> list[Span]:
    """The characters of the marked turns, the last included; one marked twice counts once."""
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    turns = {turn for first, last in marked for turn in range(int(first), int(last) + 1)}
    begins = [turn for turn in sorted(turns) if turn - 1 not in turns]
    ends = [turn for turn in sorted(turns) if turn + 1 not in turns]
    return [(starts[a], starts[b] + len(lines[b])) for a, b in zip(begins, ends, strict=True)]
