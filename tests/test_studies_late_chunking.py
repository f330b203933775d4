"""Late and plain chunking, BM25 and fusion side by side: what is compared, by which rules, and what
is left out where records are missing."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from chunkstudy.core.errors import StudyError
from chunkstudy.core.spans import Chunks, Collection, Document, Judgment, Query
from chunkstudy.display.formats import points
from chunkstudy.notebook.study import Study
from chunkstudy.studies.late_chunking import gains, layouts, reading, systems, word_gap, word_search
from chunkstudy.studies.late_chunking.systems import AVERAGED, BOTH, PLAIN, WORDS, late

QUESTIONS = [f"q{i:02}" for i in range(80)]
DOCUMENTS = pd.Series([f"d{i // 2}" for i in range(80)], QUESTIONS)


def scored(
    means: Mapping[str, float], collection: str = "covid-qa-within", noise: float = 0.1
) -> systems.SystemScores:
    """Systems at their means, with the same level of each document and noise of their own."""
    draw = np.random.default_rng(len(means))
    level = np.repeat(0.2 * draw.standard_normal(40), 2)
    columns = {name: m + level + noise * draw.standard_normal(80) for name, m in means.items()}
    scores = pd.DataFrame(columns, QUESTIONS)
    return systems.SystemScores(collection, systems.MINILM.replace("/", "__"), "DCG@10", scores,
                                DOCUMENTS)  # fmt: skip


def test_a_gain_draws_documents_and_tests_questions() -> None:
    some = scored({PLAIN: 0.5, late(512): 0.4, WORDS: 0.6, BOTH: 0.7})
    compared = gains.comparisons([PLAIN, late(512), WORDS, BOTH])
    rows = gains.system_gains([some], compared)
    assert list(zip(rows["system"], rows["baseline"], strict=True)) == [
        (late(512), PLAIN), (WORDS, PLAIN), (BOTH, PLAIN), (BOTH, WORDS),
    ]  # fmt: skip
    for _, row in rows.iterrows():
        first, second = (some.scores[row[key]] for key in ("system", "baseline"))
        assert row["p"] == pytest.approx(stats.ttest_rel(first, second).pvalue)
        assert row["documents"] == 40 and "documents" in row["interval"]
    assert set(rows["family_size"]) == {4}


def test_what_nothing_is_recorded_of_ends_in_one_sentence() -> None:
    with pytest.raises(StudyError, match=r'records of all chunkers .*; compute="missing" runs'):
        gains.system_gains([scored({PLAIN: 0.5})], [(late(512), PLAIN)])


def test_collections_together_each_count_once_with_a_t_interval() -> None:
    names = [*gains.KNOWN, "qmsum-within", "fairytaleqa-within"]
    read = [
        scored({PLAIN: 0.5, WORDS: 0.5 + 0.1 * n}, name) for n, name in enumerate(names, start=1)
    ]
    rows = gains.system_gains(read, [(WORDS, PLAIN)])
    both = gains.together(rows).set_index("over")
    differences = rows["difference"].to_numpy()
    for over, some in ((gains.ALL, differences), (gains.NEW, differences[2:])):
        low, high = stats.t.interval(0.95, len(some) - 1, some.mean(), stats.sem(some))
        row = both.loc[over]
        assert [row["difference"], row["low"], row["high"]] == pytest.approx(
            [some.mean(), low, high]
        )
        assert (row["least"], row["most"]) == (some.min(), some.max())


ANSWERS = {
    False: ("no", "no", gains.DEPENDS, gains.DEPENDS, "yes", "yes"),
    True: ("yes", "mostly", "no", "no", "no", "no"),
}
"""What the registered rules say of 0 to 5 collections, by whether none is yes."""


@pytest.mark.parametrize("rule", gains.RULES, ids=lambda rule: rule.name)
def test_an_answer_counts_the_collections_that_show_its_outcome(rule: gains.Rule) -> None:
    found = tuple(gains.judged(rule, shown) for shown in range(gains.COLLECTIONS + 1))
    assert found == ANSWERS[rule.removes]


def test_an_answer_counts_what_every_comparison_of_its_rule_shows() -> None:
    """Fusion leads both only where it leads vectors and words; no loss is said of a sure one."""
    means = {PLAIN: 0.5, late(512, AVERAGED): 0.5, WORDS: 0.7, BOTH: 0.7}
    read = [scored(means, name, noise=0.02) for name in ("chroma-within", "covid-qa-within")]
    rows = gains.system_gains(read, gains.comparisons(list(means)))
    summed = gains.together(rows)
    found = gains.answers(rows, summed).set_index("name")
    assert list(found.index) == ["averaged", "words", "fusion"]
    assert found.loc["words", gains.SEEN] == "chroma-within, covid-qa-within"
    assert found.loc["fusion", gains.SEEN] == ""
    averaged = found.loc[["averaged"]]
    rule = next(rule for rule in gains.RULES if rule.name == "averaged")
    said = reading.sentence(rule, averaged, summed)
    assert said.startswith("Open with fewer than five collections: significantly lower with all")
    assert ("no loss" in said) == (averaged["low"].iloc[0] > gains.NO_LOSS)


def test_a_sentence_names_the_difference_from_every_baseline_and_counts_over_documents() -> None:
    means = {PLAIN: 0.5, WORDS: 0.7, BOTH: 0.7}
    names = ("chroma-within", "covid-qa-within", "qmsum-within")
    read = [scored(means, name, noise=0.02) for name in names]
    rows = gains.system_gains(read, gains.comparisons(list(means)))
    summed = gains.together(rows)
    found = gains.answers(rows, summed)
    fusion = next(rule for rule in gains.RULES if rule.name == "fusion")
    said = reading.sentence(fusion, found[found["name"] == "fusion"], summed)
    assert " points over plain vectors and " in said and " points over BM25" in said
    words = next(rule for rule in gains.RULES if rule.name == "words")
    said = reading.sentence(words, found[found["name"] == "words"], summed)
    new = summed[(summed["over"] == gains.NEW) & (summed["system"] == WORDS)].iloc[0]
    assert "Tested over documents instead of questions: 3; the collections read after" in said
    assert said.endswith(f"registration alone: {points(new['difference'])}.")


def test_the_registered_test_is_over_questions_and_documents_stand_beside_it() -> None:
    """Questions of a document that agree make questions look more independent than they are."""
    draw = np.random.default_rng(0)
    level = np.repeat(draw.normal(0.03, 0.08, 40), 2)
    scores = pd.DataFrame({PLAIN: 0.5, WORDS: 0.5 + level}, QUESTIONS)
    some = systems.SystemScores("covid-qa-within", "m", "DCG@10", scores, DOCUMENTS)
    (row,) = gains.system_gains([some], [(WORDS, PLAIN)]).to_dict("records")
    by_document = stats.ttest_1samp(level[::2], 0)
    assert row["p"] == pytest.approx(stats.ttest_1samp(level, 0).pvalue)
    assert row["p_holm_documents"] == pytest.approx(by_document.pvalue)
    assert row["p"] < row["p_holm_documents"]


def test_means_by_chunker_are_those_of_the_chunker_alone() -> None:
    read = {
        name: [scored({PLAIN: 0.5, WORDS: 0.5 + step}, one) for one in ("a-within", "b-within")]
        for name, step in (("fixed-64", 0.1), ("fixed-256", 0.3))
    }
    table = gains.by_chunker(read, [(WORDS, PLAIN)]).set_index("chunker")
    for name, of_chunker in read.items():
        wanted = np.mean([(x.scores[WORDS] - x.scores[PLAIN]).mean() for x in of_chunker])
        assert table.loc[name, "difference"] == pytest.approx(wanted)
    both = scored({PLAIN: 0.5, WORDS: 0.6, BOTH: 0.7})
    means = systems.search_means({"fixed-64": [both, scored({PLAIN: 0.5})]})
    assert len(means) == 1 and means.loc[0, WORDS] == pytest.approx(both.scores[WORDS].mean())


def test_the_word_gap_is_the_best_answering_chunk_minus_the_best_other_chunk() -> None:
    text = "Rye is sown in autumn. Oats are sown in spring. Nothing else grows."
    ends = [text.index(". ") + 1, text.index("spring.") + 7, len(text)]
    chunks = Chunks(np.zeros(3, np.int64), np.array([0, *ends[:2]]), np.array(ends))
    collection = Collection(
        "one", (Document("d", text),),
        (Query("q", "rye sown", "d"), Query("stop", "is the", "d")),
        (Judgment("q", "d", 0, ends[0]), Judgment("stop", "d", 0, ends[0])),
    )  # fmt: skip
    (row,) = word_gap.largest_shares(collection, chunks).to_dict("records")
    asked = {"rye", "sown"}  # and no stop word
    assert row["query_id"] == "q" and row["answering"] == 1.0 and row["other"] == 1 / len(asked)


@pytest.mark.parametrize("model", [systems.MINILM, f"{systems.MPNET}-bfloat16"])
def test_the_reader_takes_means_and_names_what_not_all_chunkers_are_recorded_with(
    model: str,
) -> None:
    chunkers, wanted = ["fixed-64", "fixed-256"], [PLAIN, late(512), late(300), WORDS]
    (some,) = systems.read(
        Study("a script"), ["chroma-within"], [model], chunkers, wanted, "DCG@10"
    )
    runs = Study("a script").runs("chroma-within", chunkers, model, 512)
    mean = runs.by("DCG@10").wide("DCG@10").mean(axis=1)
    assert some.missing == (late(300), WORDS) and some.documents is None
    pd.testing.assert_series_equal(some.scores[PLAIN], mean, check_names=False)
    left = systems.left_out([some])
    assert "late, 300 tokens; BM25" in str(left.loc[0, "without records"])


LEVEL = dict.fromkeys(layouts.LAYOUTS, 0.5)


def of_layouts(means: Mapping[str, float]) -> systems.SystemScores:
    """Every layout at its mean in two windows, and plain chunks below."""
    columns = {late(w, layouts.LAYOUTS[name]): m for w in (128, 512) for name, m in means.items()}
    plain = dict.fromkeys((PLAIN, f"{PLAIN}-128", f"{PLAIN}-512"), 0.3)
    return scored(plain | columns, noise=0.01)


def test_the_layout_of_the_highest_mean_is_chosen_and_tied_ones_are_seen() -> None:
    choosing, reported = layouts.halves(of_layouts(LEVEL | {"packed": 0.6}))
    questions = {*choosing.scores.index, *reported.scores.index}
    assert len(choosing.scores) + len(reported.scores) == len(questions) == 80
    assert not {*DOCUMENTS[choosing.scores.index]} & {*DOCUMENTS[reported.scores.index]}
    choice, leads = layouts.chosen(choosing, [128, 512])
    assert choice == "packed" and (leads["low"] > 0.08).all()
    report = layouts.report(reported, choice, [128, 512]).set_index(["against", "window"])
    assert report.loc[(layouts.READ_WHOLE, "all"), "difference"] == pytest.approx(0.3, abs=0.01)


def test_without_all_layouts_the_choice_ends_in_a_sentence_that_says_what_is_lacking() -> None:
    lacking = systems.SystemScores("builtin", "none", "DCG@10", pd.DataFrame(),
                                   missing=(late(128, "-packed"),))  # fmt: skip
    with pytest.raises(StudyError, match=r"builtin with no model lacks late, 128 tokens, whole"):
        layouts.halves(lacking)


TEXTS = ("The cat sat. The dog ran far.", "A bird sang of the sea.")
SMALL = Collection(
    "covid-qa-within",
    tuple(Document(f"d{n}", text) for n, text in enumerate(TEXTS)),
    (Query("cat", "Where did the CAT sit?", "d0"), Query("bird", "sea of what", "d1")),
    (Judgment("cat", "d0", 0, 11, 1), Judgment("bird", "d1", 0, 23, 1)),
)


def test_shared_words_leave_out_stop_words_and_case() -> None:
    """Of *where did cat sit* the passage holds *cat*; of *sea what* it holds *sea*."""
    shared = word_search.shared_words(SMALL).set_index("query_id")["shared"]
    assert shared.to_dict() == {"cat": 1 / 4, "bird": 1 / 2}
