"""Derived tables by value, before and after: ``python -m tests.compare_tables [OLD] [NEW]``.

OLD and NEW are folders with ``results/`` in them, or revisions of git; by default HEAD and the
folder one is in. Rows are matched by what they say beside numbers, equal ones by their order, so
that the order of rows and columns does not matter; numbers are equal to the twelfth digit. A line
tells what was added, dropped, or moved; the exit status is 0 where nothing is told.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath

import numpy as np
import pandas as pd
from pandas.api.types import is_float_dtype, is_numeric_dtype

TABLES = ("results/tables/*.csv", "results/comparison.csv", "results/claims.csv",
          "results/studies/*/*.csv", "results/studies/*/*.parquet")  # fmt: skip
DIGITS = 12
SHOWN = 60
Tables = Mapping[str, pd.DataFrame]


def tables(where: str) -> dict[str, pd.DataFrame]:
    """The derived tables of a folder or a revision, by path without ending, since a table that
    grows long becomes Parquet.

    Raises:
        ValueError: if it is neither.
    """
    root = Path(where)
    if root.is_dir():
        files = {p.relative_to(root): p.read_bytes() for one in TABLES for p in root.glob(one)}
    else:
        packed = subprocess.run(["git", "archive", where, "results"], capture_output=True)
        if packed.returncode:
            raise ValueError(f"{where} is neither a folder nor a revision that has results/")
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
            inside = {Path(one.name): archive.extractfile(one) for one in archive}
            wanted = [one for one in inside if any(map(one.match, TABLES))]
            files = {one: file.read() for one in wanted if (file := inside[one])}
    return {one.with_suffix("").as_posix(): _read(one, files[one]) for one in sorted(files)}


def _read(path: PurePath, content: bytes) -> pd.DataFrame:
    file = io.BytesIO(content)
    if path.suffix == ".parquet":
        found = pd.read_parquet(file)
    else:
        found = pd.read_csv(file, low_memory=False, keep_default_na=False, na_values=[""])
    words = found.select_dtypes(exclude="number").columns
    return found.assign(**{name: found[name].astype(str).fillna("") for name in words})


def compare(old: Tables, new: Tables) -> Iterator[str]:
    """What is told of two trees, a line each."""
    if not set(old) & set(new):
        yield "the two trees have no table in common, so there is nothing to compare"
        return
    yield from (f"{name}: dropped" for name in old if name not in new)
    yield from (f"{name}: added" for name in new if name not in old)
    for name in (name for name in old if name in new):
        yield from (f"{name}: {line}" for line in _changes(old[name], new[name]))


def _changes(old: pd.DataFrame, new: pd.DataFrame) -> Iterator[str]:
    yield from (f"column {name!r} dropped" for name in old if name not in new)
    yield from (f"column {name!r} added" for name in new if name not in old)
    both = [str(one) for one in new if one in old]
    numbers = [one for one in both if all(is_numeric_dtype(t[one]) for t in (old, new))]
    whole = [one for one in numbers if not any(is_float_dtype(t[one]) for t in (old, new))]
    words = [one for one in both if one not in numbers]
    key = [*words, *whole]
    rows, others = _paired(old, new, key)
    # Where a whole number moved, the words alone tell the row.
    left, right = old.drop(old.index[rows]), new.drop(new.index[others])
    again = _paired(left, right, words)
    rows = [*rows, *left.index[again[0]]]
    others = [*others, *right.index[again[1]]]
    for table, known, what in ((old, rows, "vanished"), (new, others, "appeared")):
        if len(alone := table.drop(table.index[known])):
            yield f"rows {what}: {len(alone)}, first {_said(alone.iloc[0], key)}"
    yield from _moved(old.iloc[rows], new.iloc[others], numbers, key)


def _paired(old: pd.DataFrame, new: pd.DataFrame, key: Sequence[str]) -> tuple[list[int], ...]:
    """Places of the rows with the same key in both, equal ones by their order."""
    before, after = (_keys(table, key) for table in (old, new))
    places = after.get_indexer(before)
    return np.flatnonzero(places >= 0).tolist(), places[places >= 0].tolist()


def _keys(table: pd.DataFrame, key: Sequence[str]) -> pd.Index:
    said = pd.Series("", table.index, dtype=str).str.cat(table[list(key)].astype(str), sep="\t")
    return pd.Index(said + "\t" + said.groupby(said).cumcount().astype(str))


def _moved(
    old: pd.DataFrame, new: pd.DataFrame, numbers: Sequence[str], key: Sequence[str]
) -> Iterator[str]:
    for name in numbers:
        was, now = (table[name].to_numpy(float) for table in (old, new))
        moved = ~np.isclose(was, now, rtol=10.0**-DIGITS, atol=0, equal_nan=True)
        if moved.any():
            with np.errstate(invalid="ignore"):
                share = np.abs(was - now) / np.maximum(np.abs(was), np.abs(now))
            at = int(np.where(moved, np.nan_to_num(share, nan=np.inf), -1).argmax())
            yield (
                f"numbers moved in column {name!r}: {moved.sum()}, most by {share[at]:.1e} of it, "
                f"from {was[at]:.12g} to {now[at]:.12g} in {_said(new.iloc[at], key)}"
            )


def _said(row: pd.Series, key: Sequence[str]) -> str:
    return "the row of " + ", ".join(f"{name} {str(row[name])[:SHOWN]}" for name in key)


def main(old: str = "HEAD", new: str = ".") -> int:
    lines = list(compare(tables(old), tables(new)))
    print("\n".join(lines), end="\n" * bool(lines))
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
