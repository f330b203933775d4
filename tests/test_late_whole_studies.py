"""Late against plain chunking where whole documents are looked for: what is read, what is cut."""

from __future__ import annotations

import pandas as pd
import pytest

from chunkstudy import Study
from chunkstudy.base.protocols import AS_PUBLISHED_JINA, CORRECTED
from chunkstudy.studies import late_whole as late

PROTOCOLS = (CORRECTED.name, AS_PUBLISHED_JINA.name)


def test_plain_documents_that_are_not_cut_stand_for_both_protocols() -> None:
    uncut = {"scifact": late.WHOLE}
    corrected, jinas = late.read(
        Study("trial"), uncut, "sentence-transformers/all-MiniLM-L6-v2", 512, PROTOCOLS, 10
    )
    pd.testing.assert_frame_equal(corrected.plain, jinas.plain)
    assert not corrected.late.equals(jinas.late)


@pytest.mark.parametrize(("window", "cut"), [(256, {"fixed-256"}), (512, set())])
def test_a_window_cuts_a_chunk_that_leaves_no_room_for_the_special_tokens(
    window: int, cut: set[str]
) -> None:
    some = {"scifact": ["fixed-64", "fixed-256"]}
    (both,) = late.read(
        Study("trial"), some, "sentence-transformers/all-MiniLM-L6-v2", window, PROTOCOLS[:1], 10
    )
    assert both.cut == cut
