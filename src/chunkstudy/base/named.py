"""A function by its name, imported when it is called: tables name what most runs never use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Named:
    """A function of this package that is imported when it is called.

    Attributes:
        name: its file and its own name, ``collections.qmsum:load_within``.
        arguments: that come before those of the call.
        keywords: that come beside them.
    """

    name: str
    arguments: tuple[object, ...] = ()
    keywords: tuple[tuple[str, object], ...] = ()

    @property
    def function(self) -> Callable[..., Any]:
        """The function itself.

        Raises:
            ImportError, AttributeError: if there is none of that name.
        """
        file, _, name = self.name.partition(":")
        function: Callable[..., Any] = getattr(import_module(f"chunkstudy.{file}"), name)
        return function

    def __call__(self, *arguments: object, **keywords: object) -> Any:
        return self.function(*self.arguments, *arguments, **dict(self.keywords), **keywords)
