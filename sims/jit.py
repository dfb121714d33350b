"""The one place that knows Numba: every option, the cache on disk, and functions as pointers.

Kernels and strategies are compiled with `jit` (a function) or `pointer` (a function that a kernel calls through an
address). Three things are decided here and nowhere else:

- options: no GIL, NumPy's division rules, no fast-math (results must not depend on the machine);
- the cache: Numba's own notices neither an edit in another file nor a damaged one. Ours is a folder named by a digest
  of all sources of `sims` and `strategies`, the settings and the versions; each entry carries a checksum and is written
  in one rename;
- pointers: one signature a game, so that one compiled kernel serves every strategy. A kernel calls an address that
  stands in a record, like any other datum. An exception cannot leave compiled code that way, so each pointer returns a
  declared value instead.

With NUMBA_DISABLE_JIT=1 everything here is plain Python, which the tests use to compare the two.
"""

import contextlib
import ctypes
import functools
import hashlib
import inspect
import numbers
import os
import pickle
import re
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import llvmlite
import numba
import numpy as np
import platformdirs
from llvmlite import binding, ir
from numba.core.ccallback import CFunc
from numba.core.compiler import CompileResult
from numba.core.errors import NumbaError
from numba.core.serialize import dumps
from numba.np.numpy_support import as_dtype

from sims.errors import UsageError

__all__ = [
    "CACHE_VARIABLE",
    "COMPILED",
    "array_at",
    "caller",
    "has_feature",
    "intrinsic",
    "jit",
    "on_compile",
    "pointer",
    "room_for",
    "wrapping",
]

Function = TypeVar("Function", bound=Callable[..., Any])


COMPILED = not numba.config.DISABLE_JIT
CACHE_VARIABLE = "CROSSLAB_CACHE_DIR"
CACHED_PACKAGES = ("sims", "strategies")
KEEP_DAYS = 30
ENTRY_SUFFIX, TEMPORARY_PREFIX = ".bin", ".new-"
JIT_OPTIONS = {"nogil": True, "error_model": "numpy"}
POINTER_OPTIONS = {"nopython": True, **JIT_OPTIONS}

_root = Path(__file__).resolve().parent.parent
_listeners: list[Callable[[str], None]] = []


def on_compile(listener: Callable[[str], None]) -> None:
    """Call `listener(name)` whenever something has to be compiled because no cache holds it."""
    _listeners.append(listener)


def _announce(name: str) -> None:
    for listener in _listeners:
        listener(name)


# --- The cache -------------------------------------------------------------------------------------------------------


def source_digest() -> str:
    """Digest of everything that compiled code depends on: sources, settings, versions."""
    state = hashlib.blake2b(digest_size=10)
    for package in CACHED_PACKAGES:
        for path in sorted((_root / package).rglob("*.py")):
            state.update(path.relative_to(_root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    settings = sorted(f"{name}={value}" for name, value in os.environ.items() if name.startswith("NUMBA_"))
    versions = [sys.version, numba.__version__, llvmlite.__version__, np.__version__]
    state.update("\0".join([*settings, *versions]).encode())
    return state.hexdigest()


def _forget_old_folders(parent: Path, keep: Path) -> None:
    """Remove our folders that nobody has used for long; `parent` may be the user's own, so nothing else is touched."""
    limit = time.time() - KEEP_DAYS * 86_400
    for folder in parent.iterdir():
        if folder == keep or not re.fullmatch(r"[0-9a-f]{20}", folder.name) or folder.stat().st_mtime >= limit:
            continue
        with contextlib.suppress(OSError):  # another process may be at it too
            for pattern in (f"*{ENTRY_SUFFIX}", f"{TEMPORARY_PREFIX}*"):
                for path in folder.glob(pattern):
                    path.unlink()
            folder.rmdir()


@functools.cache
def cache_folder() -> Path | None:
    """Return the folder of this version's compiled code; None when none can be written to (said once, on stderr)."""
    named = os.environ.get(CACHE_VARIABLE)
    parent = Path(named) if named else Path(platformdirs.user_cache_dir("crosslab"))
    folder = parent / source_digest()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        os.utime(folder)
        _forget_old_folders(parent, folder)
    except OSError as error:
        print(
            f"crosslab: no compiled code is kept, {parent} cannot be written to ({error.strerror or error}); "
            f"set {CACHE_VARIABLE} to a folder that can",
            file=sys.stderr,
        )
        return None
    return folder


class SourceCache:
    """Numba's cache interface over one checked file an entry, in the folder of this version's digest.

    Numba keys an entry by the pickled closure, which for a closure over another compiled function is different in every
    process. Here the folder vouches for the sources, so name, signature and processor are key enough.

    Parameters
    ----------
    name
        What the entries are called.
    prepare
        Called when there is no entry, before Numba compiles.
    """

    DIGEST = 16

    def __init__(self, name: str, prepare: Callable[[], object] | None = None) -> None:
        self.name = name
        self.prepare = prepare

    @property
    def cache_path(self) -> str:
        """Where Numba's `stats` says that the cache lies."""
        return str(cache_folder())

    def _path(self, signature: Any, codegen: Any) -> Path | None:
        folder = cache_folder()
        key = hashlib.blake2b(repr((signature, codegen.magic_tuple())).encode(), digest_size=8).hexdigest()
        return None if folder is None else folder / f"{self.name}.{key}{ENTRY_SUFFIX}"

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """Return the compiled result, or None when there is none or it is damaged (it is then compiled anew)."""
        target_context.refresh()
        path = self._path(signature, target_context.codegen())
        if path is not None:
            with contextlib.suppress(OSError):
                content = path.read_bytes()
                digest, payload = content[: self.DIGEST], content[self.DIGEST :]
                if digest == hashlib.blake2b(payload, digest_size=self.DIGEST).digest():
                    return CompileResult._rebuild(target_context, *pickle.loads(payload))
        _announce(self.name)
        if self.prepare:
            self.prepare()
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Write the result under a temporary name and rename it: readers see all of it or nothing."""
        path = self._path(signature, result.codegen)
        if path is None or result.library.has_dynamic_globals or any(not lifted.can_cache for lifted in result.lifted):
            return
        payload = dumps(result._reduce())
        with contextlib.suppress(OSError):
            handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=TEMPORARY_PREFIX)
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.blake2b(payload, digest_size=self.DIGEST).digest() + payload)
            os.replace(temporary, path)

    def enable(self) -> None:
        """Do nothing: the cache is always on."""

    def disable(self) -> None:
        """Do nothing: the cache is always on."""

    def flush(self) -> None:
        """Do nothing: entries are never stale."""


def _is_ours(function: Callable[..., Any]) -> bool:
    path = Path(function.__code__.co_filename).resolve()
    return any(path.is_relative_to(_root / package) for package in CACHED_PACKAGES)


def _captured(function: Callable[..., Any]) -> str | None:
    """Return a short digest of what a function of ours closes over, "" for nothing; None when any of it is not ours.

    A name and a signature do not tell closures apart that one factory made, and the folder's digest vouches for our own
    sources only.
    """
    if not _is_ours(function):
        return None
    told = []
    for cell in function.__closure__ or ():
        held = getattr(cell.cell_contents, "py_func", cell.cell_contents)
        if inspect.isfunction(held):
            inner = _captured(held)
            if inner is None:
                return None
            told.append(_cache_name(held) + inner)
        else:
            told.append(
                repr(held) if isinstance(held, numbers.Number | np.generic | np.dtype) else type(held).__qualname__
            )
    return "." + hashlib.blake2b("\0".join(told).encode(), digest_size=6).hexdigest() if told else ""


def _cache_name(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__qualname__}".replace("<", "").replace(">", "")


# --- Functions -------------------------------------------------------------------------------------------------------


def jit(function: Function) -> Function:
    """Compile `function` at its first call; our own functions are kept in the cache."""
    if not COMPILED:
        return function
    dispatcher: Any = numba.njit(**JIT_OPTIONS)(function)
    captured = _captured(function)
    if captured is not None:
        dispatcher._cache = SourceCache(_cache_name(function) + captured)
    compiled: Function = dispatcher
    return compiled


def room_for(dtype: np.dtype[Any]) -> Any:
    """Return `make(size)` for compiled code and plain Python: an array of so many records, all zero."""

    def records(size: Any) -> Any:
        return np.zeros(size, dtype)

    def with_attributes(size: Any) -> Any:
        return np.zeros(size, dtype).view(np.recarray)

    return jit(records) if COMPILED else with_attributes


def intrinsic(function: Callable[..., Any]) -> Callable[..., Any]:
    """Declare a function of compiled code that is written in LLVM's terms, as Numba's decorator of this name does."""
    declared: Callable[..., Any] = numba.extending.intrinsic(function)
    return declared


def wrapping(function: Function) -> Function:
    """Let 64-bit arithmetic wrap around without NumPy's warning when the JIT is off; put it under `jit`."""
    if COMPILED:
        return function
    return np.errstate(over="ignore")(function)


# --- Pointers --------------------------------------------------------------------------------------------------------


_by_address: dict[int, Any] = {}  # keeps the callbacks alive; with the JIT off, calls go through it


@functools.cache
def pointer(function: Callable[..., Any], signature: Any, on_error: float) -> int:
    """Compile `function` for calls from a kernel, and return its address.

    Parameters
    ----------
    function
        A plain Python function (not one that `jit` returned).
    signature
        Its Numba signature; one for all functions that stand in the same place.
    on_error
        What a call returns when the function raises.

    Returns
    -------
    int
        The address, to be called through `caller(signature)`; it stays valid as long as the process lives.

    Raises
    ------
    UsageError
        When Numba cannot compile the function for the signature; the message has Numba's reason in one line.
    """
    if not COMPILED:
        guarded = _guarded(function, as_dtype(signature.return_type).type, on_error)
        _by_address[id(guarded)] = guarded
        return id(guarded)
    inner: Any = numba.njit(**JIT_OPTIONS)(function)
    callback: Any = CFunc(
        _catching(inner, signature, on_error), (signature.args, signature.return_type), {}, POINTER_OPTIONS
    )

    def prepare() -> None:
        inner.compile(signature.args)
        _check_returned(inner.overloads[signature.args].signature.return_type)

    try:
        if _is_ours(function):
            callback._cache = SourceCache(_cache_name(function) + ".pointer", prepare)
        else:
            _announce(function.__name__)
            prepare()
        callback.compile()
    except Exception as error:  # Numba lets KeyError, AssertionError and others of its own through
        raise UsageError(f"{function.__name__} does not compile: {_reason(error)}") from error
    _by_address[callback.address] = callback
    return int(callback.address)


def _check_returned(returned: Any) -> None:
    """Refuse a type that a function returns and that is no number, in plainer words than Numba's."""
    if isinstance(returned, numba.types.Optional | numba.types.NoneType):
        raise UsageError("it has to return a number, and there is a way through it that returns nothing")
    if not isinstance(returned, numba.types.Integer | numba.types.Float | numba.types.Boolean):
        raise UsageError(f"it has to return a number, not {textwrap.shorten(str(returned), 60)}")


def _guarded(function: Callable[..., Any], convert: Callable[[Any], Any], on_error: float) -> Callable[..., Any]:
    def guarded(*arguments: Any) -> Any:
        try:
            result = function(*arguments)
            return convert(result) if isinstance(result, numbers.Real | np.bool_) else on_error
        except Exception:
            return on_error

    return guarded


def _catching(inner: Any, signature: Any, on_error: float) -> Callable[..., Any]:
    """Return a function that calls `inner` and returns `on_error` where that raises.

    Compiled try/except would do the same at three times the price of the call: here the status that every compiled
    function returns is looked at directly.
    """

    def lower(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        result = inner.overloads[signature.args]
        context.add_linking_libs([result.library])
        status, value = context.call_internal_no_propagate(builder, result.fndesc, result.signature, arguments)
        value = context.cast(builder, value, result.signature.return_type, signature.return_type)
        return builder.select(status.is_ok, value, context.get_constant(signature.return_type, on_error))

    @intrinsic
    def attempt(_context: Any, _first: Any, _second: Any, _third: Any) -> Any:
        return signature, lower

    def call(first, second, third):  # type: ignore[no-untyped-def]
        return attempt(first, second, third)

    return call


def caller(signature: Any) -> Any:
    """Return `call(address, first, second, third)` for kernels: a call of a `pointer` of this signature."""
    if not COMPILED:
        return lambda address, *arguments: _by_address[int(address)](*arguments)

    def lower(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        function_type = ir.FunctionType(
            context.get_value_type(signature.return_type), [context.get_value_type(item) for item in signature.args]
        )
        return builder.call(builder.inttoptr(arguments[0], function_type.as_pointer()), arguments[1:])

    @intrinsic
    def call(_context: Any, _address: Any, first: Any, second: Any, third: Any) -> Any:
        # An array inside a record is the same struct as any array, but Numba has no cast between the two types.
        taken = [
            have if isinstance(have, numba.types.NestedArray) else want
            for have, want in zip((first, second, third), signature.args, strict=True)
        ]
        return signature.return_type(numba.types.uint64, *taken), lower

    return call


if COMPILED:

    @intrinsic
    def _as_pointer(_context: Any, _address: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

        return numba.types.CPointer(numba.types.float64)(numba.types.uint64), code

    @jit
    def array_at(address: Any, length: Any) -> Any:
        """Return the `length` numbers (float64) that begin at an address, as an array; nothing is copied."""
        return numba.carray(_as_pointer(np.uint64(address)), length)

else:

    def array_at(address: Any, length: Any) -> Any:
        """Return the `length` numbers (float64) that begin at an address, as an array; nothing is copied."""
        return np.ctypeslib.as_array((ctypes.c_double * int(length)).from_address(int(address)))


def _reason(error: Exception) -> str:
    """Return the line of a compiler's error that says what is wrong, and where in the user's file."""
    if not isinstance(error, NumbaError | UsageError):
        return f"{type(error).__name__}: {' '.join(str(error).split())}"
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    skipped = ("Failed in", "During:", "- ", "Traceback", "raised from", "There are", "This error", "<source", "^")
    said = [line for line in lines if not line.startswith((*skipped, 'File "'))]
    where = next((line for line in lines if line.startswith('File "')), "")
    return " ".join((said or lines)[:2] + ([f"({where.rstrip(':')})"] if where else []))


def has_feature(name: str) -> bool:
    """Whether compiled code may use an LLVM feature ("bmi2", say); False when LLVM does not know the processor.

    NUMBA_CPU_NAME and NUMBA_CPU_FEATURES come before what this machine has.
    """
    if numba.config.CPU_FEATURES is not None:
        return f"+{name}" in numba.config.CPU_FEATURES.split(",")
    try:
        return bool(binding.get_host_cpu_features().get(name, False))
    except RuntimeError:
        return False
