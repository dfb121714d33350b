import pickle
from typing import Any

import numpy as np
import pytest

from sims import jit
from sims.bits import Word
from sims.chance import below
from sims.criss_cross import CRISS_CROSS, ILLEGAL, gain, random_move
from sims.errors import StrategyError, UsageError
from sims.jit import COMPILED
from sims.table import SEAT, Player, Table, known
from strategies import Strategy, find_strategy, heuristic, noisy, restrict, restriction, rollout, strategy

BASIC = CRISS_CROSS.variant()
UNIFORM = find_strategy(CRISS_CROSS.name, "uniform")
BLUNDER = find_strategy(CRISS_CROSS.name, "blunder")


@strategy("criss-cross")
def corner(view: Any, rng: Any, params: Any) -> Any:
    """Always the corner, which is taken."""
    return 0


@strategy("criss-cross")
def seldom_wrong(view: Any, rng: Any, params: Any) -> Any:
    """A number that is no move, in the seventh round on a double six."""
    if view.round_number == 7 and view.first == 6 and view.second == 6:
        return ILLEGAL
    return random_move(view, rng)


@strategy("criss-cross")
def superstitious(view: Any, rng: Any, params: Any) -> Any:
    """Draws a number first, and does not like a seven."""
    if below(rng, 8) == 7:
        raise ValueError("seven is bad luck")
    return random_move(view, rng)


@strategy("criss-cross")
def dreamer(view: Any, rng: Any, params: Any) -> Any:
    """Fails where it thinks ahead."""
    if view.ahead and view.round_number >= 4:
        raise ValueError("too far ahead")
    return random_move(view, rng)


@heuristic("criss-cross")
def root(view: Any, move: Any, params: Any) -> Any:
    """The square root of the gain less 1, which is no number for a gain of 0."""
    return np.sqrt(gain(view, move) - 1.0)


@heuristic("criss-cross")
def picky(view: Any, move: Any, params: Any) -> Any:
    """Refuses to value a flipped move in the third round."""
    if view.round_number == 3 and move % 2 == 1:
        raise ValueError("flipped")
    return gain(view, move)


@restriction("criss-cross")
def broken(view: Any, move: Any, params: Any) -> Any:
    """Fails in the second round."""
    if view.round_number == 2:
        raise ValueError("no opinion")
    return False


@restriction("criss-cross")
def negative(view: Any, move: Any, params: Any) -> Any:
    """A number below 0."""
    return -3


@strategy("criss-cross")
def counting(view: Any, rng: Any, params: Any) -> Any:
    """Remembers in its parameters how often it was asked, and goes wrong once."""
    params[15] += 1
    return ILLEGAL if params[15] == 5 else random_move(view, rng)


def failure(*lineup: Strategy, deals: int = 400, first: int = 0) -> StrategyError:
    """Play until a strategy fails, and return what is said about it."""
    table = Table(CRISS_CROSS, BASIC, [one.player() for one in lineup])
    with pytest.raises(StrategyError) as caught:
        table.play(12, first, table.new_outcomes(deals))
    assert "\n" not in str(caught.value)
    return caught.value


def test_table_refuses_a_number_of_seats_that_the_game_does_not_have() -> None:
    with pytest.raises(UsageError, match=r"^criss-cross is for 1 to 6 seats, not 7$"):
        Table(CRISS_CROSS, BASIC, [UNIFORM.player()] * 7)
    with pytest.raises(UsageError, match=r"not 0$"):
        Table(CRISS_CROSS, BASIC, [])


def test_new_outcomes() -> None:
    table = Table(CRISS_CROSS, BASIC, [UNIFORM.player()] * 3)
    outcomes = table.new_outcomes(5)
    assert outcomes.shape == (5, 3, len(CRISS_CROSS.columns))
    assert outcomes.dtype == np.int16


def test_an_illegal_move_names_spec_move_deal_and_seat() -> None:
    error = failure(UNIFORM, corner, first=30)
    message = str(error)
    assert message.startswith("corner made an illegal move: ")
    assert message.endswith("which are not both empty (deal 30, seat 1)")
    assert " to row 1, column 1 and " in message
    assert error.deal == 30
    assert error.trace == ""
    assert error.position.splitlines()[-1].startswith("round 1, rolled ")


def test_an_illegal_move_in_a_later_deal_and_round() -> None:
    error = failure(UNIFORM, UNIFORM, seldom_wrong)
    assert str(error) == (
        "seldom-wrong made an illegal move: move 18446744073709551615, which is no pair of neighbouring cells "
        f"(deal {error.deal}, seat 2)"
    )
    assert error.deal > 0
    *sheet, last = error.position.splitlines()
    assert last == "round 7, rolled = and ="
    assert len(sheet) == 5
    assert sum(sign != "." for line in sheet for sign in line.split()) == 13
    assert str(failure(UNIFORM, UNIFORM, seldom_wrong, deals=1, first=error.deal)) == str(error)


def test_deals_before_the_refused_one_are_written() -> None:
    lineup = [UNIFORM.player(), seldom_wrong.player()]
    table = Table(CRISS_CROSS, BASIC, lineup)
    outcomes = table.new_outcomes(400)
    with pytest.raises(StrategyError) as caught:
        table.play(12, 0, outcomes)
    deal = caught.value.deal
    assert deal > 0
    good = Table(CRISS_CROSS, BASIC, [UNIFORM.player()] * 2)
    expected = good.new_outcomes(deal)
    good.play(12, 0, expected)
    assert outcomes[:deal].tolist() == expected.tolist()


def test_a_table_plays_on_after_a_failure() -> None:
    table = Table(CRISS_CROSS, BASIC, [seldom_wrong.player()])
    outcomes = table.new_outcomes(400)
    with pytest.raises(StrategyError) as caught:
        table.play(12, 0, outcomes)
    again = table.new_outcomes(caught.value.deal)
    table.play(12, 0, again)
    assert again.tolist() == outcomes[: caught.value.deal].tolist()


def test_an_exception_comes_with_its_traceback_in_plain_python() -> None:
    error = failure(superstitious)
    assert str(error) == f"superstitious raised ValueError: seven is bad luck (deal {error.deal}, seat 0)"
    assert 'raise ValueError("seven is bad luck")' in error.trace
    assert __file__ in error.trace
    assert "sims/table.py" not in error.trace.replace("\\", "/")  # nothing of ours
    assert error.trace.startswith("Traceback (most recent call last):")
    assert error.trace.endswith("ValueError: seven is bad luck")


def test_log_explains_as_play_does() -> None:
    error = failure(superstitious)
    table = Table(CRISS_CROSS, BASIC, [superstitious.player()])
    with pytest.raises(StrategyError) as caught:
        table.log(12, 0, 400)
    assert str(caught.value) == str(error)
    assert caught.value.deal == error.deal


def test_a_plain_chooser_is_not_taken_for_a_rollout_of_its_neighbour() -> None:
    error = failure(rollout(UNIFORM, 1), superstitious, deals=60 if COMPILED else 20)
    assert str(error) == f"superstitious raised ValueError: seven is bad luck (deal {error.deal}, seat 1)"


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_a_value_that_is_not_a_number() -> None:
    error = failure(UNIFORM, root)
    assert str(error).startswith("root returned a value that is not a number for ")
    assert str(error).endswith("(deal 0, seat 1)")
    assert "which are" not in str(error)  # the move that it could not value is a legal one
    assert error.position
    assert error.trace == ""


def test_an_exception_in_a_heuristic_names_the_move() -> None:
    error = failure(picky)
    assert str(error).startswith("picky raised ValueError: flipped for ")
    assert error.position.splitlines()[-1].startswith("round 3, rolled ")
    assert 'raise ValueError("flipped")' in error.trace


@pytest.mark.parametrize("base", [UNIFORM, BLUNDER])
def test_an_exception_in_a_restriction(base: Strategy) -> None:
    error = failure(restrict(base, never=broken))
    spec = f"restrict({base.name},never=broken)"
    assert str(error) == f"the restriction of {spec} raised ValueError: no opinion (deal 0, seat 0)"
    assert 'raise ValueError("no opinion")' in error.trace
    assert error.position.splitlines()[-1].startswith("round 2, rolled ")


@pytest.mark.parametrize("base", [UNIFORM, BLUNDER])
def test_a_restriction_that_says_neither_yes_nor_no(base: Strategy) -> None:
    error = failure(restrict(base, never=negative))
    spec = f"restrict({base.name},never=negative)"
    assert str(error) == f"the restriction of {spec} returned -3, which is neither true nor false (deal 0, seat 0)"


def test_a_failure_inside_a_rollout() -> None:
    error = failure(UNIFORM, rollout(dreamer, 2))
    assert str(error) == "rollout(dreamer,2) raised ValueError: too far ahead (deal 0, seat 1, in a rollout)"
    assert 'raise ValueError("too far ahead")' in error.trace
    assert error.position.splitlines()[-1].startswith("round 4, rolled ")


def test_a_restriction_fails_around_a_rollout_and_inside_it() -> None:
    around = failure(restrict(rollout(UNIFORM, 1), never=broken))
    assert str(around).endswith("raised ValueError: no opinion (deal 0, seat 0)")
    inside = failure(rollout(restrict(UNIFORM, never=broken), 1))
    assert str(inside).endswith("raised ValueError: no opinion (deal 0, seat 0, in a rollout)")


def test_a_noisy_player_fails_like_any_other() -> None:
    error = failure(noisy(superstitious, 0.3))
    assert str(error).startswith("noisy(superstitious,0.3) raised ValueError: seven is bad luck")


def test_hidden_state_is_found_out() -> None:
    error = failure(counting)
    assert str(error).startswith("a move of deal 0 was refused once and accepted when played again: ")


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_a_second_table_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    @heuristic("criss-cross")
    def fresh(view: Any, move: Any, params: Any) -> Any:
        return gain(view, move)

    heard: list[str] = []
    Table(CRISS_CROSS, BASIC, [fresh.player()])
    monkeypatch.setattr(jit, "_listeners", [heard.append])
    Table(CRISS_CROSS, BASIC, [fresh.player()] * 3)
    assert heard == []


def test_fill_writes_the_player_to_its_record() -> None:
    seats = np.zeros(2, SEAT).view(np.recarray)
    UNIFORM.player().fill(seats[0], CRISS_CROSS, CRISS_CROSS.rules())
    assert seats[0].chooser > 0
    assert (seats[0].plain, seats[0].by_value, seats[0].limited) == (1, 0, 0)
    made = noisy(rollout(noisy(restrict(BLUNDER, never=broken), 0.25), 7), 0.5)
    made.player().fill(seats[1], CRISS_CROSS, CRISS_CROSS.rules())
    seat = seats[1]
    assert seat.chooser == 0
    assert seat.valuer > 0
    assert seat.forbidder > 0
    assert (seat.plain, seat.by_value, seat.limited, seat.rollout_limited) == (0, 1, 1, 0)
    assert (seat.noise, seat.rollouts, seat.rollout_noise) == (0.25, 7, 0.5)


def test_params_reach_the_strategy() -> None:
    def obeys(view: Any, move: Any, params: Any) -> Any:
        return -abs(float(move) - params[1])

    table = Table(CRISS_CROSS, BASIC, [Player("obeys", "", valuer=obeys, params=(0.0, 21.0))])
    _, logs = table.log(1, 0)
    assert logs[0].moves[0, 0] in (20, 21)  # a double has only the even one of the two


def test_what_a_strategy_knows_by_heart_depends_on_the_rules() -> None:
    wanted = {BASIC: np.array([0.0, 21.0]), BASIC.replace(zero_line_points=-1): np.array([0.0, 40.0])}

    def recalls(view: Any, move: Any, params: Any) -> Any:
        return -abs(float(move) - known(params, 2)[1])

    player = Player("recalls", "", valuer=recalls, knowledge=wanted.__getitem__)
    for rules, numbers in wanted.items():
        _, logs = Table(CRISS_CROSS, rules, [player]).log(1, 0)
        assert int(logs[0].moves[0, 0]) | 1 == int(numbers[1]) | 1


def test_errors_travel_whole() -> None:
    error = StrategyError("message", "position", "trace", 7, "replay")
    copy = pickle.loads(pickle.dumps(error))
    assert isinstance(copy, StrategyError)
    assert (str(copy), copy.position, copy.trace, copy.deal, copy.replay) == (
        "message",
        "position",
        "trace",
        7,
        "replay",
    )


def test_words_of_a_table_are_unsigned() -> None:
    table = Table(CRISS_CROSS, BASIC, [UNIFORM.player()])
    low, high = table.new_outcomes(1), table.new_outcomes(1)
    table.play(2**64 - 1, 2**63, low)
    table.play(2**64 - 1, 2**63 + 1, high)
    assert low[0, 0, 0] >= 0
    assert (low != high).any()
    assert Word(2**64 - 1) == ILLEGAL
