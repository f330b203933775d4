"""Records of the old layout, a folder a condition, added to the tables of the new one.

    python convert.py OLD_RUNS_FOLDER RESULTS_RUNS_FOLDER [FOLDER_OF_LARGE_RANKINGS]

Every record is read back and held against its old files, bit by bit; nothing old is removed.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from chunkstudy.base.files import folder_lock
from chunkstudy.runs import parquet, rankings, records


def frame_of(path: Path) -> pd.DataFrame:
    table = pq.read_table(path)
    return pd.DataFrame({name: table[name].to_numpy() for name in table.column_names})


def main(old: Path, new: Path, outside: Path) -> None:
    sources = sorted(path.parent for path in old.glob("*/*/*/*/*/run.json"))
    by_table: dict[Path, list[tuple[Path, records.Run, dict]]] = defaultdict(list)
    for source in sources:
        run = records.Run.model_validate(json.loads((source / "run.json").read_text()))
        parts = (run.collection, *run.key)
        assert source.relative_to(old).as_posix() == "/".join(parts), source
        timing_path = source / "timing.json"
        timing = json.loads(timing_path.read_text()) if timing_path.exists() else {}
        by_table[records.scores_path(new, run)].append((source, run, timing))
    for path, entries in by_table.items():
        collection = new / entries[0][1].collection
        with folder_lock(collection):
            known = dict(records._runs(collection / records.CONDITIONS))
            known |= {run.key: (run, timing) for _, run, timing in entries}
            rows = {key: of for key, of in records._rows(path).items() if key in known}
            ranked_path = records.rankings_path(new, entries[0][1])
            ranked = dict(records._rows(ranked_path))
            for source, run, _ in entries:
                scores = frame_of(source / "per_query.parquet")
                rows[run.key] = scores.astype({"query_id": str})[["query_id", *run.measures]]
                ranking_path = source / "ranking.parquet"
                if ranking_path.exists() and run.ranking is not None:
                    ranking = frame_of(ranking_path)
                    assert parquet.digest(ranking) == run.ranking.sha256, source
                    if len(ranking) <= rankings.MOST_ROWS:
                        ranked[run.key] = ranking
                    else:
                        parquet.write(outside / f"{run.ranking.sha256}.parquet", ranking, rankings.PLANES)
                first = old.parent / "first_chunks" / f"{run.collection}/{'/'.join(run.key)}.parquet"
                if first.exists():
                    ranked[run.key] = frame_of(first).assign(score=np.float32("nan"))
            measures = dict.fromkeys(m for key in sorted(rows) for m in known[key][0].measures)
            if ranked:
                columns = list(next(iter(ranked.values())).columns)
                assert all(set(frame) == set(columns) for frame in ranked.values()), ranked_path
                records._write(ranked_path, ranked, columns, rankings.PLANES)
            records._write(path, rows, ["query_id", *measures])
            table = [records._row(*known[key]) for key in sorted(known)]
            names = dict.fromkeys(name for row in table for name in row)
            parquet.write_table(
                collection / records.CONDITIONS,
                {name: [row.get(name) for row in table] for name in names},
            )
        print(path, len(entries), flush=True)
    verify(old, new, outside, sources)


def verify(old: Path, new: Path, outside: Path, sources: list[Path]) -> None:
    ranked = firsts = 0
    for source in sources:
        raw = json.loads((source / "run.json").read_text())
        run = records.Run.model_validate(raw)
        record = records.Record(new, *records._runs(new / run.collection / records.CONDITIONS)[run.key])
        assert record.run.model_dump(mode="json") == raw, source
        if (source / "timing.json").exists():
            assert record.timing == json.loads((source / "timing.json").read_text()), source
        scores = frame_of(source / "per_query.parquet").astype({"query_id": str})
        scores = scores.set_index("query_id")[run.measures]
        assert record.scores.index.tolist() == scores.index.tolist(), source
        assert record.scores.to_numpy().tobytes() == scores.to_numpy().tobytes(), source
        assert records.scores_sha256(record.scores) == raw["per_query_sha256"], source
        if (source / "ranking.parquet").exists():
            ranking = frame_of(source / "ranking.parquet")
            again = record.ranking(outside)
            assert again is not None and parquet.digest(again) == raw["ranking"]["sha256"], source
            assert list(again) == list(ranking) and (again.dtypes == ranking.dtypes).all(), source
            assert all(again[c].to_numpy().tobytes() == ranking[c].to_numpy().tobytes() for c in ranking)
            ranked += 1
        first = old.parent / "first_chunks" / f"{run.collection}/{'/'.join(run.key)}.parquet"
        if first.exists():
            pd.testing.assert_frame_equal(record.first_chunks(), frame_of(first))
            firsts += 1
    print(f"{len(sources)} records, {ranked} rankings and {firsts} first chunks read back as they were")


if __name__ == "__main__":
    old, new = Path(sys.argv[1]), Path(sys.argv[2])
    main(old, new, Path(sys.argv[3]) if sys.argv[3:] else new.parents[1] / "build" / "rankings")
