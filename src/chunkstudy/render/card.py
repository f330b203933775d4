"""What a page opens with: the first page's answer; behind the answers of others which published
sentences they judge, published beside ours, and whether they agree."""

from __future__ import annotations

from collections import Counter

import pandas as pd
from IPython.display import HTML, Markdown

from chunkstudy.places import Places
from chunkstudy.render import display_names, notebook, parameters, readme

COLUMNS = ("published", "ours", "agrees?")


def overview(places: Places) -> Markdown:
    """What was run and what was found, which is what the first page opens with."""
    parameters.check_cells("00_overview")
    found = notebook.read(places, "findings")
    top = found[found["headline"] > 0].sort_values("headline").head(readme.HEADLINES)
    lines = [
        f"{at}. **{row['question']}** {row['answer']} ([page]({row['page']}.ipynb))"
        for at, row in enumerate(top.to_dict("records"), start=1)
    ]
    run = readme.coverage(notebook.read(places, "comparison"), notebook.read(places, "claims"))
    return _beside_pages("\n\n".join([run, "\n".join(lines), readme.MEASURES]))


def cells(places: Places) -> Markdown:
    """Published cells by table and verdict, and what the verdicts mean."""
    text = readme.verdicts(notebook.read(places, "comparison"))
    return _beside_pages(text.partition("\n\n")[2])


def _beside_pages(text: str) -> Markdown:
    """The README's text, with its links as they go from ``results/notebooks``."""
    for folder, there in (
        ("results/notebooks/", ""),
        ("results/", "../"),
        ("docs/", "../../docs/"),
    ):
        text = text.replace(f"]({folder}", f"]({there}")
    return Markdown(text)


def judged(places: Places, page: str) -> HTML:
    """The published sentences whose verdict rests on this page, folded behind their count.

    Args:
        places: the checkout.
        page: the notebook's name without its ending.

    Returns:
        A line that counts the strict verdicts, to be opened; in it a row per sentence. A sentence
        that is read in two ways has both figures and both verdicts, the strict ones first.
    """
    claims = notebook.read(places, "claims")
    claims = claims[claims["page"] == page]
    if claims.empty:
        return HTML("")
    table = pd.DataFrame([_row(one) for _, one in claims.groupby("id", sort=False)])
    strict = Counter(claims.drop_duplicates("id")["verdict"])
    counts = ", ".join(f"{name} {strict[name]}" for name in readme.CLAIM_VERDICTS if strict[name])
    head = f"Published sentences judged on this page, read strictly: {counts}"
    return HTML(f"<details><summary>{head}</summary>{notebook.html(table)}</details>")


def _row(readings: pd.DataFrame) -> dict[str, str]:
    """Open readings have no figures; what would close them stands on the page of all claims."""
    claim = readings.iloc[0]
    figures = dict.fromkeys(readings["figures"].dropna())
    verdicts = dict.fromkeys(readings["verdict"])
    cells = (
        f"{claim['claim']} ({claim['source']})",
        " / ".join(display_names.shown("figures", one) for one in figures),
        " / ".join(verdicts),
    )
    return dict(zip(COLUMNS, cells, strict=True))
