"""Digests of a user's function: equal digests mean the same code with the same values.

A digest holds the source file of a function, or in a notebook the source of the function and of the
functions and values that it names; its byte code, default values and closure; and of an object its
class and its attributes. Values are pickled, with functions and classes replaced by their digests.

Modules of the user count by their files and by those of the modules of the user that they name. Of
an object of a user's class that a file names, the attributes that are plain data count.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import linecache
import pickle
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from chunkstudy.core.errors import ResourceError

NO_SOURCE = frozenset({"<stdin>", "<string>"})
"""File names of code whose source is kept nowhere, or mixed up with that of other code."""
LIBRARIES = tuple(
    Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib")
)
KINDS = (ModuleType, FunctionType, type)
SKIPPED = ("__dict__", "__weakref__", "__doc__", "__module__", "__annotations__", "__slots__")


def parts(function: Any) -> dict[str, str]:
    """Return the digests of a callable's code and of each value that it holds, by name.

    Raises:
        ResourceError: if the source is not found, or a value cannot be pickled.
    """
    return {name: _digest(value) for name, value in _held("", function, set())}


def _held(name: str, value: Any, met: set[int]) -> Iterator[tuple[str, Any]]:
    """Yield what decides the results of a callable, by name; a value that is none as it is.

    Args:
        name: name of the value.
        value: the callable, or what one holds.
        met: ids of the functions that were met before; they are left out.
    """
    if isinstance(value, functools.partial):
        yield from _held(f"{name}.partial", value.func, met)
        yield f"{name}.args", (value.args, sorted(value.keywords.items()))
    elif isinstance(value, MethodType):
        yield from _held(f"{name}.method", value.__func__, met)
        yield from _attributes(name, value.__self__, met)
    elif isinstance(value, FunctionType):
        if id(value) not in met:
            met.add(id(value))
            yield from _inside(name, value, met)
    elif name or isinstance(value, BuiltinFunctionType | type) or hasattr(value, "__wrapped__"):
        yield name, value
    else:
        yield from _attributes(name, value, met)


def _inside(name: str, function: FunctionType, met: set[int]) -> Iterator[tuple[str, Any]]:
    """Yield the code of a function, its default values, its closure, and what it names."""
    yield f"{name}.code", _Code(function)
    yield f"{name}.defaults", (function.__defaults__, function.__kwdefaults__)
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    for variable, cell in cells:
        with contextlib.suppress(ValueError):  # it is empty yet
            yield from _held(f"{name}.closure.{variable}", cell.cell_contents, met)
    for variable, value in _globals(function):
        yield from _held(f"{name}.global.{variable}", value, met)


def _attributes(name: str, value: Any, met: set[int]) -> Iterator[tuple[str, Any]]:
    """Yield the class and the attributes of an object, or the object if it has none."""
    yield f"{name}.class", type(value)
    slots = any(getattr(kind, "__slots__", ()) for kind in type(value).__mro__)
    if isinstance(value, type | ModuleType) or slots or not hasattr(value, "__dict__"):
        yield f"{name}.value", value
        return
    for attribute, content in vars(value).items():
        yield from _held(f"{name}.attribute.{attribute}", content, met)


class _Code:
    """The code of a function without its values."""

    def __init__(self, function: FunctionType) -> None:
        self.function = function


class _Stream:
    """A file to pickle into that keeps a digest alone."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()

    def write(self, data: Any) -> int:
        self.digest.update(data)  # bytes, or a buffer of a large array
        return memoryview(data).nbytes


def _digest(value: Any) -> str:
    """Return the sha256 of a value's pickle."""
    for fast in (True, False):  # without a memo equal values have equal pickles; cycles need one
        pickler = _Pickler(stream := _Stream())
        pickler.fast = fast
        try:
            pickler.dump(value)
            return stream.digest.hexdigest()
        except ResourceError:
            raise
        except Exception as error:
            cause = error
    raise ResourceError(f"a value that it holds cannot be pickled ({cause})") from cause


class _Pickler(pickle.Pickler):
    """A pickler that replaces functions, classes and modules by what decides their results."""

    def __init__(self, stream: _Stream) -> None:
        super().__init__(stream, protocol=5)
        self._met: dict[int, int] = {}

    def persistent_id(self, value: Any) -> Any:
        """Return a stand-in for code; None for data, which is pickled."""
        if isinstance(value, set | frozenset):
            return ("set", sorted(map(_digest, value)))
        torch = sys.modules.get("torch")
        if torch and isinstance(value, torch.Tensor):  # its pickle holds an address
            flat = value.detach().cpu().contiguous().reshape(-1)
            return ("tensor", str(value.dtype), tuple(value.shape), flat.view(torch.uint8).numpy())
        if isinstance(value, ModuleType):
            path = _path(value)
            return ("module", value.__name__, _file_digest(path) if path else "")
        if not isinstance(value, _Code) and not callable(value):
            return None
        if isinstance(value, FunctionType | type):  # which may name themselves
            if id(value) in self._met:
                return ("met", self._met[id(value)])
            self._met[id(value)] = len(self._met)
        return _stand_in(value)


def _stand_in(value: Any) -> tuple[Any, ...] | None:
    """Return what stands for a piece of code; None for an object that is pickled."""
    if isinstance(value, _Code):
        function = value.function
        return ("code", function.__qualname__, _source(function), _byte_code(function.__code__))
    if isinstance(value, FunctionType):
        return ("function", *_inside("", value, set()))
    if isinstance(value, MethodType):
        return ("method", value.__func__, value.__self__)
    if isinstance(value, functools.partial):
        return ("partial", value.func, value.args, sorted(value.keywords.items()))
    if isinstance(value, type):
        bases = [base for base in value.__mro__ if base is not object]
        return ("class", *map(_described, bases))
    if isinstance(value, BuiltinFunctionType):
        return ("built-in", value.__module__, value.__qualname__)
    if type(value).__module__ in ("builtins", "functools") and hasattr(value, "__wrapped__"):
        return ("wrapped", type(value).__name__, value.__wrapped__)
    return None


def _described(kind: type) -> tuple[Any, ...]:
    """Return the name of a class with its file, or with its members if it has none."""
    name = (kind.__module__, kind.__qualname__)
    if kind.__module__ == "builtins":
        return name
    if path := _path(kind):
        return (*name, _file_digest(path))
    members: list[tuple[str, Any]] = []
    for key, member in vars(kind).items():
        plain = isinstance(member, FunctionType)
        generated = plain and key.startswith("__") and member.__code__.co_filename == "<string>"
        if key in SKIPPED or key.startswith(("_abc_", "__dataclass_")) or generated:
            continue
        if isinstance(member, staticmethod | classmethod):
            members.append((key, member.__func__))
        elif isinstance(member, property):
            members.append((key, (member.fget, member.fset)))
        elif not inspect.ismemberdescriptor(member):
            members.append((key, member))
    return (*name, members)


def _source(function: FunctionType) -> str:
    """Return the digest of the file of a function, or of its own source in a notebook."""
    name = function.__code__.co_filename
    if name not in NO_SOURCE:
        if Path(name).is_file():
            return _file_digest(Path(name))
        if lines := linecache.getlines(name):
            with contextlib.suppress(SyntaxError):  # it begins within a line
                lines = inspect.getblock(lines[function.__code__.co_firstlineno - 1 :])
            return hashlib.sha256("".join(lines).encode()).hexdigest()
    raise ResourceError(f"the source of {function.__qualname__} is not found")


def _byte_code(code: CodeType) -> str:
    """Return the instructions, names and constants of code as one text."""
    constants = [
        _byte_code(one)
        if isinstance(one, CodeType)
        else sorted(map(repr, one))
        if isinstance(one, frozenset)
        else repr(one)
        for one in code.co_consts
    ]
    names = (code.co_names, code.co_varnames, code.co_freevars)
    return repr((code.co_code, names, constants))


def _globals(function: FunctionType, met: set[int] | None = None) -> Iterator[tuple[str, Any]]:
    """Yield what a function names outside of itself: code of the user, and values.

    Args:
        function: the function.
        met: ids of the functions of files that were met before; they are left out.
    """
    in_file = Path(function.__code__.co_filename).is_file()
    met = {id(function)} if met is None else met
    for name in sorted(_names(function.__code__)):
        value = function.__globals__.get(name)
        if in_file and isinstance(value, functools._lru_cache_wrapper):
            value = inspect.unwrap(value)
        if isinstance(value, KINDS):
            path = _path(value)
            if path and not _is_library(path):
                yield name, sorted(map(_file_digest, _users_files(value)))
                if isinstance(value, FunctionType) and id(value) not in met:
                    met.add(id(value))
                    yield from ((f"{name}.{inner}", one) for inner, one in _globals(value, met))
            elif not path and not in_file and getattr(value, "__module__", "") == "__main__":
                yield name, value
        elif _is_data(value) or (not in_file and _is_users(value)):
            yield name, value
        elif in_file and _has_users_class(value, function):
            yield name, {key: one for key, one in _variables(value).items() if _is_data(one)}


def _names(code: CodeType) -> set[str]:
    """Return the names that code and the code inside it look up."""
    inner = [one for one in code.co_consts if isinstance(one, CodeType)]
    return set(code.co_names).union(*map(_names, inner))


def _is_data(value: Any) -> bool:
    """Return True for plain values, arrays, and collections of them."""
    if isinstance(value, Mapping):
        return all(_is_data(one) for pair in value.items() for one in pair)
    if isinstance(value, list | tuple | set | frozenset):
        return all(map(_is_data, value))
    plain = bool | int | float | complex | str | bytes | None
    return isinstance(value, plain) or type(value).__module__.split(".")[0] == "numpy"


def _is_users(value: Any) -> bool:
    """Return True for an object of a notebook's class, and for a wrapped function or a method."""
    wrapped = isinstance(value, functools.partial | MethodType) or hasattr(value, "__wrapped__")
    return wrapped or type(value).__module__ == "__main__"


def _path(value: Any) -> Path | None:
    """Return the file of a module, function or class; None if it has none."""
    if isinstance(value, FunctionType):
        name = value.__code__.co_filename
    else:
        module = sys.modules.get(value.__module__) if isinstance(value, type) else value
        name = getattr(module, "__file__", None) or ""
    return Path(name) if Path(name).is_file() else None


def _users_files(value: Any) -> set[Path]:
    """Return the files of a module, function or class and of all the user's modules behind it."""
    files: set[Path] = set()
    left = [value]
    while left:
        one = left.pop()
        path = _path(one)
        if path is None or path in files or _is_library(path):
            continue
        files.add(path)
        if isinstance(one, FunctionType):
            named = one.__globals__
        else:
            named = vars(one if isinstance(one, ModuleType) else sys.modules[one.__module__])
        left += [each for each in named.values() if isinstance(each, KINDS)]
    return files


def _has_users_class(value: Any, function: FunctionType) -> bool:
    """Return True for an object of a class of the function's file or of another user's file."""
    kind = type(value)
    path = _path(kind)
    beside = kind.__module__ == function.__globals__.get("__name__")
    return beside or (path is not None and not _is_library(path))


def _variables(value: Any) -> Mapping[str, Any]:
    """Return the attributes of an object by name; none if it has slots."""
    return getattr(value, "__dict__", {})


def _is_library(path: Path) -> bool:
    return any(path.resolve().is_relative_to(folder) for folder in LIBRARIES)


def _file_digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def stable_digest(function: Callable[..., Any], before: Mapping[str, str]) -> str:
    """Return one digest of a callable after it was called.

    Values that differ from those before the call are left out: the function keeps notes there.

    Args:
        function: the callable.
        before: what :func:`parts` gave before the call.

    Raises:
        ResourceError: if the source is not found, or a value cannot be pickled.
    """
    after = parts(function)
    kept = sorted((name, d) for name, d in after.items() if before.get(name, d) == d)
    changed = sorted(after.keys() | before.keys())
    return hashlib.sha256(repr((kept, changed)).encode()).hexdigest()
