"""What a game is to the rest of the laboratory: facts as data, rules that check themselves, and a few functions.

A game is one file in this package. It fills in a `Game` and registers it on its last line; nothing else in the project
has a branch for it. The file's order, for every game: facts, rules, records, small rule functions, the play kernel,
describing, elements, registration.
"""

import dataclasses
import difflib
import functools
import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from sims.elements import ElementFacts
from sims.errors import UsageError

GAME_MODULES = {
    "criss-cross": "sims.criss_cross",
    "cross-off": "sims.cross_off",
    "crosswise": "sims.crosswise",
    "crossways": "sims.crossways",
}

# Columns that every game's outcome begins with. All outcomes are whole numbers, so that sums are exact in any order.
SCORE, RANK, WIN = 0, 1, 2
WIN_UNIT = 840  # a sole win; divisible by every number of seats that can share it (1 to 8)


def near_misses(name: str, known: Iterable[str]) -> str:
    """Return "; did you mean x?" for the names most like `name`, or the list of all when none is."""
    names = sorted(known)
    close = difflib.get_close_matches(str(name), names, n=3)
    return f"; did you mean {' or '.join(close)}?" if close else f"; there are: {', '.join(names)}"


def seat_words(numbers: Sequence[int]) -> str:
    """Return ascending numbers of seats in words: "2 to 4", or "4, 6 or 8" where some between are left out."""
    if len(numbers) > 1 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]} to {numbers[-1]}"
    *others, last = (str(number) for number in numbers)
    return f"{', '.join(others)} or {last}" if others else last


# --- Rules -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Whole:
    """A whole number in a range."""

    low: int
    high: int

    @property
    def allowed(self) -> str:
        """What is allowed, in words."""
        return f"a whole number from {self.low} to {self.high}"

    def check(self, value: Any) -> int:
        """Return the value as an int, or raise ValueError."""
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or not self.low <= value <= self.high:
            raise ValueError
        return int(value)

    def parse(self, text: str) -> int:
        """Read the value from a command line."""
        return int(text)


@dataclass(frozen=True)
class Wholes:
    """A fixed number of whole numbers, each in a range."""

    count: int
    low: int
    high: int

    @property
    def allowed(self) -> str:
        """What is allowed, in words."""
        return f"{self.count} whole numbers from {self.low} to {self.high}, separated by commas"

    def check(self, value: Any) -> tuple[int, ...]:
        """Return the values as a tuple, or raise ValueError."""
        if isinstance(value, str) or not isinstance(value, Iterable):
            raise ValueError
        values = tuple(Whole(self.low, self.high).check(item) for item in value)
        if len(values) != self.count:
            raise ValueError
        return values

    def parse(self, text: str) -> tuple[int, ...]:
        """Read the values from a command line."""
        return tuple(int(part) for part in text.strip("()[] ").split(","))


@dataclass(frozen=True)
class OneOf:
    """One of a few names."""

    names: tuple[str, ...]

    @property
    def allowed(self) -> str:
        """What is allowed, in words."""
        return "one of " + ", ".join(self.names)

    def check(self, value: Any) -> str:
        """Return the name, or raise ValueError."""
        if not isinstance(value, str) or value not in self.names:
            raise ValueError
        return value

    def parse(self, text: str) -> str:
        """Read the name from a command line."""
        return text


@dataclass(frozen=True)
class Flag:
    """Yes or no."""

    @property
    def allowed(self) -> str:
        """What is allowed, in words."""
        return "true or false"

    def check(self, value: Any) -> bool:
        """Return the value as a bool, or raise ValueError."""
        if not isinstance(value, bool | np.bool_):
            raise ValueError
        return bool(value)

    def parse(self, text: str) -> bool:
        """Read the value from a command line."""
        words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
        if text.lower() not in words:
            raise ValueError
        return words[text.lower()]


class Check(Protocol):
    """What an option takes: the classes above, or one that a game brings along for an option of its own.

    A `check` or `parse` that knows better than `allowed` what is wrong, such as the line of a file, raises a UsageError
    that says so; the message reaches the user behind the option's name.
    """

    @property
    def allowed(self) -> str:
        """What is allowed, in words."""

    def check(self, value: Any) -> Any:
        """Return the value as the rules keep it (it has a hash), or raise ValueError or TypeError."""

    def parse(self, text: str) -> Any:
        """Read the value from a command line, or raise ValueError; `check` sees it next."""


def option(default: Any, check: Check, doc: str) -> Any:
    """Declare one field of a rules class: default, what is allowed, and one line on what it does."""
    return field(default=default, metadata={"check": check, "doc": doc})


@dataclass(frozen=True)
class Rules:
    """The options of a game, each checked; a subclass declares its fields with `option`.

    Raises
    ------
    UsageError
        For an unknown option, or a value that its check refuses.
    """

    def __post_init__(self) -> None:
        """Check and normalise every field."""
        for item in dataclasses.fields(self):
            check: Check = item.metadata["check"]
            value = getattr(self, item.name)
            try:
                object.__setattr__(self, item.name, check.check(value))
            except UsageError as error:
                raise UsageError(f"option {item.name}: {error}") from None
            except (TypeError, ValueError):
                raise UsageError(f"option {item.name}={value!r} does not fit: it takes {check.allowed}") from None

    @classmethod
    def options(cls) -> dict[str, "dataclasses.Field[Any]"]:
        """Return the declared options by name."""
        return {item.name: item for item in dataclasses.fields(cls)}

    @classmethod
    def _known(cls, name: str) -> "dataclasses.Field[Any]":
        options = cls.options()
        if name not in options:
            raise UsageError(f"unknown option {name!r}{near_misses(name, options)}")
        return options[name]

    def replace(self, **changes: Any) -> Self:
        """Return these rules with some options changed."""
        for name in changes:
            self._known(name)
        return dataclasses.replace(self, **changes)

    def replace_text(self, assignments: Iterable[str]) -> Self:
        """Return these rules with options set from texts such as "run_points=0,2,3,8,10"."""
        changes = {}
        for text in assignments:
            name, equals, value = text.partition("=")
            name = name.strip().replace("-", "_")
            if not equals:
                raise UsageError(f"cannot read the option {text!r}: write option=value")
            check: Check = self._known(name).metadata["check"]
            try:
                changes[name] = check.parse(value.strip())
            except UsageError as error:
                raise UsageError(f"option {name}: {error}") from None
            except ValueError:
                raise UsageError(f"option {name}={value!r} does not fit: it takes {check.allowed}") from None
        return self.replace(**changes)

    def to_dict(self) -> dict[str, Any]:
        """Return every option, resolved, as JSON values."""
        values = {name: getattr(self, name) for name in self.options()}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


# --- Games -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Column:
    """One whole number of a seat's outcome.

    `scale` is what the stored number is divided by for people: `win` is stored in 840ths.
    """

    name: str
    doc: str
    scale: int = 1


WON = Column("score", "1 for a win, else 0")  # where the score is the win
STANDARD_COLUMNS = (
    Column("score", "points at the end"),
    Column("rank", "place at the table from 1; seats that tie share the better place"),
    Column("win", "1 for a sole winner, 1/n for each of n winners, else 0", WIN_UNIT),
)


@dataclass(frozen=True, eq=False)
class Game:
    """A game: facts, and the functions that play and describe it.

    Attributes
    ----------
    name, title, summary, source
        How it is called on the command line, in print, in one line, and where its rules are from.
    rules_version, history
        Raised when and only when play or scoring changes; one line for each version.
    rules, variants
        The `Rules` class, and named sets of changed options.
    seats
        Fewest and most seats, over all options.
    seat_counts
        `seat_counts(rules)`: the numbers of seats that these rules allow, ascending; None when all rules allow all from
        the fewest to the most.
    decisions
        What a strategy is asked for, in the order of a turn.
    extra_columns
        The outcome's columns after the standard three (`score`, `rank`, `win`).
    margin
        The difference in points a game below which two strategies count as equal, unless the user names one.
    score_range, longest
        Bounds for given rules: lowest and highest score, most decisions of a seat.
    score_is_win
        Whether a game has no points: the score is 1 for a win and 0 otherwise, and to compare scores is to compare
        wins.
    sides
        `sides(rules, seats)`: the name of each seat's side, equal for those who win together, or None when under these
        rules every seat plays for itself; None in place of the function when there are no teams under any rules.
    rotate
        Which strategy of the line-up sits at each seat: `rotate(rules, seats)[rotation][seat]`. Players of one side
        move together, and every side sits where every other one does equally often.
    choose, value, forbid
        The Numba signatures of strategies, heuristics by value, and restrictions.
    illegal
        What a chooser returns when it failed: a move that no position has.
    log
        The record that one game's choices are written to.
    new_views
        The records that a kernel call works in, with the rules' tables filled in: the table's, and one to think ahead
        in.
    play
        The kernel; `sims.table.Table` says what it takes.
    events, results, narrate
        One logged game as the events and the outcome of a trace, and a trace as lines of text.
    moves, picture, describe_move
        The distinct legal moves of a position, the position as text, and one move as text.
    relabel
        `relabel(view, rng)` exchanges what the rules treat alike (symbols, colours) in a position, and returns a
        function from each move to the one that is the same under the other names; None when there is nothing.
    bands
        Named score bands (highest first: lower bound, name), when the rulebook has them.
    length, end_reasons
        The outcome's column that counts the turns of a seat, and what the values 0, 1, … of the column `end` mean;
        empty when there is no such column.
    standings, choices
        One logged game by turn and seat, shape (turns, seats): the points after each turn (or what else says who is
        ahead, the more the better), and how many distinct legal moves there were to choose from (0 where the seat had
        no choice to make).
    standing_unit
        What standings count.
    house_rules
        Values of options that are worth trying beside the default, by option. Reports also try every flag the other way
        round and all other names of an option that has names; other options without values here are left alone.
    luck
        `luck(seed, first_deal, deals)`: one whole number for each deal, which depends on chance alone, whoever plays,
        and whose mean over all chance is exactly 0. Comparisons take out the part of a difference that goes along with
        it.
    elements
        What the game is made of, and how it is read off logs; None when it tells none.
    """

    name: str
    title: str
    summary: str
    source: str
    rules_version: str
    history: Mapping[str, str]
    rules: type[Rules]
    variants: Mapping[str, Mapping[str, Any]]
    seats: tuple[int, int]
    decisions: tuple[str, ...]
    extra_columns: tuple[Column, ...]
    margin: float
    score_range: Callable[[Any], tuple[int, int]]
    longest: Callable[[Any], int]
    choose: Any
    value: Any
    forbid: Any
    illegal: int
    log: np.dtype[Any]
    new_views: Callable[[Any, int], Any]
    play: Callable[..., int]
    events: Callable[[Any, Any, int], list[dict[str, Any]]]
    results: Callable[[Any, Any, NDArray[np.int16]], list[dict[str, Any]]]
    narrate: Callable[[Any, dict[str, Any]], list[str]]
    moves: Callable[[Any], list[int]]
    picture: Callable[[Any], str]
    describe_move: Callable[[Any, int], str]
    relabel: Callable[[Any, np.random.Generator], Callable[[int], int]] | None = None
    score_is_win: bool = False
    bands: tuple[tuple[int, str], ...] = ()
    length: str = ""
    end_reasons: tuple[str, ...] = ()
    standings: Callable[[Any, Any, int], NDArray[np.int64]] | None = None
    standing_unit: str = "points"
    house_rules: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    choices: Callable[[Any, Any, int], NDArray[np.int64]] | None = None
    luck: Callable[[int, int, int], NDArray[np.int64]] | None = None
    elements: ElementFacts | None = None
    seat_counts: Callable[[Any], tuple[int, ...]] | None = None
    sides: Callable[[Any, int], tuple[str, ...] | None] | None = None
    rotate: Callable[[Any, int], tuple[tuple[int, ...], ...]] = field(
        default=lambda rules, seats: tuple(
            tuple((seat - turn) % seats for seat in range(seats)) for turn in range(seats)
        )
    )

    def __reduce__(self) -> tuple[Callable[[str], "Game"], tuple[str]]:
        """Travel to another process by name: compiled functions are found there, not sent."""
        return find_game, (self.name,)

    def in_teams(self, rules: Any, seats: int) -> bool:
        """Whether seats play in sides at such a table, and not each for itself."""
        return self.sides is not None and self.sides(rules, seats) is not None

    def parties(self, rules: Any, seats: int) -> dict[str, int]:
        """Return who can win at a table, and the first seat of each: the sides of a table of teams, else all seats."""
        names = self._party_names(rules, seats)
        return {name: names.index(name) for name in names}

    def party_of(self, rules: Any, seats: int) -> tuple[int, ...]:
        """Return the party of each seat, by its place in `parties`."""
        known = list(self.parties(rules, seats))
        return tuple(known.index(name) for name in self._party_names(rules, seats))

    def _party_names(self, rules: Any, seats: int) -> tuple[str, ...]:
        sides = self.sides(rules, seats) if self.sides else None
        return tuple(f"seat {seat}" for seat in range(seats)) if sides is None else sides

    @property
    def score_unit(self) -> str:
        """What scores count, in the plural."""
        return "wins" if self.score_is_win else "points"

    @property
    def columns(self) -> tuple[Column, ...]:
        """All columns of an outcome, the standard ones first."""
        score, *others = STANDARD_COLUMNS
        return (WON if self.score_is_win else score, *others, *self.extra_columns)

    def variant(self, name: str = "basic") -> Any:
        """Return the rules of a named variant."""
        if name not in self.variants:
            raise UsageError(f"{self.name} has no variant {name!r}{near_misses(name, self.variants)}")
        return self.rules().replace(**self.variants[name])

    def resolve_rules(self, rules: "Rules | str | None") -> Any:
        """Return rules from a rules object, a variant's name, or None for the basic game."""
        if rules is None or isinstance(rules, str):
            return self.variant(rules or "basic")
        if not isinstance(rules, self.rules):
            raise UsageError(f"{type(rules).__name__} are not rules of {self.name}: use {self.rules.__name__}")
        return rules

    def seat_numbers(self, rules: Any) -> tuple[int, ...]:
        """Return the numbers of seats that these rules allow, ascending."""
        low, high = self.seats
        return tuple(range(low, high + 1)) if self.seat_counts is None else self.seat_counts(rules)

    def alternatives(self, rules: Any) -> dict[str, tuple[Any, ...]]:
        """Return the values of each option that are worth trying in place of the one that rules have.

        These are the game's house rules, the other setting of a flag, the other names of an option that has names, and
        the default where the rules have another value.
        """
        basic, found = self.rules(), {}
        for name, item in self.rules.options().items():
            check, here = item.metadata["check"], getattr(rules, name)
            values = [getattr(basic, name)]
            if name in self.house_rules:
                values += [getattr(basic.replace(**{name: value}), name) for value in self.house_rules[name]]
            elif isinstance(check, Flag):
                values += [False, True]
            elif isinstance(check, OneOf):
                values += check.names
            others = tuple(value for value in dict.fromkeys(values) if value != here)
            if others:
                found[name] = others
        return found

    def check_seats(self, seats: int, rules: Any) -> None:
        """Refuse a number of seats that the game does not have under these rules."""
        numbers, (low, high) = self.seat_numbers(rules), self.seats
        if seats not in numbers:
            name = self.name if numbers == tuple(range(low, high + 1)) else f"{self.name} under these rules"
            raise UsageError(f"{name} is for {seat_words(numbers)} seats, not {seats}")


_games: dict[str, Game] = {}


def register(game: Game) -> Game:
    """Make a game known under its name."""
    _games[game.name] = game
    return game


@functools.cache
def _load(module: str) -> None:
    importlib.import_module(module)


def game_names() -> list[str]:
    """Return the names of all games."""
    return sorted(GAME_MODULES.keys() | _games.keys())


def find_game(name: "str | Game") -> Game:
    """Return the game of that name.

    Raises
    ------
    UsageError
        When there is none; the message has the names most like it.
    """
    if isinstance(name, Game):
        return name
    if name in GAME_MODULES:
        _load(GAME_MODULES[name])
    if name not in _games:
        raise UsageError(f"unknown game {name!r}{near_misses(name, game_names())}")
    return _games[name]
