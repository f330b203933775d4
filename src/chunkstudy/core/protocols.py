"""What a study does at every stage, as data passed down, see docs/protocols.md.

The official implementations depart from their papers and from each other in ways that move the
numbers; each departure is one field here, so that both ways can be scored.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal


@dataclass(frozen=True, slots=True)
class Protocol:
    """One way of doing every stage.

    Attributes:
        chunk_text: ``joined``: what the official splitter returns; ``decoded``: the model's tokens
            put back into text; ``source``: the source between the offsets.
        offsets: ``located``: the text is searched for afterwards, first occurrence, one trailing
            full stop dropped; ``exact``: by construction.
        hit: ``touching``: a chunk that ends where an excerpt starts counts; ``overlap``: at least
            one character is shared.
        relevance: when a chunk answers an in-document query: ``substring``: the judged text
            occurs in its text, case aside; ``overlap``: it shares a character with its span.
        quirks: keep the official algorithms' faults (the cluster chunker's start, its diagonal).
        form: whose fixed-size, sentence and semantic chunkers: ``jina`` loses a tail of one token,
            ``ielab`` has a first chunk of 257 tokens and sentences that lose text, and its
            LumberChunker and propositions; an empty document gives both an empty chunk; ``own`` has
            none of these.
        tokenizer: whose tokens fixed-size windows and sentence ends are made of, and decoded text:
            ``wordpiece``, or the ``encoder``'s own, which is WordPiece too unless it is an XLM-R.
        true_tokens: score in cl100k tokens as well as in characters.
        layout: how a long document is laid out in windows for token states: ``continuous``: one
            sequence in overlapping windows, [CLS] and [SEP] only at its ends; ``packed``: whole
            chunks, tokenized alone, without overlap; ``most_context``: overlapping windows, each
            with its [CLS] and [SEP], a token's state taken where it has most context on both sides.
        special_tokens: what is pooled with the first and the last chunk: ``document``: [CLS] and
            [SEP] of the document; ``window``: of every window; ``none``: content tokens only.
        depth: chunks ranked before each document is scored by its best: ``all``, or Jina's
            ``formula``.
        newlines: what an API embeds: ``spaces`` for line feeds, as chromadb's client for OpenAI
            sends it (encoders/api.py), or the text as it is, ``kept``.
        paragraphs: what ends one: every ``line``, as the taxonomy has it, or a ``blank`` one.
        scripts: whose full stops end a sentence: ``latin``'s, as all works have it, or those of
            ``any`` script.
        blank_chunks: whether chunks of white space alone are kept.
        drops_own_id: the document whose id equals the query's is dropped in every collection, not
            only where the collection says so.
    """

    name: str
    chunk_text: Literal["joined", "decoded", "source"]
    offsets: Literal["located", "exact"]
    hit: Literal["touching", "overlap"]
    quirks: bool
    relevance: Literal["substring", "overlap"] = "overlap"
    form: Literal["own", "jina", "ielab"] = "own"
    tokenizer: Literal["wordpiece", "encoder"] = "wordpiece"
    true_tokens: bool = False
    layout: Literal["continuous", "packed", "most_context"] = "most_context"
    special_tokens: Literal["document", "window", "none"] = "none"
    depth: Literal["all", "formula"] = "all"
    newlines: Literal["kept", "spaces"] = "kept"
    paragraphs: Literal["line", "blank"] = "line"
    scripts: Literal["latin", "any"] = "latin"
    blank_chunks: bool = True
    drops_own_id: bool = False


AS_PUBLISHED_CHROMA = Protocol(
    "as_published-chroma",
    "joined",
    "located",
    "touching",
    quirks=True,
    true_tokens=False,
    newlines="spaces",
)
AS_PUBLISHED_JINA = Protocol(
    "as_published-jina",
    "decoded",
    "exact",
    "overlap",
    quirks=True,
    form="jina",
    tokenizer="encoder",
    layout="continuous",
    special_tokens="document",
    depth="formula",
    drops_own_id=True,
)
AS_PUBLISHED_IELAB = Protocol(
    "as_published-ielab",
    "joined",
    "exact",
    "overlap",
    quirks=True,
    relevance="substring",
    form="ielab",
    layout="packed",
    special_tokens="window",
    drops_own_id=True,
)
AS_PUBLISHED_LUMBERCHUNKER = Protocol(
    "as_published-lumberchunker", "joined", "exact", "overlap", quirks=True, relevance="substring"
)
CORRECTED = Protocol("corrected", "source", "exact", "overlap", quirks=False, true_tokens=True)
OWN_DOCUMENTS = replace(CORRECTED, paragraphs="blank", scripts="any", blank_chunks=False)
"""How somebody's own documents are cut: ``corrected``, in whatever way their lines are wrapped and
whatever script they are in. No record is made under it."""

PROTOCOLS = {
    protocol.name: protocol
    for protocol in (
        AS_PUBLISHED_CHROMA,
        AS_PUBLISHED_JINA,
        AS_PUBLISHED_IELAB,
        AS_PUBLISHED_LUMBERCHUNKER,
        CORRECTED,
    )
}
