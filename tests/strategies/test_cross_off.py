import functools
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from analysis.intervals import student_interval
from sims import cross_off as co
from sims.asking import new_scratch
from sims.bits import Word
from sims.chance import fill_stream, new_streams
from sims.cross_off import CROSS_OFF, PAIR, SUM, CrossOffRules
from sims.game import RANK, SCORE, WIN, WIN_UNIT
from sims.jit import COMPILED
from sims.table import PROBE, SEAT, Table
from strategies import builtin_restrictions, builtin_strategies, find_strategy
from strategies import cross_off as players

BASIC = CrossOffRules()
LINEAR = CrossOffRules(mark_points=tuple(range(13)))  # every mark is worth the same
PLAYERS = [player.name for player in builtin_strategies(CROSS_OFF.name)]
# The table of `optimal` takes hours in plain Python; tests/strategies/test_cross_off_optimal.py is about it.
HANDMADE = [name for name in PLAYERS if name != "optimal"]
EVERYONE = PLAYERS if COMPILED else HANDMADE
RESTRICTIONS = [restriction.name for restriction in builtin_restrictions(CROSS_OFF.name)]
SIMPLE = ["opportunist", "conservative", "rusher", "race-to-close", "expectation", "careful-close", "penalty-averse"]
# Nothing but red is left to mark: one mark stands before the last number of the others.
RED_ALONE = ", yellow 11, green 3, blue 3"

compiled_only = pytest.mark.skipif(not COMPILED, reason="plays too many games for plain Python")


def mark(words: str) -> int:
    """The move that people call "red 7", or "pass"."""
    if words == "pass":
        return 0
    colour, number = words.split()
    track = co.TRACK_NAMES.index(colour)
    return 16 * track + co.position_of(track, int(number))


def name_of(move: Any) -> str:
    return co.mark_name(int(move)) if move else "pass"


def names_of(view: Any) -> set[str]:
    return {name_of(move) for move in co.moves_of(view)}


def view_of(
    *sheets: str,
    dice: str,
    rules: CrossOffRules = BASIC,
    seat: int = 0,
    roller: int = 0,
    step: int = SUM,
    marked: bool = False,
    penalties: tuple[int, ...] = (),
) -> Any:
    """A decision of a seat.

    A sheet is written as "red 2 3 5, blue 12", the dice as "12 3456": plain ones, then red, yellow, green and blue.
    """
    view = co.new_views(rules, len(sheets))[0]
    co.set_up(view)
    closing = []
    for number, sheet in enumerate(sheets):
        for part in filter(None, sheet.split(", ")):
            colour, *marks = part.split()
            for made in marks:
                move = Word(mark(f"{colour} {made}"))
                assert int(view.sheet_open[number]) >> int(move) & 1, f"{colour} {made} cannot be marked"
                co.mark(view, number, move)
                if co.is_last(move):
                    closing.append(move)
    for move in closing:
        co.close(view, move)
    view.turn, view.roller, view.marked = 1, roller, marked
    view.penalties[: len(penalties)] = penalties
    plain, coloured = dice.split()
    view.plain[:], view.coloured[:] = [int(die) for die in plain], [int(die) for die in coloured]
    co.leave_out_dice(view)
    assert co.offer_sum(view, seat) if step == SUM else co.offer_pair(view)
    return view


def random_views(count: int, rules: CrossOffRules = BASIC, seats: int = 1, seed: int = 1) -> list[Any]:
    """Decisions, one a turn at most, of games in which everybody prefers marks that skip little."""
    source = np.random.default_rng(seed)
    views: list[Any] = []

    def choose(view: Any) -> int:
        moves = co.moves_of(view)
        costs = np.array([float(co.skips(view.open, Word(move))) if move else 3.0 for move in moves])
        return moves[int(np.argmin(costs + source.exponential(1.5, len(moves))))]

    while len(views) < count:
        view = co.new_views(rules, seats)[0]
        co.set_up(view)
        while not view.ended:
            co.begin_turn(view)
            view.plain[:], view.coloured[:] = source.integers(1, 7, 2), source.integers(1, 7, 4)
            co.leave_out_dice(view)
            seen, chosen = [], 0
            for seat in range(seats):
                if co.offer_sum(view, seat):
                    seen.append(view.copy())
                    chosen |= choose(view) << 8 * seat
            co.finish_sum(view, Word(chosen))
            if not view.ended:
                offered = co.offer_pair(view)
                if offered:
                    seen.append(view.copy())
                co.finish_pair(view, Word(choose(view) if offered else 0))
            if seen:
                views.append(seen[source.integers(len(seen))])
    return [views[index] for index in source.permutation(len(views))[:count]]


def random_rules(source: np.random.Generator) -> CrossOffRules:
    return CrossOffRules(
        mark_points=tuple(int(points) for points in np.cumsum(source.integers(-3, 14, 13))),
        marks_to_close=int(source.integers(0, 11)),
        penalty_points=int(source.integers(0, 51)),
        penalties_to_end=int(source.integers(1, 9)),
        tracks_to_end=int(source.integers(1, 5)),
        finish_turn=bool(source.integers(2)),
    )


def stream(start: int = 1) -> Any:
    made = new_streams(1)[0]
    fill_stream(made, Word(start))
    return made


@functools.cache
def seated(spec: str, rules: CrossOffRules = BASIC) -> tuple[Any, Any]:
    """A player's record, and what has to live as long."""
    seat = np.zeros(1, SEAT).view(np.recarray)[0]
    return seat, find_strategy(CROSS_OFF.name, spec).player().fill(seat, CROSS_OFF, rules)


def choice(spec: str, view: Any, rng: Any = None) -> str:
    """What a player does in a position."""
    probe = np.zeros(1, PROBE).view(np.recarray)[0]
    seat, _ = seated(spec)
    rng = stream() if rng is None else rng
    return name_of(co.ask(view, seat, rng, stream(), new_scratch(co.MAX_MOVES), probe))


def choices(spec: str, view: Any) -> set[str]:
    """All that a player does in a position, when it breaks ties at random."""
    return {choice(spec, view, stream(start)) for start in range(40)}


def table(specs: list[str], rules: CrossOffRules = BASIC) -> Table:
    return Table(CROSS_OFF, rules, [find_strategy(CROSS_OFF.name, spec).player() for spec in specs])


def outcomes(specs: list[str], deals: int, rules: CrossOffRules = BASIC, seed: int = 1) -> NDArray[np.int16]:
    played = table(specs, rules)
    rows = played.new_outcomes(deals)
    played.play(seed, 0, rows)
    return rows


def scores(spec: str, deals: int, rules: CrossOffRules = BASIC, seed: int = 1) -> Any:
    return outcomes([spec], deals, rules, seed)[:, 0, SCORE].astype(float)


def duels(first: str, second: str, deals: int, seed: int = 1) -> Any:
    """Ranks of both by deal and rotation, shape (deals, 2, 2): first, second."""
    forth, back = outcomes([first, second], deals, seed=seed), outcomes([second, first], deals, seed=seed)
    return np.stack([forth[:, :, RANK], back[:, ::-1, RANK]], axis=1)


def share_of_wins(first: str, second: str, deals: int) -> tuple[float, float]:
    """The share of wins of the first, both rotations of a deal together, and its standard error."""
    forth, back = outcomes([first, second], deals)[:, 0, WIN], outcomes([second, first], deals)[:, 1, WIN]
    shares = (forth.astype(float) + back) / 2 / WIN_UNIT
    return float(shares.mean()), standard_error(shares)


def share_of_decided(ranks: Any) -> tuple[float, float]:
    """The share of decided games that the first wins, and its standard error over deals (they are independent)."""
    won, lost = (ranks[..., 0] < ranks[..., 1]).sum(axis=1), (ranks[..., 0] > ranks[..., 1]).sum(axis=1)
    decided = won + lost
    share = won.sum() / decided.sum()
    return float(share), float((won - share * decided).std(ddof=1) * len(ranks) ** 0.5 / decided.sum())


def standard_error(values: Any) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))


# --- All players -----------------------------------------------------------------------------------------------------


def test_these_players_are_there() -> None:
    assert set(PLAYERS) == {"optimal", "uniform", "blunder", *SIMPLE, "planner", "score-aware"}


def test_one_player_is_the_weak_one_and_one_the_baseline() -> None:
    tagged = {
        tag: [player.name for player in builtin_strategies(CROSS_OFF.name) if tag in player.tags]
        for tag in ("weak", "baseline", "strong")
    }
    assert tagged == {"weak": ["blunder"], "baseline": ["uniform"], "strong": ["planner", "score-aware"]}


@pytest.mark.parametrize("name", PLAYERS)
def test_player_gives_its_reasons(name: str) -> None:
    player = find_strategy(CROSS_OFF.name, name)
    assert 0 < len(player.summary) <= 70
    assert len(player.doc.split("\n\n")) > 1
    assert all(parameter.doc and parameter.low < parameter.high for parameter in player.parameters)


@pytest.mark.parametrize("name", PLAYERS)
def test_player_can_be_found_by_a_tag(name: str) -> None:
    assert find_strategy(CROSS_OFF.name, name).tags


@pytest.mark.parametrize("name", RESTRICTIONS)
def test_restriction_says_what_it_forbids(name: str) -> None:
    (restriction,) = (item for item in builtin_restrictions(CROSS_OFF.name) if item.name == name)
    assert 0 < len(restriction.doc.splitlines()[0]) <= 80


@pytest.mark.parametrize("seats", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("name", HANDMADE)
def test_player_is_legal_under_all_rules(name: str, seats: int) -> None:
    source = np.random.default_rng(seats)
    variants = [BASIC, BASIC.replace(finish_turn=True), *(random_rules(source) for _ in range(8))]
    if not COMPILED:
        variants = variants[::4]
    for rules in variants:
        rows = outcomes([name] * seats, 30 if COMPILED else 1, rules, seed=5)  # an illegal move would raise
        low, high = CROSS_OFF.score_range(rules)
        assert (low <= rows[..., SCORE]).all()
        assert (rows[..., SCORE] <= high).all()
        assert (rows[..., co.TURNS] * seats <= seats * CROSS_OFF.longest(rules)).all()
        assert (rows[..., co.PENALTIES] <= rules.penalties_to_end).all()


@pytest.mark.parametrize("seats", [1, 2, 3, 4, 5])
def test_all_players_sit_at_one_table(seats: int) -> None:
    for lineup in zip(*(np.roll(EVERYONE, turned) for turned in range(seats)), strict=True):
        rows = outcomes([str(name) for name in lineup], 5 if COMPILED else 1)
        assert (rows[..., WIN].sum(axis=1) == WIN_UNIT).all()


@pytest.mark.parametrize("name", EVERYONE)
def test_player_is_deterministic(name: str) -> None:
    deals = 50 if COMPILED else 2
    lineup = [name, "opportunist"]
    first, log = table(lineup).log(3, 10, deals)
    again, log_again = table(lineup).log(3, 10, deals)
    assert (first == again).all()
    assert (log.sums == log_again.sums).all()
    assert (log.pairs == log_again.pairs).all()
    other, log_other = table(lineup).log(3, 11, deals - 1)
    assert (first[1:] == other).all()
    assert (log.sums[1:] == log_other.sums).all()


@pytest.mark.parametrize("name", EVERYONE)
def test_player_leaves_the_view_as_it_was(name: str) -> None:
    for seats in (1, 3):
        for view in random_views(20 if COMPILED else 4, seats=seats):
            before = view.tobytes()
            choice(name, view)
            assert view.tobytes() == before


@pytest.mark.parametrize("name", HANDMADE)
def test_player_treats_tracks_alike(name: str) -> None:
    """Under other names and with the dice turned over it makes the same move, or one of the same kind."""
    source = np.random.default_rng(4)
    player = find_strategy(CROSS_OFF.name, name)
    params = np.array([*player.values, 0.0])
    for view in random_views(40 if COMPILED else 6, seats=2, seed=4):
        moves = co.moves_of(view)
        if player.by_value:
            values = [float(player.function(view, Word(move), params)) for move in moves]
        else:
            before = kind(view, choice(name, view))
        other = co.relabel(view, source)
        if player.by_value:
            assert [float(player.function(view, Word(other(move)), params)) for move in moves] == values
        elif name != "uniform":
            assert kind(view, choice(name, view)) == before


def kind(view: Any, words: str) -> tuple[int, int, int]:
    """What all that players look at makes of a mark: place, numbers passed over, and marks of its track."""
    move = Word(mark(words))
    count = int(co.marks_on(view.marks, co.track_of(move))) if move else 0
    return int(co.place_of(move)), int(co.skips(view.open, move)), count


# --- How strong they are ---------------------------------------------------------------------------------------------


def test_uniform_has_its_known_means() -> None:
    """The figures are those of another simulator; see the rules of the game."""
    alone, two = (outcomes(["uniform"] * seats, 40_000 if COMPILED else 60) for seats in (1, 2))
    for points, known in ((alone[:, 0], -0.24), (two[:, 0], 4.19), (two[:, 1], 4.66)):
        values = points[:, SCORE].astype(float)
        assert abs(values.mean() - known) < 4 * standard_error(values) + 0.03  # known to ±0.007 and two digits
    turns = two[:, 0, co.TURNS].astype(float)
    assert abs(turns.mean() - 16.42) < 4 * standard_error(turns) + 0.01
    if COMPILED:
        assert two[:, 0, co.END].mean() > 0.99  # by penalties


@compiled_only
@pytest.mark.parametrize("name", [name for name in EVERYONE if name not in ("uniform", "blunder")])
def test_blunder_loses_to_every_player(name: str) -> None:
    deals = 2_000
    difference = scores(name, deals) - scores("blunder", deals)
    assert difference.mean() > max(4 * standard_error(difference), 20)
    share, error = share_of_wins(name, "blunder", deals)
    assert share - 4 * error > 0.9


@compiled_only
def test_blunder_loses_to_chance_too() -> None:
    difference = scores("uniform", 4_000) - scores("blunder", 4_000)
    assert difference.mean() > 4 * standard_error(difference)
    share, error = share_of_wins("uniform", "blunder", 4_000)
    assert share - 4 * error > 0.5


@compiled_only
def test_order_of_the_players_alone() -> None:
    order = ["blunder", "uniform", "rusher", "opportunist", "conservative", "expectation", "penalty-averse", "planner"]
    points = [scores(spec, 20_000) for spec in [*order, "optimal"]]
    for weak, strong in pairwise(points):
        difference = strong - weak
        assert difference.mean() > 4 * standard_error(difference)


@compiled_only
@pytest.mark.parametrize("name", ["optimal", *SIMPLE])
def test_planner_wins_against_simple_players(name: str) -> None:
    share, error = share_of_wins("planner", name, 4_000)
    assert share - 4 * error > 0.5
    assert share > 0.55


@compiled_only
def test_score_aware_wins_most_games_against_expectation() -> None:
    share, error = share_of_decided(duels("score-aware", "expectation", 20_000))
    assert share >= 0.6
    assert error < 0.01


@compiled_only
@pytest.mark.slow
def test_score_aware_wins_most_games_against_expectation_on_many_deals() -> None:
    deals = 100_000
    share, error = share_of_decided(duels("score-aware", "expectation", deals, seed=1))
    interval = student_interval(share, error, deals, 0.999)
    assert 0.6 < interval.low < share < interval.high < 0.75
    assert interval.high - interval.low < 0.01


@compiled_only
def test_score_aware_wins_more_games_than_planner() -> None:
    share, error = share_of_decided(duels("score-aware", "planner", 20_000))
    assert share - 4 * error > 0.5


def test_alone_score_aware_is_planner() -> None:
    deals = 500 if COMPILED else 2
    assert (scores("score-aware", deals) == scores("planner", deals)).all()


# --- What each player is for -----------------------------------------------------------------------------------------


def test_uniform_makes_all_moves_alike() -> None:
    view = view_of("red 2 3", dice="13 1111")
    rng = stream(8)
    draws = 2_000 if COMPILED else 400
    chosen = [choice("uniform", view, rng) for _ in range(draws)]
    counts = [chosen.count(name) for name in ("pass", "red 4", "yellow 4", "green 4", "blue 4")]
    assert sum(counts) == draws
    assert stats.chisquare(counts).pvalue > 1e-5


def test_blunder_passes_over_as_many_numbers_as_it_can() -> None:
    view = view_of("", dice="13 1111")
    assert choices("blunder", view) == {"green 4", "blue 4"}  # eight numbers each; red and yellow two
    assert choice("blunder", view_of("green 5, blue 12", dice="13 1111")) == "blue 4"


def test_blunder_never_passes() -> None:
    assert choice("blunder", view_of("red 2, yellow 11, green 3, blue 3", dice="12 1111")) == "red 3"
    for view in random_views(40 if COMPILED else 5, seats=2):
        assert choice("blunder", view) != "pass"


@pytest.mark.parametrize(
    ("spec", "sheet", "dice", "chosen"),
    [
        ("opportunist", "red 2 3, yellow 2", "13", "red 4"),  # no number passed over, and one
        ("opportunist", "red 4, yellow 2 3 4", "23", "yellow 5"),  # of equals the longer track
        ("opportunist", "red 2 3, yellow 2 3", "13", "red 4"),  # then the first
        ("opportunist", "", "13", "red 4"),
        ("opportunist", "", "14", "pass"),
        ("opportunist:own=3", "", "14", "red 5"),
        ("opportunist:own=1", "", "13", "pass"),
        ("opportunist:own=0", "", "11", "red 2"),
        ("opportunist", "red 2 3 4 5 6", "66", "red 12"),  # it closes, whatever that passes over
        ("opportunist:own=0", "red 2 3 4 5 6", "66", "red 12"),
        ("opportunist", "red 2 3 4 5", "66", "green 12"),  # one mark short of closing
    ],
)
def test_opportunist(spec: str, sheet: str, dice: str, chosen: str) -> None:
    assert choice(spec, view_of(sheet, dice=f"{dice} 1111")) == chosen


@pytest.mark.parametrize(
    ("spec", "dice", "chosen"),
    [
        ("opportunist", "12", "red 3"),
        ("opportunist", "13", "pass"),
        ("opportunist:own=10", "13", "pass"),
        ("opportunist:other=2", "13", "red 4"),
        ("opportunist:other=0", "12", "pass"),
    ],
)
def test_opportunist_is_choosier_in_the_turns_of_others(spec: str, dice: str, chosen: str) -> None:
    assert choice(spec, view_of("", "", dice=f"{dice} 1111", roller=1)) == chosen


@pytest.mark.parametrize("roller", [0, 1])
@pytest.mark.parametrize(
    ("spec", "sheet", "dice", "chosen"),
    [
        ("conservative", "yellow 2", "13", "yellow 4"),
        ("conservative", "", "13", "red 4"),
        ("conservative", "", "14", "pass"),
        ("conservative:most=3", "", "14", "red 5"),
        ("conservative:most=0", "", "12", "pass"),
        ("conservative:most=0", "", "66", "green 12"),
        ("conservative", "yellow 2 3 4, red 4", "23", "red 5"),  # the length of a track is nothing to it
        ("conservative", "red 2 3 4 5 6", "66", "green 12"),  # nor is the close
        ("conservative", "red 2 3 4 5 6 7 8 9 10 11", "66", "red 12"),
    ],
)
def test_conservative(spec: str, sheet: str, dice: str, chosen: str, roller: int) -> None:
    assert choice(spec, view_of(sheet, "", dice=f"{dice} 1111", roller=roller)) == chosen


def test_conservative_takes_a_penalty_rather_than_skip() -> None:
    view = view_of("", dice="33 1166", step=PAIR)
    assert names_of(view) == {"pass", "red 4", "yellow 4", "green 9", "blue 9"}
    assert choice("conservative", view) == "red 4"
    assert choice("conservative:most=1", view) == "pass"
    assert choice("penalty-averse", view) == "red 4"


def test_rusher_marks_at_any_price() -> None:
    assert choices("rusher", view_of("", dice="34 1111")) == {"red 7", "yellow 7", "green 7", "blue 7"}
    assert choice("rusher", view_of("yellow 2 3 4 5, red 10, green 3, blue 3", dice="55 1111")) == "yellow 10"
    assert choice("rusher:marks=0,skip=20", view_of("red 2" + RED_ALONE, dice="55 1111")) == "red 10"


@pytest.mark.parametrize(
    ("spec", "chosen"),
    [
        ("rusher", "green 10"),  # −6 against 4 − 12
        ("rusher:skip=1", "yellow 10"),  # −2 against 4 − 4
        ("rusher:marks=3", "yellow 10"),  # −6 against 12 − 12
        ("rusher:marks=0", "green 10"),
    ],
)
def test_rusher_weighs_marks_against_skips(spec: str, chosen: str) -> None:
    assert choice(spec, view_of("yellow 2 3 4 5, blue 9", dice="55 1111")) == chosen


def test_rusher_closes_at_once() -> None:
    assert choice("rusher:skip=20", view_of("red 2 3 4 5 6", dice="66 1111")) == "red 12"
    # Behind as well, and when that ends the game.
    leader = "blue 12 11 10 9 8 7 6 5 4 3 2"
    assert choice("rusher", view_of("red 2 3 4 5 6", leader, dice="66 1111")) == "red 12"


def test_race_to_close_marks_what_brings_the_close_nearer() -> None:
    times = players.CLOSE_TIMES[0, 5]
    # The fifth mark is worth more than all the places that it passes over.
    assert times[10, 5] < times[4, 4]
    assert choice("race-to-close", view_of("red 2 3 4 5" + RED_ALONE, dice="56 1111")) == "red 11"
    # A fourth mark there would be the last one.
    assert times[10, 4] == players.NEVER
    for strike in (0, 6, 50):
        spec = f"race-to-close:strike={strike}"
        assert choice(spec, view_of("red 2 3 4" + RED_ALONE, dice="56 1111")) == "pass"
        assert choice(spec, view_of("red 2 3 4" + RED_ALONE, dice="56 6111", step=PAIR)) == "pass"


def test_race_to_close_trades_turns_for_penalties_and_marks() -> None:
    """Red 8 as the third mark passes over 4 to 7: the close is three turns farther."""
    farther = float(players.CLOSE_TIMES[0, 5, 7, 3] - players.CLOSE_TIMES[0, 5, 2, 2])
    assert 2 < farther < 4
    sheet = "red 2 3" + RED_ALONE
    assert choice("race-to-close", view_of(sheet, dice="26 6111")) == "pass"
    assert choice("race-to-close:patience=2", view_of(sheet, dice="26 6111")) == "pass"
    assert choice("race-to-close:patience=4", view_of(sheet, dice="26 6111")) == "red 8"
    pair = functools.partial(view_of, sheet, dice="26 6111", step=PAIR)
    assert choice("race-to-close", pair()) == "red 8"
    assert choice("race-to-close:strike=1", pair()) == "pass"
    assert choice("race-to-close", pair(marked=True)) == "pass"  # no penalty threatens


def test_race_to_close_leaves_slow_tracks_to_cheap_marks() -> None:
    """Red and yellow close sooner than green and blue will: there a mark is rated by what it passes over."""
    sheet = "red 2 3 4 5 6 7, yellow 2 3 4 5 6 7"
    assert choice("race-to-close", view_of(sheet, dice="66 1111")) in ("red 12", "yellow 12")
    assert choice("race-to-close:patience=2", view_of(f"{sheet}, blue 3", dice="56 1111")) != "pass"
    late = view_of(f"{sheet} 9 10 11, blue 3", dice="14 1111")  # red and yellow are beyond 5
    assert names_of(late) == {"pass", "green 5"}
    assert choice("race-to-close:patience=6", late) == "pass"  # green 5 passes over seven numbers
    assert choice("race-to-close:patience=8", late) == "green 5"


def test_expectation_without_a_future_takes_the_most_points() -> None:
    spec = "expectation:future=0,skip=0"
    assert choice(spec, view_of("red 2 3 4 5, blue 12", dice="24 1111")) == "red 6"
    assert choice(spec, view_of("red 2 3 4 5 6, yellow 2 3 4 5 6 7 8", dice="66 1111")) == "yellow 12"  # 7 → 9 marks
    for view in random_views(60 if COMPILED else 10, seats=2, seed=6):
        gains = {name_of(move): int(co.gain(view, Word(move))) for move in co.moves_of(view)}
        assert gains[choice(spec, view)] == max(gains.values())


@pytest.mark.parametrize(
    ("spec", "chosen"),
    [
        ("expectation:future=0", "pass"),  # 1 − 1.6
        ("expectation:future=0,skip=0.9", "red 3"),
        ("expectation", "red 3"),  # the next number, 4, is likelier than 2, and its mark is worth twice
        ("expectation:skip=4", "pass"),
    ],
)
def test_expectation_weighs_skips_against_the_next_number(spec: str, chosen: str) -> None:
    assert choice(spec, view_of(RED_ALONE.removeprefix(", "), dice="12 1111")) == chosen


def test_expectation_is_worth_what_its_parts_are() -> None:
    """The first mark, on 3: a point, 2 is passed over; then 4 brings two points, as 2 would have brought one."""
    player = find_strategy(CROSS_OFF.name, "expectation:future=5,skip=2,concentration=3")
    view = view_of("", dice="12 1111")
    offered = players.OFFERS[0]
    value = player.function(view, Word(mark("red 3")), np.array([*player.values, 0.0]))
    assert value == pytest.approx(1 - 2 + 5 * (2 * offered[2] - offered[0]))
    # The fourth mark on the place before the last: a fifth would close, and without it nothing follows.
    view = view_of("red 2 3 4", dice="56 1111")
    value = player.function(view, Word(mark("red 11")), np.array([*player.values, 0.0]))
    assert value == pytest.approx(4 - 2 * 6 + 3 * 3 - 5 * 4 * offered[3])
    view = view_of("red 2 3 4 5", dice="56 1111")
    value = player.function(view, Word(mark("red 11")), np.array([*player.values, 0.0]))
    assert value == pytest.approx(5 - 2 * 5 + 3 * 4 + 5 * (6 * offered[10] - 5 * offered[4]))
    # Nothing follows a close; before it, the last number promised the sixth mark's points.
    view = view_of("red 2 3 4 5 11", dice="66 1111")
    value = player.function(view, Word(mark("red 12")), np.array([*player.values, 0.0]))
    assert value == pytest.approx(13 + 3 * 5 - 5 * 6 * offered[10])


def test_expectation_can_prefer_the_longer_track() -> None:
    view = view_of("yellow 2 3 4", dice="23 1111", rules=LINEAR)
    assert choice("expectation:future=0,skip=0.5,concentration=0", view) == "yellow 5"
    view = view_of("red 4, yellow 2 3 4", dice="23 1111", rules=LINEAR)
    assert choices("expectation:future=0,skip=0.5,concentration=0", view) == {"red 5", "yellow 5"}
    assert choices("expectation:future=0,skip=0.5,concentration=0.1", view) == {"yellow 5"}


@pytest.mark.parametrize(("spec", "chosen"), [("strike=5", "pass"), ("strike=6", "red 6")])
def test_expectation_avoids_a_penalty_at_its_price(spec: str, chosen: str) -> None:
    view = view_of(RED_ALONE.removeprefix(", "), dice="11 5111", step=PAIR)  # red 6 is worth 1 − 4 · 1.6
    assert names_of(view) == {"pass", "red 6"}
    assert choice(f"expectation:future=0,{spec}", view) == chosen


LEADER = "blue 12 11 10 9 8 7 6"  # 28 points
CLOSER = "blue 12 11 10 9 8 7 6 2"  # and 45 when it has closed the track


def test_careful_close_takes_the_first_close_even_when_behind() -> None:
    assert choice("careful-close", view_of("red 2 3 4 5 6", LEADER, dice="66 1111")) == "red 12"
    assert choice("careful-close:skip=50,ahead=100", view_of("red 2 3 4 5 6", LEADER, dice="66 1111")) == "red 12"


@pytest.mark.parametrize(
    ("spec", "chosen"),
    [
        ("careful-close", "green 12"),  # 28 against 45
        ("careful-close:ahead=-16", "green 12"),
        ("careful-close:ahead=-17", "red 12"),
    ],
)
def test_careful_close_ends_the_game_only_when_ahead(spec: str, chosen: str) -> None:
    assert choice(spec, view_of("red 2 3 4 5 6", CLOSER, dice="66 1111")) == chosen


def test_careful_close_counts_the_close_and_everybody() -> None:
    sheet = "red 2 3 4 5 6 7 8 9"  # 36 points, 55 with the close
    assert choice("careful-close", view_of(sheet, CLOSER, dice="66 1111")) == "red 12"
    assert choice("careful-close", view_of(sheet, CLOSER, dice="66 1111", penalties=(2,))) == "red 12"
    assert choice("careful-close", view_of(sheet, CLOSER, dice="66 1111", penalties=(3,))) != "red 12"
    other = "green 12 11 10 9 8 7 6 5 4 3"  # 55 points
    assert choice("careful-close", view_of(sheet, CLOSER, other, dice="66 1111")) == "red 12"
    assert choice("careful-close", view_of(sheet, CLOSER, f"{other}, red 2", dice="66 1111")) != "red 12"


def test_alone_careful_close_always_closes() -> None:
    view = view_of("red 2 3 4 5 6, blue 12 11 10 9 8 2", dice="66 1111", penalties=(3,))
    assert choice("careful-close:ahead=100", view) == "red 12"


@pytest.mark.parametrize(("spec", "chosen"), [("careful-close", "pass"), ("careful-close:skip=0.4", "red 4")])
def test_careful_close_rates_other_marks_by_points_less_skips(spec: str, chosen: str) -> None:
    assert choice(spec, view_of(RED_ALONE.removeprefix(", "), dice="13 1111")) == chosen


def test_careful_close_skips_no_more_than_a_penalty_costs() -> None:
    for rules, chosen in ((BASIC, "red 5"), (BASIC.replace(penalty_points=3), "pass")):  # 1 − 3 · 1.6
        view = view_of(RED_ALONE.removeprefix(", "), dice="11 4111", step=PAIR, rules=rules)
        assert choice("careful-close", view) == chosen


def test_penalty_averse_skips_little_while_no_penalty_threatens() -> None:
    for dice, most, chosen in (("12", 1, "red 3"), ("13", 1, "pass"), ("13", 2, "red 4"), ("12", 0, "pass")):
        view = view_of("", "", dice=f"{dice} 1111", roller=1)
        assert choice(f"penalty-averse:most={most}", view) == chosen
    view = view_of("", dice="34 6611", step=PAIR, marked=True)
    assert choice("penalty-averse", view) == "pass"


def test_penalty_averse_looks_at_the_pairs_first() -> None:
    # 7 passes over five numbers everywhere; red 4 would pass over two.
    assert choice("penalty-averse", view_of("", dice="34 1611")) == "pass"
    # A pair that is no dearer is left for the pair step.
    assert choice("penalty-averse", view_of("", dice="14 4611")) == "pass"  # red 5 in both
    # All pairs pass over seven or more.
    assert choice("penalty-averse", view_of("", dice="34 6611")) == "red 7"
    # That it can be made in the pair step is no reason to skip in the sum step, and the other way round.
    assert choice("penalty-averse", view_of("", dice="34 1611", step=PAIR)) == "red 4"
    assert choice("penalty-averse", view_of("", dice="11 1611")) == "red 2"


def test_alone_penalty_averse_takes_no_penalty_that_a_mark_could_spare() -> None:
    _, logs = table(["penalty-averse"]).log(2, 0, 200 if COMPILED else 3)
    spared = 0
    for log in logs:
        turns = int(log.turns)
        counts = np.zeros(2 * turns, np.int64)
        found = CROSS_OFF.choices(BASIC, log, 1)[:, 0]
        counts[: len(found)] = found  # the last turn may lack its pair step
        passed = (log.sums[:turns, 0] == 0) & (log.pairs[:turns] == 0)
        assert (counts.reshape(turns, 2)[passed] == 0).all()
        spared += int((~passed).sum())
    assert spared


def planned(view: Any, params: tuple[float, ...], win: bool) -> dict[str, float]:
    """What each move is worth to `planner`, from the numbers on the dice and the sheet."""
    pace, rival, strike, price = params
    others = int(view.seats) - 1
    turns = float(players.turns_left(view)) * (pace if others else 1.0) - rival * others
    worths = players.TRACK_WORTHS[view.seats - 1, view.marks_to_close, int(min(max(turns, 0), players.MOST_TURNS))]
    plain, coloured = [int(die) for die in view.plain], [int(die) for die in view.coloured]

    def adds(states: list[tuple[int, int]], track: int, place: int) -> float:
        at, count = states[track]
        if place == co.LAST:
            return float(view.points[count + 2]) - float(worths[at, count])
        return float(worths[place, count + 1]) - float(worths[at, count])

    def best_pair(states: list[tuple[int, int]], closed: int) -> float:
        best = 0.0
        for track, die in product(range(4), plain):
            if closed >> track & 1:
                continue
            place = co.position_of(track, die + coloured[track])
            at, count = states[track]
            if at < place and (place < co.LAST or count >= view.marks_to_close):
                best = max(best, adds(states, track, place))
        return best

    states = [(int(co.last_place(view.open, t)), int(co.marks_on(view.marks, t))) for t in range(4)]
    closed, values = int(view.closed), {}
    looks = view.step == SUM and view.seat == view.roller
    for name in names_of(view):
        move = mark(name)
        if not move:
            values[name] = 0.0
            if looks:
                values[name] = max(best_pair(states, closed) - price, -strike)
            elif view.step == PAIR and not view.marked:
                values[name] = -strike
            continue
        track, place = divmod(move, 16)
        values[name] = adds(states, track, place) - price
        ends = place == co.LAST and closed.bit_count() + 1 >= view.tracks_to_end
        if ends and win and others:
            values[name] += 1000.0 if co.lead(view, view.seat) + co.gain(view, Word(move)) > 0 else -1000.0
        if looks and not ends:
            then = states.copy()
            then[track] = place, states[track][1] + 1
            values[name] += max(best_pair(then, closed | (place == co.LAST) << track) - price, 0.0)
    return values


@pytest.mark.parametrize("params", [(0.6, 2.5, 2.6, 2.2), (1.5, -3.0, 8.0, 0.3), (3.0, 0.0, 0.0, 5.0)])
@pytest.mark.parametrize("seats", [1, 2, 4])
@pytest.mark.parametrize("name", ["planner", "score-aware"])
def test_planner_makes_the_mark_that_adds_most(name: str, seats: int, params: tuple[float, ...]) -> None:
    spec = f"{name}:" + ",".join(f"{key}={value}" for key, value in zip(NAMES, params, strict=True))
    rules = [BASIC, CrossOffRules(tracks_to_end=1), CrossOffRules(marks_to_close=3, penalty_points=2)]
    for each in rules if COMPILED else rules[:1]:
        for view in random_views(60 if COMPILED else 4, each, seats, seed=seats):
            values = planned(view, params, name == "score-aware")
            assert values[choice(spec, view)] == pytest.approx(max(values.values()), abs=1e-6)


NAMES = [parameter.name for parameter in players.HORIZON]


def test_planner_wants_a_price_for_a_mark() -> None:
    view = view_of("red 2", "", dice="24 1111", roller=1)
    assert choice("planner:price=20", view) == "pass"
    assert choice("planner:price=-10", view) != "pass"


def test_planner_avoids_a_penalty_at_its_price() -> None:
    view = view_of("red 2" + RED_ALONE, dice="55 6111", step=PAIR)
    assert names_of(view) == {"pass", "red 11"}
    assert choice("planner", view) == "pass"
    assert choice("planner:strike=50", view) == "red 11"
    assert choice("planner:strike=50", view_of("red 2" + RED_ALONE, dice="55 6111", step=PAIR, marked=True)) == "pass"


def test_planner_that_expects_no_more_turns_takes_points() -> None:
    """Red 11 spoils the track and is worth five points at once."""
    sheet = "red 2 3 4 5, yellow 11, green 3, blue 3"
    view = view_of(sheet, "", dice="56 1111", roller=1)
    assert choice("planner:rival=40", view) == "red 11"
    assert choice("planner:pace=0,rival=0", view) == "red 11"
    assert choice("planner:pace=5,rival=-20", view) == "pass"
    third = view_of(sheet, "", "", dice="56 1111", roller=1)
    half = float(players.turns_left(third)) / 2
    assert choice(f"planner:pace=1,rival={half + 0.1}", third) == "red 11"  # each of two others takes half of them
    assert choice(f"planner:pace=1,rival={half / 4}", third) == "pass"


def test_planner_sees_no_pair_after_the_end() -> None:
    """Red 12 ends the game: what the pairs would add goes with a pass, not with the close."""
    view = view_of("red 2 3 4 5 6, green 11", CLOSER, dice="66 1111")
    values = planned(view, (0.6, 2.5, 2.6, -10.0), False)
    assert set(values) == {"pass", "red 12"}
    assert 0 < values["red 12"] < values["pass"]
    assert choice("planner:price=-10", view) == "pass"


def test_score_aware_ends_the_game_when_that_wins() -> None:
    sheets = {
        "wins": "red 2 3 4 5 6 7 8 9, green 11",
        "loses": "red 2 3 4 5 6, green 11",
        "shares": "red 2 3 4 5 6, green 11 10 9 8 7, yellow 2, blue 12",
    }
    views = {name: view_of(sheet, CLOSER, dice="66 1111", roller=1) for name, sheet in sheets.items()}
    leads = {name: co.lead(view, 0) + co.gain(view, Word(mark("red 12"))) for name, view in views.items()}
    assert leads["loses"] < 0 == leads["shares"] < leads["wins"]
    for price in (-10, 20):
        found = {name: choice(f"score-aware:price={price}", view) for name, view in views.items()}
        assert found == {"wins": "red 12", "loses": "pass", "shares": "pass"}
    assert {choice("planner:price=-10", view) for view in views.values()} == {"red 12"}
    assert {choice("planner:price=20", view) for view in views.values()} == {"pass"}


@pytest.mark.parametrize("seats", [2, 3])
def test_score_aware_is_planner_unless_it_can_end_the_game(seats: int) -> None:
    for view in random_views(80 if COMPILED else 6, seats=seats, seed=9):
        ends = bool(co.one_more_ends(view)) and any(co.is_last(Word(move)) for move in co.moves_of(view))
        if not ends:
            assert choice("score-aware", view) == choice("planner", view)


# --- Tables ----------------------------------------------------------------------------------------------------------


def test_offers_against_all_rolls() -> None:
    """Counted over all plain and coloured dice: the sum in every turn, and pairs too in one of `seats`."""
    sums, either = np.zeros(11), np.zeros(11)
    for first, second, coloured in product(range(1, 7), repeat=3):
        for number in range(2, 13):
            place = co.position_of(0, number) - 1
            by_sum, by_pair = first + second == number, number in (first + coloured, second + coloured)
            sums[place] += by_sum / 216
            either[place] += (by_sum or by_pair) / 216
    assert players.OFFERS.shape == (5, 11)
    for seats, offered in enumerate(players.OFFERS, 1):
        assert offered == pytest.approx(sums + (either - sums) / seats, abs=1e-12)


def test_offers_are_those_of_downward_tracks_too() -> None:
    assert np.abs(players.OFFERS - players.OFFERS[:, ::-1]).max() < 1e-12
    assert (np.diff(players.OFFERS, axis=0) < 0).all()  # the more seats, the fewer pairs
    assert (players.OFFERS[:, 5] == players.OFFERS.max(axis=1)).all()


def waiting_time(seats: int, needed: int, place: int, marks: int) -> float:
    """The least mean number of turns to the close, by trying every set of numbers to wait for."""
    offered = players.OFFERS[seats - 1]

    @functools.cache
    def rest(at: int, count: int) -> float:
        ways = [(offered[then - 1], rest(then, count + 1)) for then in range(at + 1, co.LAST)]
        ways += [(offered[co.LAST - 1], 0.0)] if count >= needed else []
        times = [
            (1 + sum(share * time for share, time in wanted)) / sum(share for share, _ in wanted)
            for size in range(1, len(ways) + 1)
            for wanted in combinations(ways, size)
        ]
        return min([*times, players.NEVER])

    return rest(place, marks)


@pytest.mark.parametrize(
    ("seats", "needed", "place", "marks"),
    [(1, 5, 5, 2), (2, 5, 6, 3), (2, 5, 4, 4), (5, 3, 5, 0), (3, 0, 4, 1), (4, 10, 7, 7), (1, 2, 10, 1)],
)
def test_close_times_by_trying_everything(seats: int, needed: int, place: int, marks: int) -> None:
    found = players.CLOSE_TIMES[seats - 1, needed, place, marks]
    assert found == pytest.approx(waiting_time(seats, needed, place, marks), rel=1e-6)


def test_close_times_of_the_last_number_alone() -> None:
    """With marks enough, only the last number is waited for: wherever the last mark is, one turn in so many."""
    for seats, needed in product(range(1, 6), range(11)):
        times = players.CLOSE_TIMES[seats - 1, needed]
        ready = [times[place, marks] for place in range(needed, 11) for marks in range(needed, place + 1)]
        assert ready == pytest.approx([1 / players.OFFERS[seats - 1, 10]] * len(ready), rel=1e-6)


def test_close_times_grow_with_what_is_missing() -> None:
    times = players.CLOSE_TIMES
    assert times.shape == (5, 11, 11, 13)
    assert times.dtype == np.float32
    possible = np.array([[marks <= place for marks in range(13)] for place in range(11)])
    real = np.broadcast_to(possible, times.shape)
    assert (times[~real] == players.NEVER).all()
    assert (times > 1).all()
    close = 1e-4
    assert (np.diff(times, axis=0) >= -close)[real[1:]].all()  # more seats, fewer pairs
    assert (np.diff(times, axis=1) >= -close)[real[:, 1:]].all()  # more marks needed
    assert (np.diff(times, axis=2) >= -close)[real[:, :, :-1]].all()  # farther to the right, fewer numbers left
    assert (np.diff(times, axis=3) <= close)[real[..., 1:]].all()  # more marks made


def test_close_times_know_when_it_is_too_late() -> None:
    for needed, place, marks in product(range(11), range(11), range(11)):
        if marks <= place:
            found = players.CLOSE_TIMES[0, needed, place, marks]
            assert (found == players.NEVER) == (marks + 10 - place < needed)


def future_points(seats: int, needed: int, turns: int, place: int, marks: int, share: float, price: float) -> float:
    """What a track will score, one turn after the other."""
    offered, points = players.OFFERS[seats - 1], BASIC.mark_points

    @functools.cache
    def value(left: int, at: int, count: int) -> float:
        if not left:
            return points[count]
        stay = value(left - 1, at, count)
        result = stay
        for then in range(at + 1, co.LAST + 1):
            if then < co.LAST:
                marked = value(left - 1, then, count + 1)
            elif count >= needed:
                marked = points[count + 2]
            else:
                continue
            result += share * offered[then - 1] * max(marked - stay - price, 0.0)
        return result

    return value(turns, place, marks)


@pytest.mark.parametrize(
    ("seats", "needed", "turns", "place", "marks"),
    [(1, 5, 6, 0, 0), (2, 5, 12, 0, 0), (2, 5, 20, 4, 3), (5, 3, 8, 6, 4), (3, 0, 40, 8, 1), (2, 10, 9, 2, 2)],
)
def test_track_worths_one_turn_after_the_other(seats: int, needed: int, turns: int, place: int, marks: int) -> None:
    found = players.TRACK_WORTHS[seats - 1, needed, turns, place, marks]
    assert found == pytest.approx(future_points(seats, needed, turns, place, marks, 0.8, 2.0), rel=1e-5)


@pytest.mark.parametrize(("share", "price"), [(1.0, 0.0), (0.5, 1.0)])
def test_track_worths_take_share_and_price(share: float, price: float) -> None:
    made = players.track_worths(players.OFFERS, share, price)
    for turns, place, marks in ((1, 0, 0), (5, 3, 2), (10, 9, 6)):
        wanted = future_points(2, 5, turns, place, marks, share, price)
        assert made[1, 5, turns, place, marks] == pytest.approx(wanted, rel=1e-5)


def test_track_worths_grow_with_turns_and_marks() -> None:
    worths = players.TRACK_WORTHS
    points = np.array(BASIC.mark_points, np.float32)
    assert worths.shape == (5, 11, 41, 11, 13)
    assert worths.dtype == np.float32
    assert (worths[:, :, 0] == points).all()
    possible = np.array([[marks <= place for marks in range(13)] for place in range(11)])
    real = np.broadcast_to(possible, worths.shape)
    assert (worths >= points - 1e-4)[real].all()
    assert (worths[real] <= points[-1]).all()
    # Numbers offered at once are added up as if each came alone: a cheaper close may count a trifle too much.
    close = 0.01
    assert (np.diff(worths, axis=0) <= close)[real[1:]].all()  # more seats, fewer pairs
    assert (np.diff(worths, axis=1) <= close)[real[:, 1:]].all()  # more marks needed
    assert (np.diff(worths, axis=2) >= -close)[real[:, :, 1:]].all()  # more turns
    assert (np.diff(worths, axis=3) <= close)[real[:, :, :, :-1]].all()  # farther to the right
    assert (np.diff(worths, axis=4) >= -close)[real[..., 1:]].all()  # more marks


# --- Shared parts ----------------------------------------------------------------------------------------------------


def test_turns_left_by_hand() -> None:
    times = players.CLOSE_TIMES[1, 5]
    view = view_of("red 2 3 4 5 6, green 12", "yellow 2 3, green 12 11 10", dice="11 1111")
    # Red closes first, for seat 0; green next, for seat 1.
    assert players.turns_left(view) == pytest.approx(float(times[3, 3]))
    assert times[5, 5] < times[3, 3] < times[2, 2]
    view = view_of("red 2 3 4 5 6, green 12", CLOSER, dice="11 1111")
    assert players.turns_left(view) == pytest.approx(float(times[5, 5]))  # one more closed track ends it


@pytest.mark.parametrize("seats", [1, 3])
@pytest.mark.parametrize("tracks_to_end", [1, 2])
def test_turns_left(seats: int, tracks_to_end: int) -> None:
    rules = CrossOffRules(tracks_to_end=tracks_to_end, marks_to_close=4)
    for view in random_views(60 if COMPILED else 8, rules, seats):
        closed = int(view.closed)
        soonest = []
        for track in range(4):
            if not closed >> track & 1:
                sheets = zip(view.sheet_open[:seats], view.sheet_marks[:seats], strict=True)
                states = [(int(co.last_place(s, track)), int(co.marks_on(m, track))) for s, m in sheets]
                soonest.append(min(float(players.CLOSE_TIMES[seats - 1, 4, place, n]) for place, n in states))
        wanted = sorted(soonest)[tracks_to_end - closed.bit_count() - 1]
        assert players.turns_left(view) == pytest.approx(wanted)


def test_mark_worth() -> None:
    view = view_of("red 2 3, blue 12 11 10 9 8", "", dice="13 1111")
    worths = players.TRACK_WORTHS[1, 5, 7]

    def worth(words: str) -> float:
        return float(players.mark_worth(view, view.open, view.marks, Word(mark(words)), 7))

    assert worth("red 4") == pytest.approx(float(worths[3, 3] - worths[2, 2]))
    assert worth("red 6") == pytest.approx(float(worths[5, 3] - worths[2, 2]))
    assert worth("yellow 11") == pytest.approx(float(worths[10, 1] - worths[0, 0]))
    assert worth("blue 2") == pytest.approx(28 - float(worths[5, 5]))


def test_best_pair() -> None:
    view = view_of("red 2 3, yellow 11, green 3, blue 12 11 10 9 8", dice="12 3111")
    # Red 4 and 5, and blue 2 and 3; yellow and green cannot be marked.
    options = ["red 4", "red 5", "blue 3", "blue 2"]
    for turns in (0, 5, 30):
        worths = [float(players.mark_worth(view, view.open, view.marks, Word(mark(o)), turns)) for o in options]
        found = players.best_pair(view, view.open, view.marks, turns)
        assert found == pytest.approx(max(worths))
    spoiled = view_of("red 2", dice="66 5666")
    assert players.best_pair(spoiled, spoiled.open, spoiled.marks, 40) >= 0.0


def test_best_pair_is_0_where_nothing_adds_anything() -> None:
    view = view_of("red 5" + RED_ALONE, dice="16 1666")
    assert names_of(view) == {"pass", "red 7"}
    view.coloured[0] = 3  # red 4 is behind, and red 9 passes over three numbers
    assert players.best_pair(view, view.open, view.marks, 0) == pytest.approx(2.0)
    view.coloured[0] = 0
    assert players.best_pair(view, view.open, view.marks, 20) == 0.0


# --- Restrictions ----------------------------------------------------------------------------------------------------


def forbidden(name: str, view: Any) -> set[str]:
    (restriction,) = (item for item in builtin_restrictions(CROSS_OFF.name) if item.name == name)
    return {name_of(move) for move in co.moves_of(view) if restriction.function(view, Word(move), np.zeros(1))}


def test_these_restrictions_are_there() -> None:
    assert RESTRICTIONS == ["closes", "gaps", "passes", "rolls-of-others"]


def test_closes() -> None:
    view = view_of("red 2 3 4 5 6, green 12 11 10 9 8 7", dice="66 1111")
    assert forbidden("closes", view) == {"red 12"}
    assert forbidden("closes", view_of("red 2 3 4 5 6, green 12 11 10 9 8 7", dice="11 1111")) == {"green 2"}


def test_gaps() -> None:
    view = view_of("red 2 3, yellow 2", dice="13 1111")
    assert forbidden("gaps", view) == {"yellow 4", "green 4", "blue 4"}
    # The last number that cannot be marked yet counts for nothing, passed over or not.
    assert forbidden("gaps", view_of("red 2 3 4 5 6 7 8 9 10 11", dice="66 1111")) == set()


def test_passes() -> None:
    assert forbidden("passes", view_of("", dice="13 1111")) == {"pass"}
    assert forbidden("passes", view_of("", dice="13 1111", step=PAIR, marked=True)) == {"pass"}


def test_rolls_of_others() -> None:
    marks = {"red 4", "yellow 4", "green 4", "blue 4"}
    assert forbidden("rolls-of-others", view_of("", "", dice="13 1111", roller=1)) == marks
    assert forbidden("rolls-of-others", view_of("", "", dice="13 1111", roller=0)) == set()
    assert forbidden("rolls-of-others", view_of("", "", dice="13 1111", step=PAIR, roller=1)) == set()


@pytest.mark.parametrize("base", ["uniform", "rusher", "opportunist"])
def test_restricted_players_obey(base: str) -> None:
    """What is forbidden is not done, though the player without the restriction does it."""
    deals = 100 if COMPILED else 3

    def played(spec: str) -> tuple[Any, Any]:
        return table([spec, "conservative"]).log(1, 0, deals)

    def passes(logs: Any) -> int:
        """Decisions of seat 0 in which it could mark and passed."""
        count = 0
        for log in logs:
            made = np.stack([log.sums[:, 0], np.where(np.arange(co.MAX_TURNS) % 2 == 0, log.pairs, 0)], axis=1)
            options = CROSS_OFF.choices(BASIC, log, 2)[:, 0]
            count += int(((made.reshape(-1)[: len(options)] == 0) & (options > 0)).sum())
        return count

    free, free_logs = played(base)
    rows, _ = played(f"restrict({base},never=closes)")
    assert (rows[:, 0, co.CLOSES] == 0).all()
    rows, _ = played(f"restrict({base},never=gaps)")
    assert (rows[:, 0, co.SKIPPED] == 0).all()
    assert free[:, 0, co.SKIPPED].any()
    _, logs = played(f"restrict({base},never=passes)")
    assert passes(logs) == 0
    assert passes(free_logs) > 0 or base == "rusher"  # which never passes anyway
    _, logs = played(f"restrict({base},never=rolls-of-others)")
    assert not logs.sums[:, 1::2, 0].any()
    assert free_logs.sums[:, 1::2, 0].any()
    if COMPILED and base != "uniform":
        assert free[:, 0, co.CLOSES].any()


def test_restricted_players_are_weaker() -> None:
    """Never to close costs the bonus marks, never to leave a gap nearly everything."""
    deals = 2_000 if COMPILED else 20
    free, closed, gaps = (
        scores(spec, deals)
        for spec in ("expectation", "restrict(expectation,never=closes)", "restrict(expectation,never=gaps)")
    )
    for loss in (free - closed, closed - gaps):
        assert loss.mean() > (4 if COMPILED else 2) * standard_error(loss)
