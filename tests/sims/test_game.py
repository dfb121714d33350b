import dataclasses
import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sims.criss_cross import CrissCrossRules
from sims.errors import UsageError
from sims.game import (
    STANDARD_COLUMNS,
    WIN_UNIT,
    WON,
    Game,
    OneOf,
    Rules,
    Whole,
    Wholes,
    find_game,
    game_names,
    near_misses,
    option,
    register,
    seat_words,
)

GAME = find_game("criss-cross")
RULES = GAME.variant()


@dataclass(frozen=True)
class ToyRules(Rules):
    size: int = option(5, Whole(3, 9), "a size")
    points: tuple[int, ...] = option((1, 2), Wholes(2, -3, 3), "two numbers")
    start: str = option("full", OneOf(("full", "empty")), "how it starts")


# --- Checks of options -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [3, 9, np.int64(4), np.uint8(5)])
def test_whole_takes_whole_numbers_of_its_range(value: Any) -> None:
    checked = Whole(3, 9).check(value)
    assert checked == value
    assert type(checked) is int


@pytest.mark.parametrize("value", [2, 10, 5.0, "5", None, True, [5], np.float64(5), np.int64(2)])
def test_whole_refuses_everything_else(value: Any) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the caller adds the message
        Whole(3, 9).check(value)


@pytest.mark.parametrize("value", [(1, -3), [1, -3], np.array([1, -3])])
def test_wholes_returns_a_tuple(value: Any) -> None:
    assert Wholes(2, -3, 3).check(value) == (1, -3)


@pytest.mark.parametrize("value", [(1,), (1, 2, 3), (1, 4), (1, "2"), (1, 2.0), "12", 1, None, {}, np.array(3)])
def test_wholes_refuses_everything_else(value: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        Wholes(2, -3, 3).check(value)


@pytest.mark.parametrize("value", ["Full", "", 1, None, ["full"]])
def test_one_of_refuses_other_names(value: Any) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the caller adds the message
        OneOf(("full", "empty")).check(value)


def test_parse_reads_texts() -> None:
    assert Whole(3, 9).parse("4") == 4
    assert Wholes(2, -3, 3).parse("1,-3") == (1, -3)
    assert Wholes(2, -3, 3).parse("[1, -3]") == (1, -3)
    assert OneOf(("full", "empty")).parse("empty") == "empty"


# --- Rules -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("size", 2, "a whole number from 3 to 9"),
        ("size", "5", "a whole number from 3 to 9"),
        ("size", 5.5, "a whole number from 3 to 9"),
        ("points", (1, 9), "2 whole numbers from -3 to 3, separated by commas"),
        ("points", 7, "2 whole numbers from -3 to 3, separated by commas"),
        ("points", np.array(3), "2 whole numbers from -3 to 3, separated by commas"),
        ("start", "ful", "one of full, empty"),
        ("start", None, "one of full, empty"),
    ],
)
def test_a_wrong_value_is_one_line_that_names_option_value_and_what_is_allowed(
    name: str, value: Any, allowed: str
) -> None:
    with pytest.raises(UsageError) as caught:
        ToyRules(**{name: value})
    assert str(caught.value) == f"option {name}={value!r} does not fit: it takes {allowed}"
    with pytest.raises(UsageError) as caught:
        ToyRules().replace(**{name: value})
    assert str(caught.value) == f"option {name}={value!r} does not fit: it takes {allowed}"


@pytest.mark.parametrize("game", game_names())
def test_every_option_of_every_game_refuses_a_wrong_value_in_one_line(game: str) -> None:
    rules = find_game(game).rules
    for name, item in rules.options().items():
        with pytest.raises(UsageError) as caught:
            rules(**{name: object})
        message = str(caught.value)
        assert message.startswith(f"option {name}=")
        assert message.endswith(item.metadata["check"].allowed)
        assert "\n" not in message


def test_values_are_normalised() -> None:
    rules = ToyRules(size=np.int64(4), points=[1, 2])  # type: ignore[arg-type]
    assert rules == ToyRules(size=4, points=(1, 2))
    assert type(rules.size) is int
    assert hash(rules) == hash(ToyRules(size=4, points=(1, 2)))


def test_rules_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        ToyRules().size = 4  # type: ignore[misc]


def test_replace_names_near_misses_of_an_unknown_option() -> None:
    with pytest.raises(UsageError, match=r"^unknown option 'siz'; did you mean size\?$"):
        ToyRules().replace(siz=4)
    with pytest.raises(UsageError, match=r"^unknown option 'zzz'; there are: points, size, start$"):
        ToyRules().replace(zzz=4)


def test_replace_text() -> None:
    changed = ToyRules().replace_text(["size=4", "points = 0,-1", "start=empty"])
    assert changed == ToyRules(size=4, points=(0, -1), start="empty")


def test_replace_text_takes_hyphens_for_underscores() -> None:
    assert CrissCrossRules().replace_text(["zero-line-points=-5"]) == CrissCrossRules(zero_line_points=-5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("size", "cannot read the option 'size': write option=value"),
        ("size=", "option size='' does not fit: it takes a whole number from 3 to 9"),
        ("size=five", "option size='five' does not fit: it takes a whole number from 3 to 9"),
        ("size=5.0", "option size='5.0' does not fit: it takes a whole number from 3 to 9"),
        ("size=10", "option size=10 does not fit: it takes a whole number from 3 to 9"),
        ("points=1", "option points=(1,) does not fit: it takes 2 whole numbers from -3 to 3, separated by commas"),
        ("points=1;2", "option points='1;2' does not fit: it takes 2 whole numbers from -3 to 3, separated by commas"),
        ("start=half", "option start='half' does not fit: it takes one of full, empty"),
        ("stat=full", "unknown option 'stat'; did you mean start?"),
    ],
)
def test_replace_text_says_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        ToyRules().replace_text([text])
    assert str(caught.value) == message


@settings(deadline=None)
@given(st.integers(3, 9), st.lists(st.integers(-3, 3), min_size=2, max_size=2), st.sampled_from(["full", "empty"]))
def test_to_dict_survives_json_and_makes_the_rules_again(size: int, points: list[int], start: str) -> None:
    rules = ToyRules(size, tuple(points), start)
    told = json.loads(json.dumps(rules.to_dict()))
    assert told == rules.to_dict()
    assert ToyRules(**told) == rules


@dataclass(frozen=True)
class Drawing:
    """An option type of a game's own: equal rows of # and ., told as one text with / between them."""

    allowed: str = "rows of # and . with / between them"

    def check(self, value: Any) -> tuple[str, ...]:
        if not isinstance(value, tuple):
            raise TypeError
        for number, row in enumerate(value, 1):
            for column, letter in enumerate(row, 1):
                if letter not in "#.":
                    raise UsageError(f"line {number}, column {column} has {letter!r}: write # or .")
        return value

    def parse(self, text: str) -> tuple[str, ...]:
        if text == "square":
            raise UsageError("there is no drawing 'square': name a file")
        if "/" not in text:
            raise ValueError
        return tuple(text.split("/"))


@dataclass(frozen=True)
class DrawnRules(ToyRules):
    board: tuple[str, ...] = option(("##", ".."), Drawing(), "a drawing")


def test_a_game_may_bring_a_check_of_its_own() -> None:
    assert DrawnRules().replace_text(["board=.#/#.", "size=4"]) == DrawnRules(size=4, board=(".#", "#."))
    assert DrawnRules().to_dict()["board"] == ["##", ".."]
    with pytest.raises(
        UsageError, match=r"^option board=7 does not fit: it takes rows of # and \. with / between them$"
    ):
        DrawnRules(board=7)  # type: ignore[arg-type]
    with pytest.raises(
        UsageError, match=r"^option board='#' does not fit: it takes rows of # and \. with / between them$"
    ):
        DrawnRules().replace_text(["board=#"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("board=.#/#x", "option board: line 2, column 2 has 'x': write # or ."),
        ("board=square", "option board: there is no drawing 'square': name a file"),
    ],
)
def test_a_check_that_knows_what_is_wrong_is_heard(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        DrawnRules().replace_text([text])
    assert str(caught.value) == message
    assert caught.value.__suppress_context__


def test_a_check_that_knows_what_is_wrong_is_heard_from_python() -> None:
    for make in (lambda board: DrawnRules(board=board), lambda board: DrawnRules().replace(board=board)):
        with pytest.raises(UsageError) as caught:
            make(("##", "#?"))
        assert str(caught.value) == "option board: line 2, column 2 has '?': write # or ."


# --- Games -----------------------------------------------------------------------------------------------------------


def test_near_misses() -> None:
    assert near_misses("gredy", ["greedy", "uniform"]) == "; did you mean greedy?"
    assert near_misses("test", ["tests", "text"]) == "; did you mean tests or text?"
    assert near_misses("xyz", ["b", "a"]) == "; there are: a, b"


def test_find_game() -> None:
    assert find_game("criss-cross") is GAME
    assert find_game(GAME) is GAME


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("criss-cros", "unknown game 'criss-cros'; did you mean criss-cross?"),
        ("chess", "unknown game 'chess'; there are: "),
        (None, "unknown game None; "),
    ],
)
def test_find_game_names_near_misses(name: Any, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        find_game(name)
    assert str(caught.value).startswith(message)


def test_register(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sims.game._games", {})
    toy = dataclasses.replace(GAME, name="toy")
    assert register(toy) is toy
    assert find_game("toy") is toy
    assert "toy" in game_names()


def test_variant() -> None:
    assert GAME.variant() == GAME.variant("basic") == CrissCrossRules()
    assert GAME.variant("advanced") == CrissCrossRules(zero_line_points=-5, diagonal_weight=2)


def test_variant_names_near_misses() -> None:
    with pytest.raises(UsageError, match=r"^criss-cross has no variant 'advance'; did you mean advanced\?$"):
        GAME.variant("advance")


def test_resolve_rules() -> None:
    rules = CrissCrossRules(size=4)
    assert GAME.resolve_rules(rules) is rules
    assert GAME.resolve_rules("advanced") == GAME.variant("advanced")
    assert GAME.resolve_rules(None) == CrissCrossRules()
    with pytest.raises(UsageError, match=r"^ToyRules are not rules of criss-cross: use CrissCrossRules$"):
        GAME.resolve_rules(ToyRules())


def test_check_seats() -> None:
    for seats in range(1, 7):
        GAME.check_seats(seats, RULES)
    for seats in (0, 7):
        with pytest.raises(UsageError, match=f"^criss-cross is for 1 to 6 seats, not {seats}$"):
            GAME.check_seats(seats, RULES)


@pytest.mark.parametrize(
    ("numbers", "words"),
    [((2, 3, 4), "2 to 4"), ((4, 6, 8), "4, 6 or 8"), ((2, 4), "2 or 4"), ((2, 3), "2 to 3"), ((4,), "4")],
)
def test_seat_words(numbers: tuple[int, ...], words: str) -> None:
    assert seat_words(numbers) == words


def test_rules_say_how_many_seats_there_are(partners: Game) -> None:
    advanced = partners.variant("advanced")
    assert GAME.seat_numbers(RULES) == (1, 2, 3, 4, 5, 6)
    assert partners.seat_numbers(RULES) == (2, 3, 4)
    assert partners.seat_numbers(advanced) == (4, 6, 8)
    partners.check_seats(4, RULES)
    partners.check_seats(4, advanced)
    with pytest.raises(UsageError, match=r"^criss-cross under these rules is for 2 to 4 seats, not 6$"):
        partners.check_seats(6, RULES)
    with pytest.raises(UsageError, match=r"^criss-cross under these rules is for 4, 6 or 8 seats, not 5$"):
        partners.check_seats(5, advanced)
    always = dataclasses.replace(GAME, seat_counts=lambda rules: (1, 2, 3, 4, 5, 6))
    with pytest.raises(UsageError, match=r"^criss-cross is for 1 to 6 seats, not 7$"):
        always.check_seats(7, RULES)


def test_rules_say_who_plays_together(partners: Game) -> None:
    advanced = partners.variant("advanced")
    assert not GAME.in_teams(RULES, 4)
    assert not partners.in_teams(RULES, 4)
    assert partners.parties(RULES, 4) == {f"seat {seat}": seat for seat in range(4)}
    assert partners.party_of(RULES, 4) == (0, 1, 2, 3)
    assert partners.in_teams(advanced, 6)
    assert partners.parties(advanced, 6) == {"red": 0, "blue": 1, "green": 2}
    assert partners.party_of(advanced, 6) == (0, 1, 2, 0, 1, 2)


@pytest.mark.parametrize("seats", range(1, 7))
def test_rotate_gives_each_strategy_each_seat_once(seats: int) -> None:
    rotations = GAME.rotate(RULES, seats)
    assert len(rotations) == seats
    assert rotations[0] == tuple(range(seats))
    for rotation in rotations:
        assert sorted(rotation) == list(range(seats))
    for seat in range(seats):
        assert sorted(rotation[seat] for rotation in rotations) == list(range(seats))


@pytest.mark.parametrize("name", game_names())
def test_facts_of_every_game(name: str) -> None:
    game = find_game(name)
    assert isinstance(game, Game)
    assert game.name == name
    assert game.rules_version in game.history
    assert game.columns[1:3] == STANDARD_COLUMNS[1:]
    assert game.columns[0] == (WON if game.score_is_win else STANDARD_COLUMNS[0])
    names = [column.name for column in game.columns]
    assert len(set(names)) == len(names)
    assert "basic" in game.variants
    for variant in game.variants:
        rules = game.variant(variant)
        low, high = game.score_range(rules)
        assert low < high
        assert not game.score_is_win or (low, high) == (0, 1)
        assert game.longest(rules) > 0
    numbers = {seats for variant in game.variants for seats in game.seat_numbers(game.variant(variant))}
    assert (min(numbers), max(numbers)) == game.seats
    assert all(WIN_UNIT % seats == 0 for seats in range(1, game.seats[1] + 1))
    assert [bound for bound, _ in game.bands] == sorted((bound for bound, _ in game.bands), reverse=True)
