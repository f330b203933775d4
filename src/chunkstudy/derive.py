"""What is derived around the notebooks: before them published numbers beside ours, after them what
README and paper quote."""

from __future__ import annotations

import pandas as pd

from chunkstudy.files import write_text
from chunkstudy.paper import macros
from chunkstudy.places import Places
from chunkstudy.published.predictions import outcomes, register
from chunkstudy.render import answers, cluster_page, notebook, readme
from chunkstudy.render.formats import write_csv


def compared(places: Places) -> pd.DataFrame:
    """Every published cell beside ours, with its verdict and the predictions that are about it."""
    found = outcomes.known(places).comparison
    return found.join(outcomes.of_cells(found, register.read(places).predictions))


def comparison(places: Places) -> str:
    """Write ``results/comparison.csv``."""
    found = compared(places)
    write_csv(places.results / "comparison.csv", found.drop(columns="place"))
    return f"{len(found):,} published numbers"


def publish(places: Places) -> str:
    """Write what README and paper quote, from tables and the notebooks' answers."""
    write_text(places.generated / f"{macros.NAME}.tex", macros.text(answers.numbers(places)))
    readme.fill(places)
    cluster_page.fill(places)
    return "README and the paper's numbers"


def written(places: Places) -> dict[str, pd.DataFrame]:
    """Every table as it was written, ``comparison`` among them; a text that is not there is empty,
    as where it was derived."""
    names = [path.stem for path in places.tables.glob("*.csv")]
    found = {name: notebook.read(places, name) for name in (*names, "comparison")}
    texts = {name: frame.select_dtypes(exclude="number").columns for name, frame in found.items()}
    return {name: frame.fillna(dict.fromkeys(texts[name], "")) for name, frame in found.items()}
