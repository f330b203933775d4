"""How the columns of this page's tables are shown."""

from __future__ import annotations

from chunkstudy.show.columns import Columns, named

COLUMNS: Columns = {"context": named("context"), "beside": named("context")}
