import functools
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from scipy import stats

from sims import criss_cross as cc
from sims.bits import Word
from sims.chance import fill_stream, new_streams
from sims.criss_cross import CRISS_CROSS, CrissCrossRules
from sims.jit import COMPILED
from sims.table import PROBE, SEAT, Table
from strategies import builtin_restrictions, builtin_strategies, find_strategy
from strategies import criss_cross as players

BASIC, ADVANCED = CrissCrossRules(), CRISS_CROSS.variant("advanced")
HOUSE = CrissCrossRules(run_points=(1, -2, 5, 0, 20), zero_line_points=3, diagonal_weight=9)
PLAYERS = [player.name for player in builtin_strategies(CRISS_CROSS.name)]
RESTRICTIONS = [restriction.name for restriction in builtin_restrictions(CRISS_CROSS.name)]
THINKERS = ["lookahead", "planner", "planner:from_round=1"]  # slow in plain Python
EVERYONE = [*PLAYERS, "planner:from_round=1"]


def view_of(text: str, rules: CrissCrossRules = BASIC, roll: str = "Xt", round_number: int = 1) -> Any:
    """A view of this sheet and roll, in the signs of `cc.SYMBOL_SIGNS`."""
    view = cc.new_views(rules, 1)[0]
    empty = 0
    for row, line in enumerate(text.strip().splitlines()):
        for column, sign in enumerate(line.split()):
            symbol = cc.SYMBOL_SIGNS.index(sign)
            view.lines[row] += symbol * 7**column
            view.lines[cc.SIDE + column] += symbol * 7**row
            if row + column == rules.size - 1:
                view.lines[cc.DIAGONAL] += symbol * 7**row
            empty |= (symbol == 0) << (cc.SIDE * row + column)
    view.empty, view.round_number = empty, round_number
    view.first, view.second = (cc.SYMBOL_SIGNS.index(sign) for sign in roll)
    return view


def random_views(count: int, rules: CrissCrossRules = BASIC, seed: int = 1) -> list[Any]:
    """Positions after random rounds, with a roll, in which something can be entered."""
    source = np.random.default_rng(seed)
    views: list[Any] = []
    while len(views) < count:
        view = cc.new_views(rules, 1)[0]
        view.empty = view.grid
        for number in range(int(source.integers(1, rules.rounds + 1))):
            view.round_number = number + 1
            view.first, view.second = source.integers(1, 7, 2)
            # Few symbols make many runs, many make few: both kinds of positions are wanted.
            if number % 2 == 0 and len(views) % 2 == 0:
                view.first, view.second = source.integers(1, 3, 2)
            moves = cc.moves_of(view)
            if not moves:
                break
            last = view.copy()
            cc.place(view, Word(moves[source.integers(len(moves))]))
        views.append(last)
    return views


def stream(start: int = 1) -> Any:
    made = new_streams(1)[0]
    fill_stream(made, Word(start))
    return made


@functools.cache
def seated(spec: str) -> Any:
    seat = np.zeros(1, SEAT).view(np.recarray)[0]
    find_strategy(CRISS_CROSS.name, spec).player().fill(seat, CRISS_CROSS, CRISS_CROSS.rules())
    return seat


def choice(spec: str, view: Any, rng: Any = None) -> int:
    """What a player does in a position."""
    scratch = np.empty(2 * cc.MAX_PAIRS, np.uint64), np.empty(2 * cc.MAX_PAIRS, np.float64)
    probe = np.zeros(1, PROBE).view(np.recarray)[0]
    return int(cc.ask(view, seated(spec), stream() if rng is None else rng, stream(), scratch, probe))


def table(specs: list[str], rules: CrissCrossRules = BASIC) -> Table:
    return Table(CRISS_CROSS, rules, find_players(specs))


def find_players(specs: list[str]) -> list[Any]:
    return [find_strategy(CRISS_CROSS.name, spec).player() for spec in specs]


def scores(spec: str, deals: int, rules: CrissCrossRules = BASIC, seed: int = 1) -> Any:
    played = table([spec], rules)
    outcomes = played.new_outcomes(deals)
    played.play(seed, 0, outcomes)
    return outcomes[:, 0, 0].astype(float)


def standard_error(values: Any) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def cell(row: int, column: int) -> int:
    return cc.SIDE * row + column


def across(first: int, flipped: bool = False) -> int:
    """The move into a cell and the one to its right."""
    return 2 * first + flipped


def down(first: int, flipped: bool = False) -> int:
    """The move into a cell and the one below."""
    return 2 * (first + 32) + flipped


def cells_of(bits: Any) -> set[int]:
    return {number for number in range(64) if int(bits) >> number & 1}


def beside(number: int, size: int = 5) -> set[int]:
    row, column = divmod(number, cc.SIDE)
    near = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return {cell(*place) for place in near if min(place) >= 0 and max(place) < size}


def after(view: Any, move: int) -> Any:
    copy = view.copy()
    cc.place(copy, Word(move))
    return copy


def replies(view: Any) -> int:
    """The best immediate gain for each of the 36 rolls, added up: the long way."""
    result, copy = 0, view.copy()
    for copy.first, copy.second in product(range(1, 7), repeat=2):
        result += max((int(cc.gain(copy, Word(move))) for move in cc.moves_of(copy)), default=0)
    return result


# --- All players -----------------------------------------------------------------------------------------------------


def test_these_players_are_there() -> None:
    assert PLAYERS[0] == "uniform"
    assert {"blunder", "first-fit", "greedy", "careful", "potential", "line-builder", "block-builder"} < set(PLAYERS)
    assert {"anchored", "lookahead", "line-solver", "planner"} < set(PLAYERS)


@pytest.mark.parametrize("name", PLAYERS)
def test_player_gives_its_reasons(name: str) -> None:
    player = find_strategy(CRISS_CROSS.name, name)
    assert player.summary
    assert len(player.summary) <= 70
    assert len(player.doc.split("\n\n")) > 1
    assert player.tags
    assert all(parameter.doc and parameter.low < parameter.high for parameter in player.parameters)


@pytest.mark.parametrize("name", RESTRICTIONS)
def test_restriction_says_what_it_forbids(name: str) -> None:
    (restriction,) = (item for item in builtin_restrictions(CRISS_CROSS.name) if item.name == name)
    assert len(restriction.doc.splitlines()[0]) <= 80


@pytest.mark.parametrize("size", [3, 4, 5])
@pytest.mark.parametrize("spec", EVERYONE)
def test_player_is_legal_under_all_rules(spec: str, size: int) -> None:
    if not COMPILED and size > 3 and spec in THINKERS:
        pytest.skip("takes minutes in plain Python")
    deals = 20 if COMPILED else 1
    for base, start, seats in product((BASIC, ADVANCED, HOUSE), cc.START_NAMES, (1, 2, 3) if COMPILED else (2,)):
        rules = base.replace(size=size, start=start)
        played = table([spec] * seats, rules)
        outcomes = played.new_outcomes(deals)
        played.play(5, 0, outcomes)  # an illegal move would raise
        assert (outcomes[:, :, cc.FILLED] == 2 * outcomes[:, :, cc.ROUNDS] + (start != "empty")).all()


@pytest.mark.parametrize("spec", EVERYONE)
def test_player_is_deterministic(spec: str) -> None:
    rules = BASIC if COMPILED else BASIC.replace(size=3)
    deals = 50 if COMPILED else 2
    played = table([spec], rules)
    first, log = played.log(3, 10, deals)
    again, log_again = played.log(3, 10, deals)
    assert (first == again).all()
    assert (log.moves == log_again.moves).all()
    other, log_other = table([spec], rules).log(3, 11, deals - 1)
    assert (first[1:] == other).all()
    assert (log.moves[1:] == log_other.moves).all()


@pytest.mark.parametrize("spec", EVERYONE)
def test_player_leaves_the_view_as_it_was(spec: str) -> None:
    for rules in (BASIC.replace(size=3), ADVANCED.replace(size=4)):
        for view in random_views(6 if COMPILED else 2, rules):
            before = view.tobytes()
            choice(spec, view)
            assert view.tobytes() == before


@pytest.mark.parametrize("spec", EVERYONE)
def test_player_treats_all_symbols_alike(spec: str) -> None:
    rng = np.random.default_rng(4)
    for view in random_views(30 if COMPILED else 2, ADVANCED.replace(size=5 if COMPILED else 3)):
        chosen = choice(spec, view)
        cc.relabel(view, rng)
        assert choice(spec, view) == chosen


def test_uniform_has_its_known_mean() -> None:
    points = scores("uniform", 40_000 if COMPILED else 100)
    assert abs(points.mean() - 10.366581) < 4 * standard_error(points)


def test_greedy_has_its_known_mean() -> None:
    points = scores("greedy", 40_000 if COMPILED else 25)
    assert abs(points.mean() - 27.37) < 4 * standard_error(points)


@pytest.mark.parametrize("spec", ["line-solver", "planner"])
def test_strong_players_average_above_30(spec: str) -> None:
    if not COMPILED and spec in THINKERS:
        pytest.skip("takes minutes in plain Python")
    points = scores(spec, 10_000 if COMPILED else 60)
    assert points.mean() - 4 * standard_error(points) > (30 if COMPILED else 27.37)


@pytest.mark.skipif(not COMPILED, reason="takes minutes in plain Python")
@pytest.mark.parametrize("rules", [BASIC, ADVANCED], ids=["basic", "advanced"])
def test_order_of_the_players(rules: CrissCrossRules) -> None:
    deals = 4_000
    order = ["blunder", "uniform", "first-fit", "greedy", "careful", "line-solver", "planner:from_round=6"]
    points = [scores(spec, deals, rules) for spec in order]
    for weak, strong in pairwise(points):
        difference = strong - weak
        assert difference.mean() > 4 * standard_error(difference)


# --- What each player is for -----------------------------------------------------------------------------------------


def test_first_fit_goes_in_reading_order() -> None:
    everything = "\n".join([". . . . ."] * 5)
    assert choice("first-fit", view_of(everything)) == across(cell(0, 0))
    assert choice("first-fit", view_of("X X X X .\n" + "\n".join([". . . . ."] * 4))) == down(cell(0, 4))
    assert choice("first-fit", view_of("X . X . .\n. . X . .\n" + "\n".join(["X X X X X"] * 3))) == down(cell(0, 1))


ONLY_GAIN = """
    X X . . t
    c # c # t
    # c # c #
    c # c # c
    # c # . .
"""


@pytest.mark.parametrize("spec", ["greedy", "careful", "potential", "line-builder", "block-builder", "anchored"])
def test_the_only_gain_is_taken(spec: str) -> None:
    """X beside the pair of X makes it three, t beside t a pair; the other space could only take them without points."""
    assert choice(spec, view_of(ONLY_GAIN)) == across(cell(0, 2))


@pytest.mark.parametrize("rules", [BASIC, ADVANCED, HOUSE], ids=["basic", "advanced", "house"])
def test_greedy_takes_a_largest_gain(rules: CrissCrossRules) -> None:
    for size in (3, 4, 5):
        for view in random_views(100 if COMPILED else 8, rules.replace(size=size), seed=size):
            gains = {move: int(cc.gain(view, Word(move))) for move in cc.moves_of(view)}
            assert gains[choice("greedy", view)] == max(gains.values())


def test_greedy_breaks_ties_evenly() -> None:
    rng = stream(8)
    tied = 0
    for view in random_views(12, seed=9):
        gains = {move: int(cc.gain(view, Word(move))) for move in cc.moves_of(view)}
        best = [move for move, points in gains.items() if points == max(gains.values())]
        draws = (200 if COMPILED else 20) * len(best)
        chosen = [choice("greedy", view, rng) for _ in range(draws)]
        counts = [chosen.count(move) for move in best]
        assert sum(counts) == draws
        if len(best) > 1:
            tied += 1
            assert stats.chisquare(counts).pvalue > 1e-5
    assert tied >= 4


ROOM_TO_CHOOSE = """
    . . . . .
    # X # c #
    c # c # c
    # c # c #
    c # c # c
"""


def test_careful_refuses_the_placement_that_makes_a_lonely_space() -> None:
    """X above X gains the same in two places, and one of them cuts off the corner."""
    view = view_of(ROOM_TO_CHOOSE, roll="X/")
    cut_off, kept = across(cell(0, 1)), across(cell(0, 0), flipped=True)
    assert cc.gain(view, Word(cut_off)) == cc.gain(view, Word(kept)) == 2
    assert {choice("greedy", view, stream(start)) for start in range(40)} == {cut_off, kept}
    assert {choice("careful:price=0", view, stream(start)) for start in range(40)} == {cut_off, kept}
    assert {choice("careful", view, stream(start)) for start in range(40)} == {kept}


def test_potential_keeps_three_in_a_row_open() -> None:
    """Both placements make three X; only one of them leaves an end of the run open."""
    view = view_of(
        """
        X X . . c
        # c . . #
        c # c # c
        # c # c #
        c # c # c
        """,
        roll="X/",
    )
    closed, opened = across(cell(0, 2)), down(cell(0, 2))
    assert {choice("greedy", view, stream(start)) for start in range(40)} == {closed, opened}
    assert {choice("potential", view, stream(start)) for start in range(40)} == {opened}


def test_line_builder_prefers_one_long_run_to_two_pairs() -> None:
    view = view_of(
        """
        X X X . .
        # c # c #
        c # c X =
        # c # . .
        c # c # c
        """,
        roll="X=",
    )
    longer, pairs = across(cell(0, 3)), across(cell(3, 3))
    assert cc.gain(view, Word(pairs)) == 4
    assert choice("line-builder", view) == longer
    assert choice("line-builder:power=1", view) == pairs


def test_block_builder_completes_a_block() -> None:
    """X makes a pair in a row and one in a column in two places, and a block in one of them."""
    view = view_of(
        """
        X X # c #
        X . . # c
        # c # c #
        c # X . .
        # c # X c
        """,
        roll="X/",
    )
    block, corner = across(cell(1, 1)), across(cell(3, 3))
    assert {choice("greedy", view, stream(start)) for start in range(40)} == {block, corner}
    assert {choice("block-builder", view, stream(start)) for start in range(40)} == {block}


def test_anchored_starts_beside_what_is_there() -> None:
    view = view_of("X . . . .\n" + "\n".join([". . . . ."] * 4), roll="t/")
    near = {across(cell(0, 1)), down(cell(0, 1)), down(cell(1, 0)), across(cell(1, 0))}
    for start in range(20):
        assert choice("anchored", view, stream(start)) & ~1 in near
    assert any(choice("greedy", view, stream(start)) & ~1 not in near for start in range(20))


def test_lookahead_leaves_room_for_the_next_roll() -> None:
    """Nothing is gained now. In the middle of the column the next roll would find no two spaces."""
    view = view_of("X t .\nt c .\n# . .", BASIC.replace(size=3), roll="/=", round_number=2)
    assert choice("lookahead", view) >> 1 != down(cell(1, 2)) >> 1
    assert choice("lookahead:weight=0", view, stream(2)) in cc.moves_of(view)


@pytest.mark.parametrize("rules", [BASIC, ADVANCED, HOUSE], ids=["basic", "advanced", "house"])
def test_lookahead_maximises_gain_and_expected_reply(rules: CrissCrossRules) -> None:
    looked = 0
    for view in random_views(60 if COMPILED else 12, rules.replace(size=3), seed=2):
        moves = cc.moves_of(view)
        is_last = view.round_number == view.rounds
        value = {
            move: 36 * int(cc.gain(view, Word(move))) + (0 if is_last else replies(after(view, move))) for move in moves
        }
        looked += not is_last and len(set(value.values())) > 1
        assert value[choice("lookahead", view)] == max(value.values())
    assert looked > 2


def test_planner_that_never_looks_ahead_is_line_solver() -> None:
    deals = 200 if COMPILED else 2
    assert (scores("planner:from_round=12", deals) == scores("line-solver", deals)).all()


def test_line_solver_takes_a_parameter_for_lonely_spaces() -> None:
    view = view_of(ROOM_TO_CHOOSE, roll="X/", round_number=9)
    assert choice("line-solver:lonely=20", view) == across(cell(0, 0), flipped=True)


# --- Tables ----------------------------------------------------------------------------------------------------------


def test_pair_tables_hold_the_lines_and_steps_of_every_pair() -> None:
    for number, vertical in product(range(25), (False, True)):
        other = number + (5 if vertical else 1)
        if other not in beside(number):
            continue
        pair = number + 32 * vertical
        along, across_it = (cc.COLUMN, cc.ROW) if vertical else (cc.ROW, cc.COLUMN)
        assert players.ALONG[pair] == along[number] == along[other]
        assert players.ACROSS_FIRST[pair] == across_it[number]
        assert players.ACROSS_SECOND[pair] == across_it[other]
        step = 7 ** (number // 5 if vertical else number % 5)
        assert players.STEP_ALONG[pair] == step
        assert players.STEP_ACROSS[pair] == 7 ** (number % 5 if vertical else number // 5)


def test_patterns_are_lines_up_to_the_names_of_symbols() -> None:
    def pattern(code: int) -> tuple[int, ...]:
        symbols = cc.line_symbols(code)
        seen = [symbol for symbol in dict.fromkeys(symbols) if symbol]
        return tuple(seen.index(symbol) + 1 if symbol else 0 for symbol in symbols)

    kinds: dict[int, set[tuple[int, ...]]] = {}
    for code in range(cc.LINE_CODES):
        kinds.setdefault(int(players.PATTERN[code]), set()).add(pattern(code))
    assert len(kinds) == len(players.PATTERN_CODES) == 203  # the Bell number B(6): holes are one more symbol
    assert all(len(alike) == 1 for alike in kinds.values())
    assert (players.PATTERN[players.PATTERN_CODES] == np.arange(203)).all()


def value_of(symbols: tuple[int, ...], played: int, size: int = 5, variant: int = 0) -> float:
    code = sum(symbol * 7**place for place, symbol in enumerate(symbols))
    return float(players.LINE_VALUES[variant, size - 3, played, players.PATTERN[code]]) / players.FINE


def test_line_values_end_with_the_points() -> None:
    for size, rounds in ((3, 4), (4, 7), (5, 12)):
        for variant in (0, 1):
            ends = players.LINE_VALUES[variant, size - 3, rounds]
            assert (ends == players.FINE * players.PATTERN_POINTS[variant].astype(int)).all()


def test_line_values_of_the_last_round_by_hand() -> None:
    """A pair with one space left: 1 symbol of 6 makes three points of two."""
    forced = (players.FORCED + players.FORCED_MORE) / 3
    offered = (max(3 - players.SPACE_PRICE, 2) + 5 * 2) / 6
    assert value_of((1, 1, 0), 3, size=3) == pytest.approx(forced * 13 / 6 + (1 - forced) * offered, abs=1 / 1024)


def test_line_values_do_not_depend_on_the_direction() -> None:
    for code in players.PATTERN_CODES:
        symbols = cc.line_symbols(int(code))
        for played, variant in product((0, 5, 9, 11), (0, 1)):
            forward, back = (value_of(way, played, variant=variant) for way in (symbols, symbols[::-1]))
            assert forward == pytest.approx(back, abs=2 / 1024)


def test_line_values_know_open_runs() -> None:
    assert value_of((0, 1, 1, 1, 0), 6) > value_of((2, 1, 1, 1, 3), 6) + 0.5
    assert value_of((0, 1, 1, 1, 0), 6) > value_of((0, 1, 1, 1, 0), 11)
    assert value_of((1, 2, 3, 0, 0), 6, variant=1) < 0 < value_of((1, 2, 3, 0, 0), 6)


def test_line_values_of_full_lines_are_their_points() -> None:
    full = np.array([0 not in cc.line_symbols(int(code)) for code in players.PATTERN_CODES])
    for variant in (0, 1):
        points = players.FINE * players.PATTERN_POINTS[variant].astype(int)
        assert (players.LINE_VALUES[variant, 2][:, full] == points[full]).all()


def test_open_ends() -> None:
    def ends(*symbols: int) -> list[int]:
        code = sum(symbol * 7**place for place, symbol in enumerate(symbols))
        return [int(count) for count in players.OPEN_ENDS[players.PATTERN[code]]]

    assert ends(0, 0, 0, 0, 0) == [0, 0, 0, 0]
    assert ends(0, 1, 0, 1, 1) == [2, 1, 0, 0]
    assert ends(0, 3, 3, 3, 0) == [0, 0, 2, 0]
    assert ends(2, 2, 2, 2, 0) == [0, 0, 0, 1]
    assert ends(1, 2, 2, 0, 4) == [1, 1, 0, 0]
    assert ends(1, 1, 1, 1, 1) == [0, 0, 0, 0]


# --- Shared parts ----------------------------------------------------------------------------------------------------


def random_cells(count: int) -> list[int]:
    return [int(bits) for bits in np.random.default_rng(6).integers(0, 1 << 25, count)]


def test_pair_cells() -> None:
    assert cells_of(players.pair_cells(Word(7))) == {7, 8}
    assert cells_of(players.pair_cells(Word(7 + 32))) == {7, 12}


def test_neighbours() -> None:
    for number in range(25):
        assert cells_of(players.neighbours(Word(1 << number)) & Word(0x1FFFFFF)) == beside(number)


def test_dead_ends() -> None:
    for bits in random_cells(200 if COMPILED else 40):
        empty = cells_of(bits)
        wanted = {number for number in empty if len(beside(number) & empty) == 1}
        assert cells_of(players.dead_ends(Word(bits))) == wanted


def test_shape_value() -> None:
    prices = np.int64(100), np.int64(10), np.int64(1)
    for bits in random_cells(200 if COMPILED else 40):
        empty = cells_of(bits)
        near = [len(beside(number) & empty) for number in empty]
        assert players.shape_value(Word(bits), prices) == sum(near) // 2 - 100 * near.count(0) - 10 * near.count(1)


def test_worth() -> None:
    view = view_of(ONLY_GAIN, CrissCrossRules(run_points=(0, 2, 4, 8, 10)))
    three = Word(1 + 7 + 49)
    values, known = players.LINE_VALUES[0, 2, 4], players.PATTERN_POINTS[0]
    assert players.worth(view, None, None, three) == 4
    assert players.worth(view, values, None, three) == values[players.PATTERN[three]]
    assert players.worth(view, values, known, three) == values[players.PATTERN[three]] + players.FINE


def test_three_lines() -> None:
    view = view_of(ONLY_GAIN)
    assert [int(code) for code in players.three_lines(view, Word(2))] == [view.lines[0], view.lines[7], view.lines[8]]
    assert [int(code) for code in players.three_lines(view, Word(34))] == [view.lines[7], view.lines[0], view.lines[1]]


def test_joint_worth() -> None:
    view = view_of(ONLY_GAIN)
    assert players.joint_worth(view, None, None, Word(8), Word(8 + 49), Word(0)) == 2 + 3


def test_changed_lines() -> None:
    for view in random_views(30 if COMPILED else 8):
        for move in cc.moves_of(view):
            pair, moved = move // 2, after(view, move)
            numbers = [int(code) for code in players.changed_lines(view, Word(move))]
            assert numbers[:3] == [int(code) for code in players.three_lines(view, Word(pair))]
            assert numbers[3:] == [int(code) for code in players.three_lines(moved, Word(pair))]


def test_best_replies() -> None:
    room = np.empty(36, np.int64)
    for rules in (BASIC, ADVANCED, HOUSE):
        for view in random_views(20 if COMPILED else 3, rules, seed=3):
            assert players.best_replies(view, None, None, None, room) == replies(view)


def test_best_replies_is_0_where_nothing_fits() -> None:
    view = view_of("X t .\nt . t\n. t X", BASIC.replace(size=3))
    assert players.best_replies(view, None, None, None, np.empty(36, np.int64)) == 0


def test_take_back_undoes_place() -> None:
    for rules in (BASIC, ADVANCED):
        for view in random_views(20, rules):
            before = view.tobytes()
            for move in cc.moves_of(view):
                cc.place(view, Word(move))
                assert view.tobytes() != before
                players.take_back(view, Word(move))
                assert view.tobytes() == before


def test_sheet_value() -> None:
    for rules in (BASIC, ADVANCED, HOUSE.replace(size=4)):
        for view in random_views(10, rules):
            assert players.sheet_value(view, None, None) == cc.total(view)


def test_table_for() -> None:
    def found(rules: CrissCrossRules) -> tuple[int, bool]:
        variant, exact = players.table_for(cc.new_views(rules, 1)[0])
        return int(variant), bool(exact)

    assert found(BASIC) == (0, True)
    assert found(ADVANCED) == (1, True)
    assert found(BASIC.replace(run_points=(0, 2, 3, 7, 10))) == (0, False)
    assert found(BASIC.replace(zero_line_points=-2)) == (1, False)


def test_shape_prices() -> None:
    params = np.array([2.0, 1.0, 0.5])
    view = cc.new_views(BASIC, 1)[0]
    assert [int(price) for price in players.shape_prices(view, params, 3)] == [2048, 768, 512]
    assert [int(price) for price in players.shape_prices(view, params, 12)] == [2048, 0, 512]
    barren = cc.new_views(ADVANCED, 1)[0]
    assert [int(price) for price in players.shape_prices(barren, params, 3)] == [2048, 1536, 1024]


def test_run_counts() -> None:
    codes = [1 + 7, 1 + 7 + 49 + 3 * 343 + 3 * 2401, 2 * (1 + 7 + 49 + 343 + 2401)]
    counts = int(players.run_counts(*(Word(code) for code in codes)))
    assert [counts >> 16 * place & 0xFFFF for place in range(4)] == [2, 1, 0, 1]


def test_openness() -> None:
    weights = np.array([1.0, 10.0, 100.0, 1000.0])
    assert players.openness(Word(7 + 343 + 2401), weights) == 1 * 2 + 10


def test_cells_with() -> None:
    view = view_of(ONLY_GAIN)
    assert cells_of(players.cells_with(view, Word(1))) == {0, 1}
    assert cells_of(players.cells_with(view, Word(2))) == {4, 9}


def test_block_value() -> None:
    everything = (1 << 25) - 1

    def value(cells: set[int], empty: int) -> float:
        return float(players.block_value(Word(sum(1 << number for number in cells)), Word(empty), 1.0, 10.0))

    block = {cell(1, 1), cell(1, 2), cell(2, 1), cell(2, 2)}
    assert value(block, 0) == 10
    for missing in block:
        assert value(block - {missing}, 0) == 0
        assert value(block - {missing}, 1 << missing) == 1
    assert value({cell(0, 4), cell(1, 4), cell(1, 0), cell(2, 0)}, everything) == 0  # no window around the edge


# --- Restrictions ----------------------------------------------------------------------------------------------------


def forbidden(name: str, view: Any) -> set[int]:
    (restriction,) = (item for item in builtin_restrictions(CRISS_CROSS.name) if item.name == name)
    return {move for move in cc.moves_of(view) if restriction.function(view, Word(move), np.zeros(1))}


def test_lonely_spaces() -> None:
    assert {move // 2 for move in forbidden("lonely-spaces", view_of(ROOM_TO_CHOOSE))} == {1, 2}


def test_vertical() -> None:
    view = view_of("X . .\n. . .\nX t c", BASIC.replace(size=3))
    assert {move // 2 for move in forbidden("vertical", view)} == {33, 34}


def test_corners() -> None:
    view = view_of("\n".join([". . . ."] * 4), BASIC.replace(size=4))
    pairs = {0, 2, 15, 17, 32, 35, 42, 45}
    assert {move // 2 for move in forbidden("corners", view)} == pairs


def test_apart() -> None:
    view = view_of("X . .\n. . .\n. . .", BASIC.replace(size=3))
    assert {move // 2 for move in forbidden("apart", view)} == {6, 10, 11, 32 + 6, 32 + 7, 34}


@pytest.mark.parametrize("name", RESTRICTIONS)
@pytest.mark.parametrize("base", ["uniform", "greedy", "blunder"])
def test_restricted_players_obey(base: str, name: str) -> None:
    _, logs = table([f"restrict({base},never={name})"]).log(1, 0, 30 if COMPILED else 2)
    obeyed = 0
    for log in logs:
        view = view_of("\n".join([". . . . ."] * 5))
        view.lines[0] = view.lines[cc.SIDE] = log.start[0]
        view.empty = view.grid - 1
        for number in range(int(log.rounds)):
            view.first, view.second = log.rolls[number]
            avoided, moves = forbidden(name, view), set(cc.moves_of(view))
            move = int(log.moves[number, 0])
            assert move not in avoided or avoided == moves
            obeyed += 0 < len(avoided) < len(moves)
            cc.place(view, Word(move))
    assert obeyed
