"""What the notebooks on Chroma's report need beyond a cell: its tables, counts and figures."""

from chunkstudy.studies.chroma.figures import figure_beside_published
from chunkstudy.studies.chroma.tables import Reproduction, minilm_table, reproduction, sizes

__all__ = ["Reproduction", "figure_beside_published", "minilm_table", "reproduction", "sizes"]
