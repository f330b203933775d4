"""One question of one published table, answered in a notebook: the object that a notebook holds::

    study = Study("chroma_2_token_overlap", compute="missing")
    runs = study.runs("builtin", ["recursive-200-0", "token-200-0"], window=128)
    runs.scores(k=3).means()

It runs, scores and compares through the same functions as every other part of the package.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any

import pandas as pd
from IPython.core.getipython import get_ipython
from IPython.display import HTML, DisplayHandle, Image, Markdown, display
from matplotlib.figure import Figure

from chunkstudy.core.errors import StudyError
from chunkstudy.core.files import write_json, write_text
from chunkstudy.core.project import find_project
from chunkstudy.core.protocols import CORRECTED
from chunkstudy.core.settings import Settings
from chunkstudy.display import drawing, latex
from chunkstudy.display.formats import Columns, decimals, estimate, points, write_csv
from chunkstudy.display.tables import Table, as_text
from chunkstudy.notebook import claims, parameter_cells, runs, scores
from chunkstudy.notebook.answers import Answers
from chunkstudy.notebook.collection_views import counts
from chunkstudy.notebook.outputs import Kind, Outputs, make_build_writable
from chunkstudy.notebook.runs import COMPUTES, Compute, RunCache
from chunkstudy.pipeline import experiment_tables, experiments
from chunkstudy.pipeline.conditions import PRE_EMBEDDING
from chunkstudy.pipeline.experiments import Experiment, Tables
from chunkstudy.published import cells

ENCODER = "sentence-transformers/all-MiniLM-L6-v2"
OTHERWISE = "*(Here the parameters are not the study's own.)*"
NO_CLAIMS = "Claims are not judged here: the parameters are not the study's own."


class Study:
    """A notebook's study: it loads, runs, shows, and keeps what it computed.

    Tables, figures and answers are written to ``build/notebooks/NAME``. ``chunkstudy reproduce``
    and ``chunkstudy check`` alone write them to ``results``, ``figures`` and ``paper``
    (:mod:`chunkstudy.notebook.outputs`).

    Args:
        name: of the notebook, without its ending, or any other word.
        compute: ``stored`` reads the study's records; ``missing`` also runs what has none;
            ``fresh`` runs everything anew.
        shown_as: how columns of its tables are shown, by name, where they are no fractions.

    Raises:
        StudyError: for an unknown or mistyped parameter of the notebook.
        StudyError: here and later, in a sentence that says what to do.
    """

    def __init__(
        self, name: str, compute: Compute = "stored", shown_as: Columns | None = None
    ) -> None:
        if compute not in COMPUTES:
            raise StudyError(f"unknown compute {compute!r}; use one of {', '.join(COMPUTES)}")
        self.name, self.places, self._columns = name, find_project(), dict(shown_as or {})
        make_build_writable(self.places)
        self._computing = RunCache(self.places, compute)
        changed = self._changed_parameters()
        self.default = changed == {} and compute == "stored"
        """Whether what is computed is the study itself, with its own parameters."""
        self._outputs = Outputs(self.places, name, self.default)
        self._answers = Answers(once=self._outputs.staged)
        self._opening: DisplayHandle | None = None
        if changed is not None:
            self._open(changed or {"compute": compute})

    def counts(self, collection: str) -> pd.DataFrame:
        """A collection's parts, each with its documents, tokens, questions and judged excerpts."""
        return counts(self.places, collection, fresh=self._computing.compute == "fresh")

    def runs(
        self,
        collection: str,
        chunkers: Sequence[runs.Chunker],
        encoder: str = ENCODER,
        window: int | None = None,
        protocol: str = CORRECTED.name,
        ordering: str = PRE_EMBEDDING,
    ) -> runs.Runs:
        """Cut a collection, embed chunks and questions, and search; or read what that gave before.

        Args:
            collection: its name.
            chunkers: names as ``chunkstudy list`` has them, or functions of your own from a text to
                ``(start, end)`` pairs or strings.
            encoder: a model's hub id, ended by ``-bfloat16`` where it computes in half precision;
                ``none`` for what needs no search.
            window: tokens that it reads at once; its own where none is given.
            protocol: whose way of cutting and counting: ``as_published-chroma``, ``corrected``, ...
            ordering: ``pre_embedding``, or late chunking as in ``contextualized-512``.

        Raises:
            NoRecordError: if one has no record and nothing is computed.
        """
        return runs.find(collection, chunkers, encoder, window, ordering, protocol, self._computing)

    def table(
        self,
        name: str,
        frame: pd.DataFrame,
        beside: Sequence[str] = (),
        caption: str = "",
        shown_as: Columns | None = None,
        rows: str = "chunker",
        names: Sequence[str] = (),
    ) -> HTML:
        """Show a table and keep it as CSV.

        Args:
            name: of its file.
            frame: scores as fractions; for ``beside`` as :meth:`Scores.summary` gives them.
            beside: published tables to set it beside, each ``work/table`` (:meth:`beside`).
            caption: what stands above it.
            shown_as: by column, how it is shown in this table alone.
            rows: what has a row beside published tables: ``chunker``, ``collection``, ...
            names: of the columns that the page shows; its file has all.
        """
        if beside:
            frame = self.beside(frame, *beside)
        # Families are named as this table's, so that none seems to stand in two.
        own = {"family": f"{name}: " + frame["family"]} if "family" in frame else {}
        write_csv(self._outputs.path("tables", f"{name}.csv"), frame.assign(**own))
        self._wrote("tables", f"{name}.csv")
        if beside:
            return HTML(Table(scores.as_published(frame, rows)).html(caption))
        file = name if self.default else ""  # the page names the committed file
        return HTML(Table.of(frame, names, self._told(shown_as)).html(caption, file=file))

    def show(
        self,
        frame: pd.DataFrame,
        caption: str = "",
        names: Sequence[str] = (),
        shown_as: Columns | None = None,
    ) -> HTML:
        """Show a table with what its rows are called, of its columns those that are named, and keep
        nothing."""
        numbered = frame.index.names == [None]
        shown = frame if numbered else frame.reset_index()
        return HTML(Table.of(shown, names, self._told(shown_as)).html(caption))

    def beside(self, frame: pd.DataFrame, *tables: str) -> pd.DataFrame:
        """A table's numbers beside published ones, with difference and verdict
        (:func:`chunkstudy.notebook.scores.beside`)."""
        return scores.beside(self.places, tables, frame)

    def published(self, *tables: str) -> pd.DataFrame:
        """The numbers of published tables, each ``work/table``, as they are printed: a row a
        number."""
        return cells.frame(scores.printed(self.places, tables))

    def figure(self, name: str, figure: Figure, alt: str, width: int = 830) -> Image:
        """Show a figure and keep it as PNG and PDF.

        Args:
            name: of its files.
            figure: of matplotlib.
            alt: what it shows, for those who do not see it.
            width: in pixels, as shown.
        """
        png = drawing.save(figure, self._outputs.path("figures", name))
        self._wrote("figures", png.name)
        if name in drawing.IN_PAPER:
            self._wrote("figures", f"{name}.pdf")
        return Image(png, width=width, alt=alt)

    def answer(self, question: str, sentence: str, holds: bool) -> None:
        """An answer, shown at the head of the page and kept with the study's answers; with other
        parameters shown where it stands and not kept, and where its condition fails only the
        condition and its numbers.

        Args:
            question: in a reader's words; a second answer to it replaces the first.
            sentence: at most two, with the numbers just computed.
            holds: the condition under which the sentence is true.

        Raises:
            StudyError: with the study's own parameters, if the condition does not hold, and in a
                reproduction, which runs each cell once, if the question has an answer already.
        """
        if not self.default:
            caller = inspect.stack(0)[1].frame
            shown = f"{sentence} {OTHERWISE}" if holds else parameter_cells.failed(caller)
            display(Markdown(f"**{question}** {shown}"))
            return
        if not holds:
            raise StudyError(
                f"the answer to {question!r} no longer stands, since its condition broke: "
                f"{sentence} Look at the numbers and write another sentence."
            )
        self._answers.answer(question, sentence)
        self._keep()

    def claim(
        self, id: str, *numbers: object, fair: claims.Truth = None, strict: claims.Truth = None
    ) -> HTML:
        """Judge one claim of a published work (:class:`.claims.Claim`) and keep it
        for the ledger; with other parameters it is neither. All its words stand in
        ``results/published/claims.csv``.

        Args:
            id: its number there.
            numbers: on what the verdict rests, in the order in which they are named there.
            fair: whether what a reader takes from it is true, or a list, each part of that.
            strict: the same of what it literally says, where that is something else.

        Raises:
            UserError: with the study's own parameters, if it breaks the ledger's rules.
        """
        claim = claims.Claim(id, *numbers, fair=fair, strict=strict)
        return self.claims(lambda: [claim])

    def claims(self, judge: Callable[..., Iterable[claims.Claim]], *given: Any) -> HTML:
        """Judge several claims by a function that is called with what is given, and only with the
        study's own parameters, since its claims are of these. A claim that is judged again replaces
        its first verdict.

        Raises:
            UserError: with the study's own parameters, if one breaks the ledger's rules; in a
                reproduction, which runs each cell once, also if one is judged again.
        """
        if not self.default:
            return HTML(f"<p><em>{NO_CLAIMS}</em></p>")
        rows = claims.judged(self.places, judge(*given), self._answers.judged)
        self._answers.claim(rows)
        self._keep()
        return self._show_claims(rows)

    def open_claims(self) -> HTML:
        """Show the claims that this page names and that nothing at hand decides, with what each
        needs; the ledger has them from where they are listed."""
        named = {
            id: row for id, row in cells.statements(self.places).items() if row.page == self.name
        }
        rows = [row for id in named for row in claims.rows(named[id], claims.Claim(id))]
        return self._show_claims(rows)

    def number(
        self,
        name: str,
        value: float | str | pd.Series[Any] = "",
        digits: int = 1,
        interval: Sequence[float] = (),
        holds: bool = True,
        outcome: str = "",
    ) -> None:
        """Keep a number that the paper quotes, as it is written there; of a tested difference also
        ``name.alone``, without its interval, and ``name.n``, over how many questions.

        Args:
            name: ``what-it-is-of/number``.
            value: a whole number is written without decimals, a text as it is; a row with
                ``difference``, ``low``, ``high``, ``n`` and ``shown``, as comparisons have them, in
                points; nothing where the paper only rests on what holds.
            digits: decimals of any other.
            interval: its two ends, where it has one.
            holds: whether what the paper says of it is true.
            outcome: how the test of a row ends, which the paper says: ``higher``, ``lower``,
                ``equivalent`` or ``not shown``.

        Raises:
            StudyError: with the study's own parameters, if the condition does not hold or the test
                ends otherwise.
        """
        if isinstance(value, pd.Series):
            texts = {
                name: estimate(value),
                f"{name}.alone": points(value["difference"]),
                f"{name}.n": f"{value['n']:,.0f}",
            }
            holds = holds and value["shown"] == outcome
        else:
            places = 0 if isinstance(value, Integral) else digits
            ends = ", ".join(decimals(end, places) for end in interval)
            text = value if isinstance(value, str) else decimals(value, places)
            texts = {name: text + (f" [{ends}]" if ends else "")}
        if self.default and not holds:
            raise StudyError(
                f"what the paper says with {name!r} no longer holds: "
                f"{texts[name] or 'see the numbers'}; write another sentence in paper/sections."
            )
        self._answers.number(texts)
        self._keep()

    def paper_table(
        self,
        name: str,
        frame: pd.DataFrame,
        heads: Mapping[str, str],
        caption: str,
        span: latex.Span = "column",
        once: str = "",
        shorter: Mapping[str, str] | None = None,
        shown_as: Columns | None = None,
    ) -> None:
        """Write a table of the paper (:func:`chunkstudy.display.latex.table`).

        Args:
            name: behind ``tab:`` in its label.
            frame: the rows.
            heads: the columns that are set, in their order, each with its head; an interval is its
                ``low``.
            caption: a sentence or two, in LaTeX.
            span: how wide it is set.
            once: a column whose change draws a line, and which is said once.
            shorter: parts of texts that are said shorter here.
            shown_as: by column, how it is shown in this table alone.

        Raises:
            StudyError: if it lacks rows or columns.
        """
        missing = [name for name in heads if name not in frame]
        if missing or frame.empty:
            lacks = f"no column {', '.join(missing)}" if missing else "no row"
            raise StudyError(f"table {name} of the paper has {lacks}")
        shown = as_text(frame, list(heads), self._told(shown_as))
        headed = shown.set_axis(list(heads.values()), axis=1)
        text = latex.table(headed, name, caption, span, heads.get(once, ""), shorter or {})
        write_text(self._outputs.path("paper", f"paper_{name}.tex"), text)
        self._wrote("paper", f"paper_{name}.tex")

    def stored(
        self, name: str, make: Callable[[experiments.Context], Tables], kept: bool = True
    ) -> Tables:
        """The tables of a heavy experiment: as ``results/studies`` keeps them, or made anew.

        Args:
            name: of the experiment.
            make: what makes them, from a context that hands out and notes collections and models.
            kept: whether what is asked for is what is stored, and nothing else.

        Raises:
            StudyError: if it is not stored and nothing may be computed.
        """
        compute = self._computing.compute
        if kept and compute != "fresh" and (tables := experiment_tables.tables(self.places, name)):
            return tables
        if compute == "stored":
            how = "" if kept else " with these parameters"
            raise StudyError(f'the experiment {name} is not stored{how}; compute="missing" runs it')
        context = experiments.Context(self.places)
        tables = make(context)
        made_by = experiments.made_by(context, Experiment(name, question=name))
        experiment_tables.write(self.places.build / "studies" / name, tables, made_by)
        return tables

    def _told(self, shown_as: Columns | None) -> Columns:
        """How columns are shown: as all tables of the study, and as one alone."""
        return {**self._columns, **(shown_as or {})}

    def _show_claims(self, rows: Sequence[Mapping[str, str]]) -> HTML:
        names = ["id", "claim", "reading", "verdict", "numbers"]
        needs = ["needs"] if any(row["needs"] for row in rows) else []
        return self.show(pd.DataFrame(rows, columns=names + needs), shown_as=claims.SHOWN_AS)

    def _changed_parameters(self) -> dict[str, Any] | None:
        """Return the parameters that are not the study's own; None outside of its notebook.

        A reproduction takes those of the notebook's file. Any other run also compares with the page
        that was last published, so that an edited and saved cell is not taken for the study's.
        """
        shell = get_ipython()
        source = self.places.notebooks / f"{self.name}.ipynb"
        published = self.places.results / "notebooks" / source.name
        page = None if Settings.from_env().staging else published
        return parameter_cells.changed(source, shell.user_ns if shell is not None else {}, page)

    def _open(self, changed: dict[str, Any]) -> None:
        """Show where files go and where answers will be, or that this is not the study itself."""
        if self.default:
            self._opening = display(Markdown(self._head()), display_id=True)
            return
        values = ", ".join(f"{name} = {value!r}" for name, value in changed.items())
        where = self.places.display(self._outputs.folder)
        display(
            Markdown(
                f"Not the study's own parameters ({values}): tables, figures and answers go to "
                f"`{where}`, and nothing is judged."
            )
        )

    def _head(self) -> str:
        """Return the head of the page: where files go, unless they are published, and answers."""
        where = self.places.display(self._outputs.folder)
        files = (
            f"The files of this run are in `{where}`. Only `chunkstudy reproduce` changes "
            f"`results`, `figures` and `paper`. {self._outputs.comparison}".strip()
        )
        before = [] if self._outputs.staged else [files]
        return "\n\n".join([*before, *self._answers.markdown()])

    def _wrote(self, kind: Kind, name: str) -> None:
        """Say at the head of the page whether a new file equals the study's."""
        if self.default and not self._outputs.staged:
            self._outputs.compare(kind, name)
        if self._opening is not None:
            self._opening.update(Markdown(self._head()))

    def _keep(self) -> None:
        path = self._outputs.path("answers", f"{self.name}.json")
        write_json(path, self._answers.content())
        self._wrote("answers", f"{self.name}.json")
