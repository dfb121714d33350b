import dataclasses
import functools
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from analysis.simulation import Results, simulate
from sims import cross_off as co
from sims.bits import ONE, Word, lowest_bit
from sims.cross_off import CROSS_OFF, PAIR, SUM, CrossOffRules
from sims.game import SCORE, WIN, WIN_UNIT
from sims.jit import COMPILED, jit
from sims.table import Table
from strategies import cross_off_exact as exact
from strategies import cross_off_optimal as perfect
from strategies import find_strategy
from strategies.cross_off_exact import CLOSED, ROWS

BASIC, FINISHED = CrossOffRules(), CrossOffRules(finish_turn=True)
# Solved only by the slow tests.
HOUSE = (
    CrossOffRules(
        mark_points=(0, 2, 3, 3, 7, 12, 14, 20, 31, 33, 40, 52, 60),
        marks_to_close=4,
        penalty_points=7,
        penalties_to_end=2,
        tracks_to_end=1,
    ),
    CrossOffRules(
        mark_points=(-4, -2, 0, 3, 6, 9, 12, 16, 20, 24, 28, 32, 36),
        marks_to_close=2,
        penalty_points=0,
        penalties_to_end=3,
        tracks_to_end=3,
        finish_turn=True,
    ),
)

Track = tuple[int, int] | None  # place of the last mark (0: none) and marks; None: closed
EMPTY: Track = (0, 0)
DEAD: Track = (10, 1)  # nothing can be marked any more
RED_LEFT = ((10, 5), DEAD, DEAD, DEAD)  # but the last number of red

compiled_only = pytest.mark.skipif(not COMPILED, reason="a full table takes hours in plain Python")


def position(
    tracks: tuple[Track, ...],
    dice: str = "11 1111",
    *,
    rules: CrossOffRules = BASIC,
    penalties: int = 0,
    seats: int = 1,
    roller: int = 0,
    step: int = SUM,
    marked: bool = False,
) -> Any:
    """A decision of seat 0; the dice are two plain ones, then red, yellow, green and blue."""
    view = co.new_views(rules, seats)[0]
    co.set_up(view)
    free = marks = 0
    for track, state in enumerate(tracks):
        if state is None:
            co.close(view, Word(16 * track + co.LAST))
            continue
        place, count = state
        lane = sum(1 << at for at in range(place + 1, co.LAST)) | (count >= rules.marks_to_close) << co.LAST
        free |= lane << 16 * track
        marks |= count << 16 * track
    view.sheet_open[0], view.sheet_marks[0], view.penalties[0] = free, marks, penalties
    view.turn, view.roller, view.marked = 1, roller, marked
    plain, coloured = dice.split()
    view.plain[:], view.coloured[:] = [int(die) for die in plain], [int(die) for die in coloured]
    co.leave_out_dice(view)
    if step == SUM:
        co.offer_sum(view, 0)
    else:
        co.offer_pair(view)
    return view


def mark(words: str) -> int:
    """The move that people call "red 7", or "pass"."""
    if words == "pass":
        return 0
    colour, number = words.split()
    track = co.TRACK_NAMES.index(colour)
    return 16 * track + co.position_of(track, int(number))


def number_of(track: Track) -> int:
    return CLOSED if track is None else int(exact.track_state(*track))


def row_of(tracks: tuple[Track, ...]) -> int:
    return int(exact.row(*(number_of(track) for track in tracks)))


def later(track: Track, needed: int) -> list[Track]:
    """A track and all that marks can make of it."""
    if track is None:
        return [None]
    place, count = track
    marked: list[Track] = [track]
    marked += [(at, count + more) for at in range(place + 1, 11) for more in range(1, at - place + 1)]
    closes = any(state is not None and state[1] >= needed for state in marked)
    return [*marked, None] if closes else marked


@functools.cache
def late_values(rules: CrossOffRules, tracks: tuple[Track, ...]) -> NDArray[np.float64]:
    """A table that is solved for all that can follow this state, and zero elsewhere."""
    following = list(product(*(later(track, rules.marks_to_close) for track in tracks)))
    found = exact.evaluate(perfect.model_of(rules), [[number_of(track) for track in each] for each in following])
    values = np.zeros((ROWS, rules.penalties_to_end))
    values[[row_of(each) for each in following]] = found
    return values.reshape(-1)


def worths(view: Any, values: NDArray[np.float64]) -> dict[str, float]:
    """What each move is worth."""
    states = perfect.states_of(view)
    return {
        co.mark_name(move) if move else "pass": float(perfect.worth_of_move(view, values, states, Word(move)))
        for move in co.moves_of(view)
    }


def table(specs: list[str], rules: CrossOffRules = BASIC) -> Table:
    return Table(CROSS_OFF, rules, [find_strategy(CROSS_OFF.name, spec).player() for spec in specs])


def scores_and_losses(spec: str, deals: int, rules: CrossOffRules = BASIC, seed: int = 1) -> tuple[Any, Any]:
    """Score by deal, and what its decisions gave away, shape (deals, steps, 3)."""
    rows, logs = table([spec], rules).log(seed, 0, deals)
    return rows[:, 0, SCORE].astype(float), perfect.losses_of(rules, logs)


def standard_error(values: Any) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def played(deals: int, variant: CrossOffRules = BASIC) -> Results:
    return simulate(CROSS_OFF, "optimal", deals=deals, seed=1, variant=variant, rows=False, progress=False)


def assert_has_its_mean(results: Results, errors: float) -> None:
    histogram = results.histogram()
    expected = perfect.expected_of(results.design.rules)
    assert abs(histogram.mean - expected) < errors * histogram.standard_error


# --- The mean that is foretold ---------------------------------------------------------------------------------------


@compiled_only
def test_known_expectation() -> None:
    """The published value, to eight places by two other programs."""
    assert perfect.expected_of(BASIC) == pytest.approx(115.48312602, abs=1e-8)


@compiled_only
def test_optimal_scores_what_is_foretold() -> None:
    results = played(200_000)
    assert_has_its_mean(results, 4)
    row = results.summary().row(0, named=True)
    assert row["turns"] == pytest.approx(26.15, abs=0.04)
    assert row["end"] == pytest.approx(0.547, abs=0.006)  # by penalties


@compiled_only
@pytest.mark.slow
def test_optimal_scores_what_is_foretold_when_the_turn_is_finished() -> None:
    assert perfect.expected_of(FINISHED) == pytest.approx(115.91081503, abs=1e-8)
    assert_has_its_mean(played(200_000, FINISHED), 4)


@compiled_only
@pytest.mark.slow
def test_optimal_scores_what_is_foretold_in_ten_million_deals() -> None:
    assert_has_its_mean(played(10_000_000), 3)


@compiled_only
@pytest.mark.slow
@pytest.mark.parametrize("rules", HOUSE, ids=["short", "long"])
def test_optimal_scores_what_is_foretold_under_house_rules(rules: CrossOffRules) -> None:
    assert_has_its_mean(played(200_000, rules), 4)


# --- Losses ----------------------------------------------------------------------------------------------------------


def assert_losses_make_up_the_rest(spec: str, rules: CrossOffRules, deals: int) -> None:
    points, losses = scores_and_losses(spec, deals, rules)
    lost = losses[..., 0].sum(axis=1)
    total = points + lost
    assert lost.mean() > 1
    assert abs(total.mean() - perfect.expected_of(rules)) < 4 * standard_error(total)


@compiled_only
@pytest.mark.parametrize("spec", ["uniform", "blunder", "expectation", "planner"])
def test_score_and_losses_make_up_perfect_play(spec: str) -> None:
    assert_losses_make_up_the_rest(spec, BASIC, 10_000)


@compiled_only
@pytest.mark.slow
@pytest.mark.parametrize("rules", [FINISHED, *HOUSE], ids=["finished", "short", "long"])
@pytest.mark.parametrize("spec", ["uniform", "rusher", "planner"])
def test_score_and_losses_make_up_perfect_play_under_house_rules(spec: str, rules: CrossOffRules) -> None:
    assert_losses_make_up_the_rest(spec, rules, 20_000)


@compiled_only
def test_losses_of_a_strong_player_vary_less_than_its_scores() -> None:
    points, losses = scores_and_losses("planner", 5_000)
    assert losses[..., 0].sum(axis=1).std() < points.std() / 2


def assert_optimal_loses_nothing(rules: CrossOffRules, deals: int) -> None:
    _, losses = scores_and_losses("optimal", deals, rules)
    assert (losses[..., 0] == 0).all()
    assert (losses[..., 2] == 0).all()
    assert (losses[..., 1].sum(axis=0) > deals).all()  # of both kinds there are several a game


@compiled_only
def test_optimal_loses_nothing() -> None:
    assert_optimal_loses_nothing(BASIC, 1_000)


@compiled_only
@pytest.mark.slow
@pytest.mark.parametrize("rules", [FINISHED, *HOUSE], ids=["finished", "short", "long"])
def test_optimal_loses_nothing_under_house_rules(rules: CrossOffRules) -> None:
    assert_optimal_loses_nothing(rules, 1_000)


@compiled_only
def test_losses_count_every_decision() -> None:
    deals = 200
    _, logs = table(["conservative"]).log(4, 0, deals)
    losses = perfect.losses_of(BASIC, logs)
    assert losses.shape == (deals, 2, 3)
    for log, lost in zip(logs, losses, strict=True):
        options = CROSS_OFF.choices(BASIC, log, 1)[:, 0]
        assert lost[SUM, 1] == (options[0::2] > 0).sum()
        assert lost[PAIR, 1] == (options[1::2] > 0).sum()
    assert (losses[..., 0] >= 0).all()
    assert (losses[..., 2] <= losses[..., 1]).all()
    assert ((losses[..., 0] > 1e-9) == (losses[..., 2] > 0)).all()


def loss_of(view: Any, words: str, values: NDArray[np.float64]) -> list[float]:
    losses = np.zeros(3)
    perfect.add_loss(view, values, Word(mark(words)), losses)
    return [float(value) for value in losses]


def test_loss_of_a_decision_by_hand() -> None:
    """Before the last penalty red can be closed: 28 points instead of 15, and a last turn to take the penalty in."""
    values = late_values(BASIC, RED_LEFT)
    view = position(RED_LEFT, "66 1111", penalties=3)
    # 28 at once, then 1 + 1 + 1 − 5; or 15 + 1 + 1 + 1 − 5 now.
    assert worths(view, values) == pytest.approx({"pass": 13.0, "red 12": 26.0})
    assert loss_of(view, "red 12", values) == [0.0, 1.0, 0.0]
    assert loss_of(view, "pass", values) == pytest.approx([13.0, 1.0, 1.0])


def test_loss_of_a_pair_by_hand() -> None:
    values = late_values(BASIC, RED_LEFT)
    view = position(RED_LEFT, "16 6111", penalties=3, step=PAIR)
    assert loss_of(view, "pass", values) == pytest.approx([13.0, 1.0, 1.0])
    assert loss_of(view, "red 12", values) == [0.0, 1.0, 0.0]
    # With a mark before, to pass costs no penalty; red can be closed in 16 of the 216 rolls of the next turn.
    view = position(RED_LEFT, "16 6111", penalties=3, step=PAIR, marked=True)
    assert loss_of(view, "pass", values) == pytest.approx([26 - (13 + 13 * 2 / 27), 1.0, 1.0])


def test_a_loss_below_what_counts_is_none() -> None:
    """Red and yellow in the same state: to close the one is as good as to close the other."""
    twins = ((10, 5), (10, 5), DEAD, DEAD)
    values = late_values(BASIC, twins)
    view = position(twins, "66 1111")
    for words in ("red 12", "yellow 12"):
        lost, decisions, not_best = loss_of(view, words, values)
        assert lost < perfect.NEARLY_EQUAL
        assert (decisions, not_best) == (1.0, 0.0)
    assert loss_of(view, "pass", values)[2] == 1.0


# --- Every roll of a turn --------------------------------------------------------------------------------------------


@jit
def best_of(view: Any, values: Any) -> Any:
    """The worth of the best move."""
    states = perfect.states_of(view)
    best = perfect.LOWEST
    left = Word(view.legal)
    while left:
        move = lowest_bit(left)
        left &= left - ONE
        best = max(best, perfect.worth_of_move(view, values, states, move))
    return best


@jit
def mean_of_rolls(view: Any, values: Any, sides: Any) -> Any:
    """The mean over all rolls of the worth of the best move; a die with one side cannot matter."""
    total, rolls = 0.0, 0
    for first in range(1, 7):
        for second in range(1, 7):
            for red in range(1, sides[0] + 1):
                for yellow in range(1, sides[1] + 1):
                    for green in range(1, sides[2] + 1):
                        for blue in range(1, sides[3] + 1):
                            view.plain[0], view.plain[1] = first, second
                            view.coloured[0], view.coloured[1] = red, yellow
                            view.coloured[2], view.coloured[3] = green, blue
                            co.leave_out_dice(view)
                            co.offer_sum(view, 0)
                            total += best_of(view, values)
                            rolls += 1
    return total / rolls


def assert_a_turn_is_worth_its_state(
    tracks: tuple[Track, ...], penalties: int, values: NDArray[np.float64], rules: CrossOffRules
) -> None:
    view = position(tracks, rules=rules, penalties=penalties)
    sides = np.array([6 if int(co.lane(view.open, track)) else 1 for track in range(4)])
    state = values[row_of(tracks) * rules.penalties_to_end + penalties]
    assert mean_of_rolls(view, values, sides) == pytest.approx(float(state), rel=1e-12, abs=1e-10)


LATE = [
    (RED_LEFT, BASIC),
    (((9, 4), None, DEAD, DEAD), BASIC),  # the fifth mark, and then the last number
    ((None, DEAD, DEAD, (10, 5)), FINISHED),
    ((None, DEAD, (8, 4), DEAD), FINISHED),
    (((9, 1), DEAD, DEAD, DEAD), HOUSE[1]),
    ((DEAD, DEAD, (9, 4), DEAD), HOUSE[0]),
    (((10, 6), DEAD, DEAD, (10, 5)), BASIC),
    (((10, 6), (10, 5), DEAD, DEAD), FINISHED.replace(tracks_to_end=1)),
]


@pytest.mark.parametrize(("tracks", "rules"), LATE)
def test_a_late_turn_is_worth_its_state(tracks: tuple[Track, ...], rules: CrossOffRules) -> None:
    values = late_values(rules, tracks)
    for penalties in range(rules.penalties_to_end):
        assert_a_turn_is_worth_its_state(tracks, penalties, values, rules)


def random_tracks(source: np.random.Generator) -> tuple[Track, ...]:
    tracks: list[Track] = []
    for _ in range(4):
        place = int(source.integers(0, 11))
        tracks.append((place, int(source.integers(1, place + 1))) if place else EMPTY)
    if source.integers(2):
        tracks[int(source.integers(4))] = None
    return tuple(tracks)


@compiled_only
@pytest.mark.parametrize("seed", range(6))
def test_any_turn_is_worth_its_state(seed: int) -> None:
    source = np.random.default_rng(seed)
    tracks = random_tracks(source) if seed else (EMPTY,) * 4
    assert_a_turn_is_worth_its_state(tracks, int(source.integers(4)), perfect.values_of(BASIC), BASIC)


@compiled_only
@pytest.mark.slow
@pytest.mark.parametrize("rules", [FINISHED, *HOUSE], ids=["finished", "short", "long"])
def test_any_turn_is_worth_its_state_under_house_rules(rules: CrossOffRules) -> None:
    source = np.random.default_rng(7)
    for _ in range(6):
        tracks, penalties = random_tracks(source), int(source.integers(rules.penalties_to_end))
        if tracks.count(None) < rules.tracks_to_end:
            assert_a_turn_is_worth_its_state(tracks, penalties, perfect.values_of(rules), rules)


# --- What moves lead to ----------------------------------------------------------------------------------------------


def test_model_of() -> None:
    for rules in (BASIC, FINISHED, *HOUSE):
        model = perfect.model_of(rules)
        assert {name: getattr(model, name) for name in rules.options()} == {
            name: getattr(rules, name) for name in rules.options()
        }
        assert model.bonus == 1


def test_pack() -> None:
    assert int(perfect.pack(1, 2, 3, CLOSED)) == 1 + (2 << 8) + (3 << 16) + (CLOSED << 24)


def test_states_of() -> None:
    tracks = ((3, 2), None, EMPTY, (10, 10))
    view = position(tracks)
    assert [int(perfect.state_of(view, track)) for track in range(4)] == [number_of(track) for track in tracks]
    assert int(perfect.states_of(view)) == sum(number_of(track) << 8 * at for at, track in enumerate(tracks))


@compiled_only
def test_worth() -> None:
    tracks = ((3, 2), None, EMPTY, (9, 6))
    view, values = position(tracks), perfect.values_of(BASIC)
    for penalties in range(4):
        found = perfect.worth(view, values, perfect.states_of(view), penalties)
        assert found == values[row_of(tracks) * 4 + penalties]


def test_with_mark() -> None:
    tracks = ((3, 2), None, (10, 5), (9, 6))
    view = position(tracks)
    states = perfect.states_of(view)

    def after(words: str) -> tuple[int, float]:
        moved, paid = perfect.with_mark(view, states, Word(view.marks), Word(mark(words)))
        return int(moved), float(paid)

    def packed(*changed: Track) -> int:
        return sum(number_of(track) << 8 * at for at, track in enumerate(changed))

    assert after("red 9") == (packed((8, 3), *tracks[1:]), 0.0)
    assert after("blue 3") == (packed(*tracks[:3], (10, 7)), 0.0)
    assert after("blue 2") == (packed(*tracks[:3], None), 36.0)  # six marks, this one and the bonus
    assert after("green 2") == (packed(*tracks[:2], None, tracks[3]), 28.0)


def test_worth_of_pass() -> None:
    values = late_values(BASIC, RED_LEFT)
    before = values[row_of(RED_LEFT) * 4 :][:4]
    for penalties in range(3):
        view = position(RED_LEFT, penalties=penalties)
        states = perfect.states_of(view)
        assert perfect.worth_of_pass(view, values, states, True) == before[penalties]
        assert perfect.worth_of_pass(view, values, states, False) == before[penalties + 1] - 5
    view = position(RED_LEFT, penalties=3)
    assert perfect.worth_of_pass(view, values, perfect.states_of(view), False) == 15 + 3 - 5
    closed = position((None, *RED_LEFT[1:]), penalties=3)  # its points were counted when it was closed
    assert perfect.worth_of_pass(closed, values, perfect.states_of(closed), False) == 3 - 5


def test_worth_of_pair() -> None:
    values = late_values(BASIC, RED_LEFT)
    view = position(RED_LEFT, "16 6111", penalties=1, step=PAIR)
    found = perfect.worth_of_pair(view, values, perfect.states_of(view), Word(view.marks), Word(mark("red 12")))
    assert found == 28 + values[row_of((None, *RED_LEFT[1:])) * 4 + 1] == 28 + 3 - 15


def test_worth_of_pair_step() -> None:
    values = late_values(BASIC, RED_LEFT)
    for dice, marked, worth in (("16 6111", False, 26.0), ("16 5111", False, 13.0), ("16 5111", True, 13 + 26 / 27)):
        view = position(RED_LEFT, dice, penalties=3, step=PAIR)
        arguments = perfect.states_of(view), Word(view.open), Word(view.marks), marked
        assert perfect.worth_of_pair_step(view, values, *arguments) == pytest.approx(worth)


def test_worth_of_a_sum_counts_the_pair_that_follows() -> None:
    tracks = ((9, 4), None, DEAD, DEAD)
    values = late_values(BASIC, tracks)
    ready = values[row_of(((10, 5), None, DEAD, DEAD)) * 4 + 3]
    # Red 11 is the fifth mark, and 6 + 6 closes red: 28, and one each for green and blue, then the game is over.
    view = position(tracks, "56 6111", penalties=3)
    assert worths(view, values) == pytest.approx({"pass": ready, "red 11": 28 + 2})
    view = position(tracks, "56 5111", penalties=3)  # red 11 in either step, and no close
    assert worths(view, values) == pytest.approx({"pass": ready, "red 11": ready})


@pytest.mark.parametrize(("rules", "later_points"), [(BASIC, 1 + 1), (FINISHED, 3 + 1)])
def test_the_pair_step_after_the_last_close(rules: CrossOffRules, later_points: int) -> None:
    """Two sixes close red, the second track: only when the turn is finished is there a second mark on green."""
    values = np.zeros(ROWS * 4)
    values[row_of((None, None, (1, 1), DEAD)) * 4] = 1 + 1
    values[row_of((None, None, (2, 2), DEAD)) * 4] = 3 + 1
    view = position(((10, 5), None, (1, 1), DEAD), "66 1151", rules=rules)  # 6 + 5 is green 11
    assert worths(view, values)["red 12"] == 28 + later_points


def test_in_the_turn_of_another_seat_a_mark_is_a_gift() -> None:
    values = late_values(BASIC, RED_LEFT)
    before, after = values[row_of(RED_LEFT) * 4 + 2], values[row_of((None, *RED_LEFT[1:])) * 4 + 2]
    view = position(RED_LEFT, "66 6666", penalties=2, seats=2, roller=1)
    assert worths(view, values) == pytest.approx({"pass": before, "red 12": 28 + after})


# --- The player ------------------------------------------------------------------------------------------------------


@compiled_only
def test_optimal_makes_the_best_move() -> None:
    values = perfect.values_of(BASIC)
    _, logs = table(["optimal"]).log(3, 0, 20)
    differed = 0
    for log in logs:
        view = co.new_views(BASIC, 1)[0]
        co.set_up(view)
        while not view.ended:
            co.roll_again(view, log)
            for step, moves in ((SUM, log.sums[:, 0]), (PAIR, log.pairs)):
                made = int(moves[view.turn - 1])
                if co.offer_sum(view, 0) if step == SUM else co.offer_pair(view):
                    found = worths(view, values)
                    assert found[co.mark_name(made) if made else "pass"] == max(found.values())
                    differed += len(set(found.values())) > 1
                if step == SUM:
                    co.finish_sum(view, Word(made))
                else:
                    co.finish_pair(view, Word(made))
                if view.ended:
                    break
    assert differed > 300


def test_optimal_plays_by_the_table_that_it_is_given() -> None:
    deals = 200 if COMPILED else 3
    values, others = np.random.default_rng(5).uniform(0, 100, (2, ROWS * 4))
    player = dataclasses.replace(perfect.optimal, knowledge=lambda rules: values).player()
    _, logs = Table(CROSS_OFF, BASIC, [player]).log(1, 0, deals)
    view, losses = co.new_views(BASIC, 1)[0], np.zeros((2, deals, 2, 3))
    perfect.replay_losses(view, logs, values, losses[0])
    perfect.replay_losses(view, logs, others, losses[1])
    assert (losses[0, ..., 1].sum(axis=0) > deals).all()
    assert not losses[0, ..., [0, 2]].any()
    assert (losses[1, ..., 0].sum(axis=0) > deals).all()


@compiled_only
@pytest.mark.parametrize("seats", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("spec", ["optimal", "noisy(optimal,0.2)", "restrict(optimal,never=closes)"])
def test_optimal_is_legal_at_every_table(spec: str, seats: int) -> None:
    rows = table([spec] * seats).new_outcomes(50)
    table([spec] * seats).play(2, 0, rows)
    assert (rows[..., WIN].sum(axis=1) == WIN_UNIT).all()
    if "closes" in spec:
        assert not rows[..., co.CLOSES].any()


@compiled_only
def test_optimal_thinks_ahead_with_what_it_knows() -> None:
    rows = table(["rollout(optimal,2)", "uniform"]).new_outcomes(3)
    table(["rollout(optimal,2)", "uniform"]).play(2, 0, rows)
    assert (rows[:, 0, SCORE] > rows[:, 1, SCORE]).all()


@compiled_only
def test_what_disturbs_optimal_costs_points() -> None:
    deals = 2_000
    best = scores_and_losses("optimal", deals)[0]
    for spec in ("noisy(optimal,0.05)", "restrict(optimal,never=closes)", "restrict(optimal,never=passes)"):
        points, losses = scores_and_losses(spec, deals)
        difference = best - points
        assert difference.mean() > 4 * standard_error(difference)
        assert losses[..., 0].sum() > 0


@compiled_only
def test_optimal_is_no_good_opponent() -> None:
    """The other seat ends the game before its plan bears fruit."""
    deals, won = 4_000, []
    for lineup in (["optimal", "conservative"], ["conservative", "optimal"]):
        seats = table(lineup)
        rows = seats.new_outcomes(deals)
        seats.play(1, 0, rows)
        won.append(rows[:, lineup.index("optimal"), WIN] / WIN_UNIT)
    shares = np.mean(won, axis=0)
    assert shares.mean() + 4 * standard_error(shares) < 0.5


# --- The solver ------------------------------------------------------------------------------------------------------


@compiled_only
def test_values_of_is_the_same_memory_at_every_call() -> None:
    values = perfect.values_of(BASIC)
    assert values.shape == (ROWS * 4,)
    assert values.ctypes.data == perfect.values_of(CrossOffRules()).ctypes.data
    assert not values.flags.writeable


@compiled_only
def test_the_solver_saves_what_it_digests(tmp_path: Path) -> None:
    solver, path = perfect.SOLVER, tmp_path / "basic.values"
    solver.save(path, BASIC)
    loaded = exact.load(path, perfect.model_of(BASIC))
    assert loaded.tobytes() == solver.values(BASIC).tobytes()
    assert solver.digest(BASIC) == exact.digest(loaded)
    assert solver.expected(BASIC) == loaded[0, 0]


def test_the_solver_names_its_parts() -> None:
    solver = perfect.SOLVER
    assert (solver.game, solver.player.name, solver.decisions) == ("cross-off", "optimal", ("sum", "pair"))
    assert solver.player.knowledge is solver.values
