"""Excerpts of documents as HTML, the judged text marked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, pairwise
from types import MappingProxyType

from markupsafe import Markup, escape

from chunkstudy.core.spans import Span
from chunkstudy.core.tokens import without_surrogates

AROUND = 160
"""Characters shown on either side of what is judged, and of a chunk that holds nothing judged."""


def marked(
    text: str,
    span: Span,
    judged: Sequence[Span],
    edges: Mapping[int, Markup] = MappingProxyType({}),
    look: Callable[[int, int], str] = lambda *_: "passage",
) -> Markup:
    """``text[span]`` as HTML whose text is exactly that, marked where it is judged.

    Args:
        judged: spans of the text.
        edges: by an offset, what is drawn before the character there.
        look: the classes of what lies between two offsets.
    """
    low, high = span
    cuts = {low, high, *(at for at in chain(*judged, edges) if low < at < high)}
    html = Markup("")
    for start, end in pairwise(sorted(cuts)):
        is_judged = any(first <= start and end <= last for first, last in judged)
        html += edges.get(start, "")
        html += Markup('<{0} class="{1}">{2}</{0}>').format(
            "mark" if is_judged else "span", look(start, end), escaped(text[start:end])
        )
    return html


def shortened(chunk: Span, judged: Sequence[Span]) -> Span:
    """A chunk around what is judged in it, or its beginning."""
    start, end = chunk
    inside = [span for span in judged if span[0] < end and start < span[1]]
    if not inside:
        return start, min(end, start + AROUND)
    first, last = min(low for low, _ in inside), max(high for _, high in inside)
    return max(start, first - AROUND), min(end, last + AROUND)


def escaped(text: str) -> Markup:
    """A text escaped so that a browser shows each of its characters.

    A bare carriage return survives only as a reference; NUL and lone surrogates, which HTML and
    UTF-8 lack, become U+FFFD.
    """
    safe = escape(without_surrogates(text).replace("\0", "\ufffd"))
    return Markup(str(safe).replace("\r", "&#13;"))  # everything else is escaped already
