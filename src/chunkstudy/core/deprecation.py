"""Old names of parameters, accepted for one release."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def accept_old_names(**names: str) -> Callable[[Function], Function]:
    """Accept a function's old keyword names, with a DeprecationWarning.

    Args:
        names: the new name of each old one.
    """

    def decorate(function: Function) -> Function:
        signature = inspect.signature(function)
        unknown = set(names.values()) - signature.parameters.keys()
        assert not unknown, f"{function.__name__} has no parameter {', '.join(unknown)}"

        @functools.wraps(function)
        def accept(*args: Any, **kwargs: Any) -> Any:
            for old in names.keys() & kwargs.keys():
                new = names[old]
                if new in kwargs:
                    raise TypeError(f"{function.__name__}() got {old!r} and {new!r}; use {new!r}")
                warnings.warn(
                    f"{function.__name__}(): {old!r} is now called {new!r}",
                    DeprecationWarning,
                    stacklevel=2,
                )
                kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return accept  # type: ignore[return-value]

    return decorate
