"""The experiments of the study: the modules below ``studies`` that define one."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from inspect import isfunction
from types import ModuleType

from chunkstudy import studies
from chunkstudy.runs.study_results import StudyError
from chunkstudy.runs.study_runs import Experiment

ROOT = f"{studies.__name__}."


def every() -> dict[str, Experiment]:
    """Every experiment by its name; all of ``studies`` is imported, which takes seconds."""
    modules = (importlib.import_module(ROOT + path) for path in _paths())
    experiments = {one.name: one for one in map(of, filter(_defines_one, modules))}
    return dict(sorted(experiments.items()))


def of(module: ModuleType) -> Experiment:
    """The experiment of a module; called as its path below ``studies`` unless it says ``NAME``."""
    path = module.__name__.removeprefix(ROOT)
    return Experiment.of(module, path.replace(".", "-").replace("_", "-"))


def module_of(name: str) -> ModuleType:
    """The module of an experiment by its path, ``boundary_signals`` or
    ``late_chunking.word_search``, or by its name, ``word-search``.

    Raises:
        StudyError: if there is none, with the names there are.
    """
    # Each import takes time: first those whose path holds the name.
    likely = f"_{name.replace('-', '_').replace('.', '_')}_"
    for path in sorted(_paths(), key=lambda path: likely not in f"_{path.replace('.', '_')}_"):
        module = importlib.import_module(ROOT + path)
        if _defines_one(module) and name in (path, of(module).name):
            return module
    raise StudyError(f"unknown study {name!r}; use one of {', '.join(every())}")


def _paths() -> Iterator[str]:
    """Every module below ``studies``, by its path with dots; nothing is imported."""
    (root,) = studies.__path__
    for info in pkgutil.iter_modules([root]):
        yield info.name
        inner = pkgutil.iter_modules([f"{root}/{info.name}"]) if info.ispkg else ()
        yield from (f"{info.name}.{one.name}" for one in inner)


def _defines_one(module: ModuleType) -> bool:
    """Whether a module defines an experiment itself."""
    tables = getattr(module, "tables", None)
    own = isfunction(tables) and tables.__module__ == module.__name__
    return hasattr(module, "COLLECTIONS") and (own or hasattr(module, "PLAN"))
