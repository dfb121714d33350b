"""The contract check: whether a strategy keeps to what the simulators rely on.

A strategy is tried in a process of its own, so that an endless loop or a crash is a finding, not a hang. That process
gets its job as one line of JSON and answers in lines of JSON: before each step it says what it is about to do, so that
the parent can name the position that it did not come back from, and kills it at the deadline. What it does there is in
`strategies.trial`.
"""

import base64
import contextlib
import dataclasses
import json
import os
import queue
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import cloudpickle

from sims.errors import UsageError
from sims.game import Game, find_game
from strategies.api import Strategy
from strategies.specs import find_strategy

__all__ = ["RULES", "CheckReport", "Finding", "check"]

# What is looked at, in the order in which it is told.
RULES: Mapping[str, str] = {
    "compiles": "Numba compiles it",
    "raises": "no exception",
    "legal": "every move is legal",
    "numbers": "every value is a number",
    "repeatable": "asked twice in a row, it answers the same",
    "memory": "asked again after other positions, it answers the same",
    "plain": "compiled code and plain Python answer the same",
    "view": "the position and the parameters stay as they are",
    "symbols": "what the rules treat alike (symbols, colours) it treats alike",
    "speed": "how fast it plays",
    "time": "it answers within the time limit",
    "process": "the process that it runs in lives on",
}

DEALS = 20
WIDTH = 80
COMPILING = "compiling"  # what the process says that it is doing
KEPT_OUTPUT = 2_000  # characters of what the process printed last


# --- Reports ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Finding:
    """What came out for one rule.

    Attributes
    ----------
    rule
        One of `RULES`.
    passed
        Whether the rule is kept; None for information, which is neither good nor bad.
    message
        One line.
    details
        More lines: the position, a traceback; may be empty.
    """

    rule: str
    passed: bool | None
    message: str
    details: str = ""


@dataclass(frozen=True)
class CheckReport:
    """All findings about one strategy.

    Attributes
    ----------
    strategy
        Its spec; the file's name when the file did not get as far as declaring one.
    findings
        One for each rule that was reached, in the order of `RULES`.
    """

    strategy: str
    findings: tuple[Finding, ...]

    @property
    def passed(self) -> bool:
        """Whether no rule was found broken."""
        return all(finding.passed is not False for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return {**dataclasses.asdict(self), "findings": [dataclasses.asdict(item) for item in self.findings]} | {
            "passed": self.passed
        }

    def text(self) -> str:
        """Return the report for people, at most 80 columns wide: a line for each rule, its details below."""
        lines = _wrapped(f"{self.strategy}: {'ok' if self.passed else 'FAILED'}", "", "  ")
        for finding in self.findings:
            word = {True: "ok", False: "FAILED", None: "info"}[finding.passed]
            lines += _wrapped(finding.message, f"  {word:<7} {finding.rule:<11} ", " " * 22)
            for line in finding.details.splitlines():
                lines += _wrapped(line, " " * 10, " " * 12)
        return "\n".join(lines)


def _wrapped(text: str, first: str, later: str) -> list[str]:
    wrapper = textwrap.TextWrapper(
        WIDTH, initial_indent=first, subsequent_indent=later, break_on_hyphens=False, drop_whitespace=True
    )
    return wrapper.wrap(text) or [first.rstrip()]


# --- The parent ------------------------------------------------------------------------------------------------------


def check(
    game: str | Game, target: "str | Path | Strategy", *, seconds: float = 30.0, deals: int = DEALS
) -> list[CheckReport]:
    """Try whether strategies keep the contract.

    Parameters
    ----------
    game
        The game, or its name.
    target
        A spec such as "my_ideas.py:spiral", a file such as "my_ideas.py" (all of its strategies for the game), or a
        `Strategy`. One that its spec finds again travels to the process by its spec; any other (defined in a notebook,
        say) travels by cloudpickle, together with what it uses of its module.
    seconds
        Time limit for each strategy, compiling included. The game itself is compiled before the clock starts.
    deals
        Whole games that are played for each variant, number of seats and rate of random moves among its own.

    Returns
    -------
    list of CheckReport
        One report a strategy, in the order of their declaration.

    Raises
    ------
    UsageError
        When there is no such game or strategy, or its declaration is refused: a wrong signature, a name that is taken,
        a file that cannot be imported.
    """
    game = find_game(game)
    if not 0 < seconds < float("inf"):
        raise UsageError(f"seconds={seconds!r} does not fit: it takes a number above 0")
    if deals < 1:
        raise UsageError(f"deals={deals!r} does not fit: it takes a whole number from 1")
    told = _Told(str(target) if isinstance(target, str | Path) else find_strategy(game.name, target).spec)
    job = {"game": game.name, "seconds": seconds, "deals": deals, "path": list(map(str, sys.path)), **_address(target)}
    while not told.finished:
        # A process that died or was killed has left a report; the next one goes on with the strategy behind it.
        _run({**job, "skip": len(told.reports)}, seconds, told)
    return told.reports


def _address(target: "str | Path | Strategy") -> dict[str, str]:
    """Return how another process finds the target: its spec, or its code."""
    if not isinstance(target, Strategy):
        return {"spec": str(target).strip()}
    if target.named:
        return {"spec": target.spec}
    # By value: another process may not be able to import the module (a notebook, a script), or would find it changed.
    module = sys.modules.get(target.function.__module__)
    by_value = module is not None and module.__name__.partition(".")[0] not in ("sims", "strategies", "__main__")
    if by_value:
        cloudpickle.register_pickle_by_value(module)
    try:
        return {"pickle": base64.b64encode(cloudpickle.dumps(target)).decode()}
    except Exception as error:
        raise UsageError(
            f"{target.name} cannot travel to another process ({type(error).__name__}: {' '.join(str(error).split())}): "
            "write it to a file and check FILE.py:NAME"
        ) from error
    finally:
        if by_value:
            cloudpickle.unregister_pickle_by_value(module)


@dataclass
class _Told:
    """What the processes have told so far."""

    target: str
    reports: list[CheckReport] = field(default_factory=list)
    finished: bool = False
    count: int = 0  # of strategies that the target stands for
    strategy: str | None = None
    findings: dict[str, Finding] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)
    since: float = 0.0  # when it said so

    def close(self, *more: Finding) -> None:
        """End the report of the strategy that is being checked."""
        found = self.findings | {finding.rule: finding for finding in more}
        ordered = tuple(found[rule] for rule in RULES if rule in found)
        self.reports.append(CheckReport(self.strategy or self.target, ordered))
        self.strategy, self.findings = None, {}

    def break_off(self, finding: Finding) -> None:
        """End the report with a finding that ended the process; nothing follows when no strategy was reached."""
        unreached = self.strategy is None
        self.close(finding)
        self.finished = unreached or len(self.reports) == self.count


def _run(job: Mapping[str, Any], seconds: float, told: _Told) -> None:
    """Run one process until it has finished, died, or come to its deadline."""
    root = str(Path(__file__).resolve().parent.parent)
    paths = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", "from strategies.trial import answer; answer()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    told.about = {"doing": "starting"}
    lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    printed = bytearray()
    readers = [
        threading.Thread(target=_read_lines, args=(process.stdout, lines), daemon=True),
        threading.Thread(target=_read_tail, args=(process.stderr, printed), daemon=True),
    ]
    for reader in readers:
        reader.start()
    try:
        with contextlib.suppress(OSError):  # it died at once: its exit code says more
            process.stdin.write(json.dumps(job).encode() + b"\n")
            process.stdin.flush()
        if not _listen(lines, seconds, told):
            code = process.wait()
            readers[1].join(timeout=1)
            told.break_off(_death(code, told.about, printed.decode(errors="replace")))
    finally:
        process.kill()
        process.wait()
        with contextlib.suppress(OSError):
            process.stdin.close()
        for reader, pipe in zip(readers, (process.stdout, process.stderr), strict=True):
            reader.join(timeout=1)
            if not reader.is_alive():  # else a process that the strategy started holds the pipe
                pipe.close()


def _read_lines(pipe: IO[bytes], lines: "queue.SimpleQueue[bytes | None]") -> None:
    for line in pipe:
        lines.put(line)
    lines.put(None)


def _read_tail(pipe: IO[bytes], kept: bytearray) -> None:
    while content := pipe.read1(65_536):  # type: ignore[attr-defined]
        kept += content
        del kept[:-KEPT_OUTPUT]


def _listen(lines: "queue.SimpleQueue[bytes | None]", seconds: float, told: _Told) -> bool:
    """Take in what the process tells; return False when it ended without having finished."""
    deadline = float("inf")
    while True:
        remaining = deadline - time.monotonic()
        try:
            line = lines.get(timeout=None if remaining == float("inf") else max(remaining, 0.0))
        except queue.Empty:
            told.break_off(_too_late(seconds, time.monotonic() - told.since, told.about))
            return True
        if line is None:
            return False
        match json.loads(line):
            case {"about": about}:
                told.about, told.since = about, time.monotonic()
            case {"clock": _}:
                deadline = time.monotonic() + seconds
            case {"count": count}:
                told.count = count
            case {"begin": spec}:
                told.strategy = spec
                deadline = time.monotonic() + seconds
            case {"finding": finding}:
                told.findings[finding["rule"]] = Finding(**finding)
            case {"end": _}:
                told.close()
            case {"usage": message}:
                raise UsageError(message)
            case {"finished": _}:
                told.finished = True
                return True


def _last(about: Mapping[str, str]) -> str:
    return " ".join(filter(None, [about.get("doing"), about.get("where") and f"({about['where']})"]))


def _too_late(seconds: float, waited: float, about: Mapping[str, str]) -> Finding:
    """Return the finding of a deadline; `waited` is how long the last step had been going on."""
    if about.get("doing") == COMPILING:
        message = f"no answer within {seconds:g} s: the limit struck while Numba compiled it: give it more seconds"
    elif waited > seconds / 4:
        message = f"no answer within {seconds:g} s: probably an endless loop; last tried: {_last(about)}"
    else:
        message = f"not done within {seconds:g} s: it is slow, give it more seconds; last tried: {_last(about)}"
    return Finding("time", False, message, about.get("position", ""))


def _death(code: int, about: Mapping[str, str], printed: str) -> Finding:
    """Return the finding of a process that ended by itself."""
    if code < 0:
        try:
            how = f"signal {-code} ({signal.Signals(-code).name})"
        except ValueError:
            how = f"signal {-code}"
    else:
        how = f"exit code {code}" if code < 0x8000_0000 else f"exit code {code:#x}"  # Windows: an NTSTATUS
    output = f"The process printed last:\n{printed.strip()}" if printed.strip() else ""
    details = "\n".join(filter(None, [about.get("position", ""), output]))
    return Finding("process", False, f"it ended the process by {how}; last tried: {_last(about)}", details)
