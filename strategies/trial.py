"""The trial of one strategy: the process behind the contract check (see `strategies.contract`).

Positions come from real deals, in every variant and with every number of seats of the game: half from uniformly random
play, half from the strategy's own. A restriction that forbids nothing is asked about every position, and keeps a copy
of what it sees. Nothing here knows a game: all is asked of `Game`.
"""

import base64
import contextlib
import ctypes
import dataclasses
import functools
import json
import os
import sys
import textwrap
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import cloudpickle
import numpy as np
from numpy.typing import NDArray

from sims import chance
from sims.errors import StrategyError, UsageError
from sims.game import Game, find_game
from sims.jit import COMPILED, caller, jit
from sims.table import SEAT, Player, Table
from strategies.api import Strategy
from strategies.contract import COMPILING, RULES, Finding
from strategies.specs import find_strategy, strategies_of_file

SEED = 0
BRIEFLY = 20  # positions
MOST_POSITIONS = 200  # of each kind: from random play, from its own play
WATCHED_DEALS = 2  # for each variant and number of seats, to choose positions from
ERRING = (0.0, 0.5, 0.9)  # own play shows the positions it meets, noisy play those that it would avoid
OVERFLOW = "overflow"  # the part of the rule "plain" that is told without judging it
TOLERANCE = 1e-9  # compiled code may add in another order than Python does
TIMED_SECONDS = 0.3
LONGEST_MESSAGE = 400  # of an exception, in characters


# --- The process -----------------------------------------------------------------------------------------------------


class _Channel:
    """Lines of JSON to the parent, on a copy of standard output; what a strategy prints goes to standard error."""

    def __init__(self) -> None:
        self._file = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)

    def send(self, **message: Any) -> None:
        """Send one message."""
        self._file.write(json.dumps(message) + "\n")
        self._file.flush()

    def about(self, doing: str, where: str = "", position: str = "") -> None:
        """Say what comes next."""
        self.send(about={"doing": doing, "where": where, "position": position})


def answer() -> None:
    """Do the job that stands on standard input; what the process of `check` runs."""
    channel = _Channel()
    job = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    sys.path[:] = job["path"]
    game = find_game(job["game"])
    bench = _Bench(game)
    channel.about("loading it")
    channel.send(clock=True)
    try:
        strategies = _load(game, job)
    except UsageError as error:
        channel.send(usage=str(error))
        return
    channel.send(count=len(strategies))
    for strategy in strategies[job["skip"] :]:
        channel.send(begin=strategy.spec)
        for finding in _Trial(bench, strategy, job["seconds"], job["deals"], channel).findings():
            channel.send(finding=dataclasses.asdict(finding))
        channel.send(end=True)
    channel.send(finished=True)


def _end_with_parent() -> None:
    """End the process when the parent is gone, whatever a strategy is doing."""
    with contextlib.suppress(OSError):
        while os.read(0, 1):
            pass
    os._exit(1)


def _load(game: Game, job: Mapping[str, Any]) -> list[Strategy]:
    if "pickle" in job:
        return [cloudpickle.loads(base64.b64decode(job["pickle"]))]
    spec = job["spec"]
    if not spec.endswith(".py"):
        return [find_strategy(game.name, spec)]
    found = strategies_of_file(game.name, spec)
    if not found:
        raise UsageError(f"{spec} declares no strategy for {game.name}: put @heuristic({game.name!r}) on one")
    return found


# --- Positions -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Position:
    """A position that a seat was asked about: where it is from, and the view, shape (1,)."""

    where: str
    rules: Any
    view: Any
    picture: str = ""


class _WatchedTable(Table):
    """A table whose view can be looked at while a game goes on."""

    @property
    def view(self) -> Any:
        """The view that seats are asked about, shape (1,)."""
        return self._views[:1]

    def play_deal(self, deal: int) -> None:
        """Play one deal as far as it goes."""
        self._play(SEED, deal, self.new_outcomes(1), self._no_logs)


def _tables(game: Game) -> Iterator[tuple[str, Any, int]]:
    """Return every variant with every number of seats that it allows: where, rules, seats."""
    for variant in game.variants:
        rules = game.variant(variant)
        for seats in game.seat_numbers(rules):
            yield f"{variant}, {seats} seat{'s' if seats > 1 else ''}", rules, seats


class _Watch:
    """Keeps the positions of games that are played, by a restriction that forbids nothing and looks at the table."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._table: _WatchedTable | None = None
        self._where = ""
        self._content = b""
        self._seen: list[_Position] = []
        look = ctypes.CFUNCTYPE(ctypes.c_int64)(self._look)

        def forbid_nothing(view, move, params):  # type: ignore[no-untyped-def]
            return look()

        self._forbidder = forbid_nothing

    def _look(self) -> int:
        assert self._table is not None
        view = self._table.view
        content = view.tobytes()
        if content != self._content:  # a heuristic's restriction is asked about each move of a position
            self._content = content
            seat = f", seat {int(view.seat[0])}" if "seat" in view.dtype.names else ""
            self._seen.append(_Position(self._where + seat, self._table.rules, view.copy()))
        return 0

    def games(self, player: Player, deals: int, starting: Callable[[str], None]) -> Iterator[list[_Position]]:
        """Play deals in every variant with every number of seats; yield the positions of each game."""
        watched = dataclasses.replace(player, forbidder=self._forbidder, limited=True, remake=None)
        tables = [
            (where, _WatchedTable(self._game, rules, [watched] * seats)) for where, rules, seats in _tables(self._game)
        ]
        for deal in range(deals):
            for where, table in tables:
                self._table, self._where, self._content, self._seen = table, f"{where}, deal {deal}", b"", []
                starting(self._where)
                table.play_deal(deal)
                yield self._seen


def _some(game: Game, positions: list[_Position]) -> list[_Position]:
    """Return a fixed random choice of positions, in random order, with their pictures."""
    order = np.random.default_rng(SEED).permutation(len(positions))[:MOST_POSITIONS]
    chosen = [positions[index] for index in order]
    return [dataclasses.replace(position, picture=game.picture(position.view[0])) for position in chosen]


class _Bench:
    """What all strategies of a game are tried with; making it compiles the game, before any clock starts."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.watch = _Watch(game)
        uniform = Player(spec="uniform", digest="", noise=1.0)  # always errs, so that nothing is asked
        games = self.watch.games(uniform, WATCHED_DEALS, lambda where: None)
        self.random_positions = _some(game, [position for seen in games for position in seen])
        self.choose_one, self.value_each = _choose_one(game), _value_each(game)
        view, nobody = self.random_positions[0].view, np.zeros(1, SEAT).view(np.recarray)
        self.choose_one(np.uint64(0), view, chance.new_streams(1), nobody, np.zeros(0, np.uint64))
        self.value_each(np.uint64(0), view, np.zeros(0, np.uint64), nobody, np.zeros(0, np.float64))


def _choose_one(game: Game) -> Callable[..., None]:
    call = caller(game.choose)

    @jit
    def choose_one(address: Any, views: Any, streams: Any, seats: Any, answers: Any) -> None:
        for index in range(len(answers)):
            answers[index] = call(address, views[0], streams[0], seats[0].params)

    return choose_one


def _value_each(game: Game) -> Callable[..., None]:
    call = caller(game.value)

    @jit
    def value_each(address: Any, views: Any, moves: Any, seats: Any, answers: Any) -> None:
        for index in range(len(answers)):
            answers[index] = call(address, views[0], moves[index], seats[0].params)

    return value_each


# --- One strategy ----------------------------------------------------------------------------------------------------


class _Raised(Exception):
    """A strategy's function raised in plain Python: the exception in one line, and its traceback."""

    def __init__(self, message: str, trace: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.trace = trace


def _plainly(function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except Exception as error:
        trace = error.__traceback__.tb_next if error.__traceback__ else None
        # Where a compiled function refuses its arguments, Numba's message has dozens of lines.
        message = textwrap.shorten(traceback.format_exception_only(error)[-1], LONGEST_MESSAGE)
        text = "".join(["Traceback (most recent call last):\n", *traceback.format_tb(trace), message])
        raise _Raised(f"raised {message}", text) from None


@dataclass
class _Tally:
    """How often a rule was tried and broken, and the first time that it was."""

    tried: int = 0
    broken: int = 0
    message: str = ""
    details: str = ""

    def note(self, kept: bool, message: str = "", details: Callable[[], str] = str) -> None:
        """Count one trial."""
        self.tried += 1
        if not kept:
            self.broken += 1
            if self.broken == 1:
                self.message, self.details = message, details()

    def finding(self, rule: str, things: str, untried: str) -> Finding:
        """Return what came out; `things` is what was tried, `untried` why nothing was."""
        if self.broken:
            return Finding(rule, False, f"{self.message}; {self.broken} of {self.tried} {things}", self.details)
        if self.tried:
            return Finding(rule, True, f"{RULES[rule]} ({self.tried} {things})")
        return Finding(rule, None, f"not tried: {untried}")


def _changed_fields(before: Any, after: Any) -> list[str]:
    return [f"changed: {name}" for name in before.dtype.names if before[name].tobytes() != after[name].tobytes()]


class _Trial:
    """One strategy and what was found about it so far."""

    def __init__(self, bench: _Bench, strategy: Strategy, seconds: float, deals: int, channel: _Channel) -> None:
        self._bench, self._game, self._channel = bench, bench.game, channel
        self._seconds, self._deals = seconds, deals
        self._begun = time.monotonic()
        self._function, self._by_value = strategy.function, strategy.by_value
        self._player = strategy.player()
        # Without what wrappers add: they are ours.
        self._bare = dataclasses.replace(
            Player(self._player.spec, "", self._player.chooser, self._player.valuer, self._player.params),
            knowledge=strategy.knowledge,
        )
        self._address = np.uint64(0)
        self._seat = np.zeros(1, SEAT).view(np.recarray)
        self._seat[0].params[: len(strategy.values)] = strategy.values
        self._stream = chance.new_streams(1)
        self._tallies = {rule: _Tally() for rule in (*RULES, OVERFLOW)}
        self._positions = list(bench.random_positions)
        self._answers: dict[int, NDArray[Any]] = {}  # of compiled code, by place in self._positions
        self._plain_answers: dict[int, NDArray[Any] | None] = {}  # None where it raised
        self._overflows: set[int] = set()  # where plain Python warned of one
        self._infinite = 0  # positions with a value that is
        self._decisions: list[int] = []  # in each of its own games at the first table

    def findings(self) -> Iterator[Finding]:
        """Try everything; yield what is found as soon as it is known, and again when there is more to tell."""
        yield self._compile()
        # Plain Python first, briefly: where it raises, compiled code may bring the process down.
        # Shares of the time limit: what is slow is tried on fewer positions instead of not at all.
        yield from self._broken(self._ask_plainly, range(len(self._positions))[:BRIEFLY], 0.1)
        if self._address:
            common = range(len(self._positions))
            yield from self._broken(self._ask, common, 0.25)
            if not self._meddles:
                yield from self._broken(self._collect_own, 0.35)
                yield from self._broken(self._ask, range(len(common), len(self._positions)), 0.45)
                yield from self._broken(self._play_games, 0.65)
            yield from self._broken(self._ask_again, 0.7)
        yield from self._broken(self._ask_plainly, sorted(self._answers) or range(len(self._positions)), 0.85)
        self._ask_plainly_again(0.9)
        self._compare_plain()
        yield from self._told()
        if self._game.relabel is not None:
            yield self._relabel(self._game.relabel, 0.95)
        if self._address and not self._meddles:
            yield self._time()

    @property
    def _meddles(self) -> bool:
        """Whether it changes the view: its games could then go anywhere."""
        return self._tallies["view"].broken > 0

    def _broken(self, phase: Callable[..., None], *arguments: Any) -> Iterator[Finding]:
        """Do one phase, and yield what is broken so far: the process may not live to tell it later."""
        phase(*arguments)
        yield from (finding for finding in self._told() if finding.passed is False)

    def _until(self, share: float) -> float:
        """Return when a share of the time that compiling left will be over."""
        return self._begun + share * self._seconds

    def _compile(self) -> Finding:
        self._channel.about(COMPILING)
        begun = time.monotonic()
        try:
            chooser, valuer, _ = self._player.compile(self._game)
            if self._player.knowledge:
                for variant in self._game.variants:  # solved now, so that no clock runs later
                    self._player.knowledge(self._game.variant(variant))
        except UsageError as error:
            return Finding("compiles", False, str(error))
        except Exception as error:  # Numba's own, for code that it did not foresee
            return Finding("compiles", False, f"Numba gave up: {type(error).__name__}: {' '.join(str(error).split())}")
        finally:
            self._seconds -= time.monotonic() - self._begun
            self._begun = time.monotonic()
        self._address = np.uint64(chooser or valuer)
        if not COMPILED:
            return Finding("compiles", None, "not tried: NUMBA_DISABLE_JIT is set, everything is plain Python")
        return Finding("compiles", True, f"in {self._begun - begun:.1f} s")

    # Asking.

    def _moves(self, view: Any) -> NDArray[np.uint64]:
        return np.array(self._game.moves(view[0]), np.uint64)

    def _room(self, moves: NDArray[np.uint64], start: int) -> NDArray[Any]:
        """Start the stream, and return room for the answers: a value for each move, or one move."""
        chance.fill_stream(self._stream[0], np.uint64(start))
        return np.zeros(len(moves), np.float64) if self._by_value else np.zeros(1, np.uint64)

    def _compiled(self, view: Any, moves: NDArray[np.uint64], start: int) -> NDArray[Any]:
        answers = self._room(moves, start)
        if self._by_value:
            self._bench.value_each(self._address, view, moves, self._seat, answers)
        else:
            self._bench.choose_one(self._address, view, self._stream, self._seat, answers)
        return answers

    def _plain(self, view: Any, moves: NDArray[np.uint64], start: int) -> NDArray[Any]:
        answers = self._room(moves, start)
        for index, asked in enumerate(moves if self._by_value else self._stream):
            value = _plainly(self._function, view[0], asked, self._seat[0].params)
            try:
                answers[index] = float(value) if self._by_value else int(value)
            except (TypeError, ValueError, OverflowError):
                raise _Raised(f"returned {value!r}, which is no {'number' if self._by_value else 'move'}") from None
        return answers

    def _guarded(self, ask: Callable[..., NDArray[Any]], index: int) -> NDArray[Any]:
        """Ask about a position, and note whether that changed the view or the parameters."""
        position = self._positions[index]
        self._tell(position)
        view, seat = position.view.copy(), self._seat.copy()
        try:
            return ask(view, self._moves(position.view), index)
        finally:
            changes = _changed_fields(position.view, view) + _changed_fields(self._seat, seat)
            self._tallies["view"].note(
                not changes,
                f"it changes what it is given ({position.where})",
                lambda: "\n".join([*changes, position.picture]),
            )
            self._seat[:] = seat

    def _tell(self, position: _Position) -> None:
        self._player.know(self._seat[0], position.rules)
        what = "values" if self._by_value else "a move"
        self._channel.about(f"asked for {what}", position.where, position.picture)

    def _equal(self, one: NDArray[Any], two: NDArray[Any], tolerance: float = 0.0) -> NDArray[np.bool_]:
        if self._by_value:
            return np.asarray(np.isclose(one, two, tolerance, tolerance, equal_nan=True))
        return np.asarray(one == two)

    def _compare(
        self,
        rule: str,
        message: str,
        index: int,
        answers: Mapping[str, NDArray[Any]],
        tolerance: float = 0.0,
    ) -> None:
        """Note whether two named answers to one position are the same."""
        position = self._positions[index]
        one, two = answers.values()
        equal = self._equal(one, two, tolerance)

        def details() -> str:
            place, moves = int(np.argmin(equal)), self._moves(position.view)
            if self._by_value:
                described = self._describe(position, moves[place])
                said = [f"{name}: {values[place]} for {described}" for name, values in answers.items()]
            else:
                named = [(name, values[0]) for name, values in answers.items()]
                said = [f"{name}: move {move}, {self._describe(position, move)}" for name, move in named]
            return "\n".join([*said, position.picture])

        self._tallies[rule].note(bool(equal.all()), f"{message} ({position.where})", details)

    def _describe(self, position: _Position, move: Any) -> str:
        return self._game.describe_move(position.view[0], int(move))

    # The phases.

    def _ask(self, indices: Iterable[int], share: float) -> None:
        """Ask compiled code about positions."""
        until = self._until(share)
        for index in indices:
            answers = self._ask_twice(self._compiled, index)
            self._answers[index] = answers
            missing = np.isnan(answers) if self._by_value else answers == self._game.illegal
            # Compiled code cannot say whether it raised: plain Python can.
            raised = bool(missing.any()) and self._ask_plain(index) is None
            if self._by_value and not raised:
                self._note_numbers(index, answers)
            if time.monotonic() > until:
                return

    def _ask_twice(self, ask: Callable[..., NDArray[Any]], index: int) -> NDArray[Any]:
        one, two = (self._guarded(ask, index) for _ in range(2))
        message = "asked twice in a row, it answers differently"
        self._compare("repeatable", message, index, {"first": one, "then": two})
        return one

    def _note_numbers(self, index: int, values: NDArray[Any]) -> None:
        position = self._positions[index]

        def details() -> str:
            move = self._moves(position.view)[int(np.argmax(np.isnan(values)))]
            return f"for {self._describe(position, move)}\n{position.picture}"

        self._tallies["numbers"].note(not np.isnan(values).any(), f"returned no number ({position.where})", details)
        self._infinite += bool(np.isinf(values).any())

    def _collect_own(self, share: float) -> None:
        """Add positions of the strategy's own games."""
        until, seen = self._until(share), []
        tables = len(list(_tables(self._game)))
        games = self._bench.watch.games(self._bare, WATCHED_DEALS, lambda where: self._channel.about("playing", where))
        for number, positions in enumerate(games):
            seen += positions
            if number % tables == 0:
                self._decisions.append(len(positions))
            if time.monotonic() > until:
                break
        self._positions += _some(self._game, seen)

    def _ask_again(self, share: float) -> None:
        """Ask compiled code about the same positions in the opposite order."""
        until = self._until(share)
        for index in sorted(self._answers, reverse=True):
            self._recall(self._compiled, index, self._answers[index])
            if time.monotonic() > until:
                return

    def _recall(self, ask: Callable[..., NDArray[Any]], index: int, before: NDArray[Any]) -> None:
        message = "asked again after other positions, it answers differently: it remembers something"
        try:
            now = self._guarded(ask, index)
        except _Raised as error:
            where = self._positions[index].where
            self._tallies["memory"].note(False, f"asked again after other positions, it {error.message} ({where})")
            return
        self._compare("memory", message, index, {"before": before, "now": now})

    def _play_games(self, share: float) -> None:
        """Play whole games: the kernel judges the moves."""
        until = self._until(share)
        tables = []
        for where, rules, seats in _tables(self._game):
            for rate in ERRING:
                player = dataclasses.replace(self._bare, noise=rate) if rate else self._player
                erring = f", erring at rate {rate:g}" if rate else ""
                tables.append((where + erring, Table(self._game, rules, [player] * seats)))
        for deal in range(self._deals):
            for where, table in tables:
                self._channel.about("playing", f"{where}, deal {deal}")
                try:
                    table.play(SEED, deal, table.new_outcomes(1))
                except StrategyError as error:
                    self._refused(error, where)
                    return
                self._tallies["legal"].note(True)
                if time.monotonic() > until:
                    return

    def _refused(self, error: StrategyError, where: str) -> None:
        if error.trace:
            rule = "raises"
        elif not error.position:
            rule = "memory"  # refused once and accepted when played again
        else:
            rule = "numbers" if self._by_value else "legal"
        details = "\n".join(filter(None, [error.trace, error.position]))
        said = str(error).removeprefix(f"{self._player.spec} ")
        self._tallies[rule].note(False, f"{said}, seed {SEED}, {where}", lambda: details)

    def _ask_plain(self, index: int) -> NDArray[Any] | None:
        """Return what plain Python answers to a position, None when that raised; asked only once."""
        if index in self._plain_answers:
            return self._plain_answers[index]
        position = self._positions[index]
        self._plain_answers[index] = None
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                answers = self._ask_twice(self._plain, index)
        except _Raised as error:
            details = "\n".join(filter(None, [error.trace, position.picture]))
            self._tallies["raises"].note(False, f"{error.message} ({position.where})", lambda: details)
            return None
        self._tallies["raises"].note(True)
        if any("overflow" in str(warning.message) for warning in caught):
            self._overflows.add(index)
        self._plain_answers[index] = answers
        if self._by_value and not self._address:
            self._note_numbers(index, answers)
        return answers

    def _ask_plainly(self, indices: Iterable[int], share: float) -> None:
        """Ask plain Python about positions."""
        until = self._until(share)
        for index in indices:
            self._ask_plain(index)
            if time.monotonic() > until:
                return

    def _ask_plainly_again(self, share: float) -> None:
        """Ask plain Python about the same positions in the opposite order."""
        until = self._until(share)
        for index, answers in reversed(self._plain_answers.items()):
            if answers is not None:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    self._recall(self._plain, index, answers)
            if time.monotonic() > until:
                return

    def _compare_plain(self) -> None:
        """Compare what compiled code and plain Python have answered."""
        for index, plain in self._plain_answers.items():
            if plain is not None and index in self._answers:
                both = {"compiled": self._answers[index], "plain Python": plain}
                rule = OVERFLOW if index in self._overflows else "plain"
                self._compare(rule, "compiled code and plain Python answer differently", index, both, TOLERANCE)

    def _told(self) -> Iterator[Finding]:
        """Return what the tallies say."""
        tallies, untried = self._tallies, "no position got that far" if self._address else "it does not compile"
        yield tallies["raises"].finding("raises", "positions", untried)
        if self._by_value:
            numbers = tallies["numbers"].finding("numbers", "positions", untried)
            if numbers.passed and self._infinite:
                said = f"infinite at {self._infinite} of {tallies['numbers'].tried} positions: allowed, if it is meant"
                numbers = Finding("numbers", None, said)
            yield numbers
        no_games = "it changes what it is given" if self._address and self._meddles else untried
        yield tallies["legal"].finding("legal", "games", no_games)
        for rule in ("repeatable", "memory", "view"):
            yield tallies[rule].finding(rule, "trials", untried)
        if not COMPILED:
            return
        plain, overflow = (tallies[rule].finding("plain", "positions", untried) for rule in ("plain", OVERFLOW))
        if overflow.passed is False and plain.passed is not False:
            hint = "NumPy's whole numbers overflow there; write int(…) around them"
            plain = dataclasses.replace(overflow, passed=None, message=f"{overflow.message}: {hint}")
        yield plain

    def _relabel(self, relabel: Callable[[Any, np.random.Generator], Callable[[int], int]], share: float) -> Finding:
        """Compare the answers to positions with those to the same positions under other names."""
        if self._tallies["repeatable"].broken or self._tallies["memory"].broken:
            return Finding("symbols", None, "cannot be said: it does not even answer the same position the same")
        until = self._until(share)
        ask = self._compiled if self._address else self._plain
        tally, random = _Tally(), np.random.default_rng(SEED)
        for index, position in enumerate(self._positions):
            self._tell(position)
            view, moves = position.view.copy(), self._moves(position.view)
            renamed = relabel(view[0], random)
            picture = self._game.picture(view[0])
            renamed_moves = np.array([renamed(int(move)) for move in moves], np.uint64)
            with contextlib.suppress(_Raised), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                one, two = ask(position.view.copy(), moves, index), ask(view, renamed_moves, index)
                if not self._by_value:
                    one = np.array([renamed(int(one[0]))], np.uint64)
                alike = bool(self._equal(one, two, TOLERANCE).all())
                pictures = f"{position.picture}\nand with other names\n{picture}"
                tally.note(alike, position.where, functools.partial(str, pictures))
            if time.monotonic() > until:
                break
        if not tally.broken:
            return dataclasses.replace(tally.finding("symbols", "positions", "no position got that far"), passed=None)
        said = f"other names of the symbols change its answer at {tally.broken} of {tally.tried} positions"
        return Finding("symbols", None, f"{said}; first: {tally.message}", tally.details)

    def _time(self) -> Finding:
        """Measure how fast it plays, at the first table."""
        where, rules, seats = next(_tables(self._game))
        table = Table(self._game, rules, [self._player] * seats)
        self._channel.about("playing", where)
        games, spent, batch = 0, 0.0, 1
        # The last batch may take twice as long as all before it.
        enough = min(TIMED_SECONDS, (self._until(1.0) - time.monotonic()) / 4)
        try:
            while not games or spent < enough:
                outcomes = table.new_outcomes(batch)
                begun = time.perf_counter()
                table.play(SEED, games, outcomes)
                spent += time.perf_counter() - begun
                games += batch
                batch = min(2 * batch, 1_000)
        except StrategyError:
            return Finding("speed", None, "not measured: it does not get through its games")
        said = f"{games / spent:,.0f} games a second on one core ({where})"
        if self._decisions:
            said = f"{1e6 * spent / games / float(np.mean(self._decisions)):.3g} µs a decision, {said}"
        return Finding("speed", None, said)
