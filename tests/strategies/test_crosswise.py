import functools
import math
from collections import Counter
from collections.abc import Iterable
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from analysis.intervals import student_interval
from sims import crosswise as cw
from sims.asking import new_scratch
from sims.bits import Word
from sims.chance import fill_stream, new_streams
from sims.crosswise import CROSSWISE, CrossWiseRules
from sims.game import SCORE, WIN, WIN_UNIT
from sims.jit import COMPILED
from sims.table import PROBE, SEAT, Table
from strategies import builtin_restrictions, builtin_strategies, find_strategy
from strategies import crosswise as players

BASIC = CrossWiseRules()
CALM = CrossWiseRules(sudden_win=False)
HOUSE = CrossWiseRules(group_points=(-2, 5, 4, 9, 20), six_different_points=-7)
PLAYERS = [player.name for player in builtin_strategies(CROSSWISE.name)]
RESTRICTIONS = [restriction.name for restriction in builtin_restrictions(CROSSWISE.name)]
GREEDY = {"blunder": (-1, 1), "own-greedy": (1, 0), "difference-greedy": (1, -1), "spoiler": (0, -1)}  # own, others
EVERYONE = [*PLAYERS, "wedel:mirror=1"]
SPECS = [*EVERYONE, "hoarder:late=20", "potential:six=40,threat=3,price=-2,late=4,other=1.5", "line-table:threat=50"]

compiled_only = pytest.mark.skipif(not COMPILED, reason="plays too many games for plain Python")

# --- The game in plain words -----------------------------------------------------------------------------------------

# A board is 36 symbols, 0 for an empty cell. A play is (kind, symbol that leaves the hand, cell, other cell), else 0.
Board = tuple[int, ...]
Play = tuple[int, int, int, int]

PLACE, TAKE, SHIFT, SWAP, REPLACE = range(5)
STONES = "-123456RMSP"  # kinds of stones, from 1: remove, move, swap, replace at the end
ROWS = [range(6 * row, 6 * row + 6) for row in range(6)]
COLUMNS = [range(column, 36, 6) for column in range(6)]
TEAM_LINES = [ROWS, COLUMNS]
ALL_LINES = [*ROWS, *COLUMNS]
STATE_OF = {tuple(int(count) for count in counts[1:]): state for state, counts in enumerate(cw.COUNTS)}


def board_of(view: Any) -> Board:
    return tuple(int(symbol) for symbol in view.cells)


def hand_of(view: Any) -> list[int]:
    """How many stones the seat holds of every kind; kind 0 does not exist."""
    return [0, *(int(view.hand) >> 4 * place & 15 for place in range(10))]


def rules_of(view: Any) -> tuple[int, ...]:
    """The points of a group of 0 to 6 equal stones, and of six different ones."""
    groups = [STATE_OF[size, 0, 0, 0, 0, 0] for size in range(7)]
    return tuple(int(view.points[state]) for state in [*groups, STATE_OF[1, 1, 1, 1, 1, 1]])


def plays_of(board: Board, hand: list[int]) -> list[Play]:
    spaces, stones = ([cell for cell in range(36) if (board[cell] == 0) == empty] for empty in (True, False))
    symbols = [symbol for symbol in range(1, 7) if hand[symbol]]
    plays = [(PLACE, symbol, cell, 0) for symbol in symbols for cell in spaces]
    if hand[7]:
        plays += [(TAKE, 0, cell, 0) for cell in stones]
    if hand[8]:
        plays += [(SHIFT, 0, cell, other) for cell in stones for other in spaces]
    if hand[9]:
        plays += [(SWAP, 0, cell, other) for cell, other in combinations(stones, 2)]
    if hand[10]:
        plays += [(REPLACE, symbol, cell, 0) for symbol in symbols for cell in stones]
    return plays


def after(board: Board, play: Play) -> Board:
    kind, symbol, cell, other = play
    cells = list(board)
    if kind in (PLACE, REPLACE):
        cells[cell] = symbol
    elif kind == TAKE:
        cells[cell] = 0
    else:
        cells[cell], cells[other] = cells[other], cells[cell]
    return tuple(cells)


def lines_of(board: Board, team: int) -> list[Board]:
    return [tuple(board[cell] for cell in line) for line in TEAM_LINES[team]]


@functools.cache
def line_points(line: Board, rules: tuple[int, ...]) -> int:
    groups = Counter(symbol for symbol in line if symbol)
    return rules[7] if len(groups) == 6 else sum(rules[size] for size in groups.values())


def points_of(board: Board, team: int, rules: tuple[int, ...]) -> int:
    return sum(line_points(line, rules) for line in lines_of(board, team))


def is_six(line: Board) -> bool:
    return 0 not in line and len(set(line)) == 1


def is_threat(line: Board) -> bool:
    """Whether a line lacks a single stone to six of a kind."""
    return line.count(0) == 1 and len(set(line)) == 2


def has_six(board: Board, team: int) -> bool:
    return any(is_six(line) for line in lines_of(board, team))


def has_five(board: Board, team: int) -> bool:
    return any(line.count(symbol) == 5 for line in lines_of(board, team) for symbol in range(1, 7))


def threats_to(board: Board, team: int) -> int:
    """How many threats a team has."""
    return sum(is_threat(line) for line in lines_of(board, team))


def completes(board: Board, play: Play, team: int) -> bool:
    """Whether a play makes a line of a team one of six equal stones that was none."""
    then = after(board, play)
    if not has_six(then, team):
        return False
    lines = zip(lines_of(board, team), lines_of(then, team), strict=True)
    return any(is_six(now) and not is_six(before) for before, now in lines)


def all_gains(board: Board, plays: Iterable[Play], rules: tuple[int, ...]) -> dict[Play, tuple[int, int]]:
    """What plays bring to rows and columns."""
    before = [points_of(board, team, rules) for team in (0, 1)]
    gains = {}
    for play in plays:
        then = after(board, play)
        gains[play] = points_of(then, 0, rules) - before[0], points_of(then, 1, rules) - before[1]
    return gains


def state_of(line: Iterable[int]) -> int:
    counts = Counter(line)
    return STATE_OF[tuple(counts[symbol] for symbol in range(1, 7))]


def move_of(play: Play) -> Any:
    kind, symbol, cell, other = play
    return Word(kind << 16 | symbol << 12 | cell << 6 | other)


def play_of(move: Any) -> Play:
    move = int(move)
    return move >> 16, move >> 12 & 15, move >> 6 & 63, move & 63


def said(play: Play) -> str:
    """A play as people say it; "34" is row 3, column 4."""
    kind, symbol, cell, other = play
    at, to = (f"{place // 6 + 1}{place % 6 + 1}" for place in (cell, other))
    words = f"{symbol} on {at}", f"remove {at}", f"move {at} to {to}", f"swap {at} and {to}", f"{symbol} for {at}"
    return words[kind]


def reading(cell: int, by_columns: bool) -> int:
    row, column = divmod(cell, 6)
    return 6 * column + row if by_columns else cell


def order_of(board: Board, hand: list[int], play: Play, by_columns: bool) -> tuple[int, ...]:
    """The place of a play in the published order among equals: the lowest comes first."""
    kind, symbol, cell, other = play
    cells = [reading(cell, by_columns)]
    if kind in (SHIFT, SWAP):
        cells.append(reading(other, by_columns))
    if kind == SWAP:
        cells.sort()  # of two stones that change places, neither is the first
    if kind == PLACE:
        return (0, -hand[symbol], board.count(symbol), symbol, *cells)
    if kind == REPLACE:  # of all replacements, those by the stone that would be placed first
        return (1, -hand[10], kind, -hand[symbol], board.count(symbol), symbol, *cells)
    return (1, -hand[kind + 6], kind, *cells)


def best_plays(view: Any, own: int, others: int, without: str = "") -> set[Play]:
    """All plays of the highest weighted gain; stones of the kinds `without` are left in the hand."""
    board, hand, rules, team = board_of(view), hand_of(view), rules_of(view), int(view.team)
    for stone in without:
        hand[STONES.index(stone)] = 0
    found = all_gains(board, plays_of(board, hand), rules)
    values = {play: own * gains[team] + others * gains[1 - team] for play, gains in found.items()}
    highest = max(values.values())
    return {play for play, value in values.items() if value == highest}


def wedel_play(
    board: Board, hand: list[int], team: int, rules: tuple[int, ...], sudden_win: bool = True, mirror: bool = False
) -> Play:
    """The published rule, sentence by sentence."""
    plays = plays_of(board, hand)
    other, by_columns = 1 - team, mirror and team == 1

    def order(play: Play) -> tuple[int, ...]:
        return order_of(board, hand, play, by_columns)

    if sudden_win:
        wins = [play for play in plays if completes(board, play, team)]
        if wins:
            return min(wins, key=order)
        plays = [play for play in plays if not completes(board, play, other)] or plays
        if threats_to(board, other):
            plays = [play for play in plays if not threats_to(after(board, play), other)] or plays
    gains = all_gains(board, plays, rules)
    return min(plays, key=lambda play: (gains[play][other] - gains[play][team], order(play)))


# --- Positions -------------------------------------------------------------------------------------------------------


def new_view(board: Iterable[int], hand: str, team: int = 0, rules: CrossWiseRules = BASIC) -> Any:
    """A decision of the seat of a team at a table of two."""
    view = cw.new_views(rules, 2)[0]
    for cell, symbol in enumerate(board):
        if symbol:
            cw.put(view, Word(cell), Word(symbol))
    view.hand = sum(1 << 4 * (STONES.index(stone) - 1) for stone in hand)
    view.seat = view.team = team
    view.hand_sizes[:2] = rules.hand
    view.hand_sizes[team] = len(hand)
    view.turn = 1 + team
    stones = 6 * rules.copies + 4 * rules.action_stones - int(np.count_nonzero(view.cells))
    view.bag = max(stones - int(view.hand_sizes.sum()), 0)
    return view


def view_of(text: str, hand: str, team: int = 0, rules: CrossWiseRules = BASIC) -> Any:
    """A decision on the board of a text: six symbols a row, "." for an empty cell; rows left out are empty."""
    board = [0 if sign == "." else int(sign) for sign in text.split()]
    return new_view(board + [0] * (36 - len(board)), hand, team, rules)


def random_view(source: np.random.Generator, rules: CrossWiseRules = BASIC, fives: int = 0) -> Any:
    """A decision that the stones of the bag allow, with up to so many lines that have five equal stones."""
    while True:
        board = [0] * 36
        for _ in range(fives):
            cells, symbol = source.permutation(list(ALL_LINES[source.integers(12)]))[:5], int(source.integers(1, 7))
            lacking = [cell for cell in cells if not board[cell]]
            fits = all(board[cell] in (0, symbol) for cell in cells)
            if fits and board.count(symbol) + len(lacking) <= rules.copies:
                for cell in lacking:
                    board[cell] = symbol
        liking = source.dirichlet([source.choice([0.3, 5.0])] * 6)  # few symbols make large groups
        for cell in source.permutation(36)[: source.integers(36)]:
            chances = liking * [board.count(symbol) < rules.copies for symbol in range(1, 7)]
            if not board[cell] and chances.sum() > 0:
                board[cell] = int(source.choice(6, p=chances / chances.sum())) + 1
        symbols = [STONES[symbol] for symbol in range(1, 7) for _ in range(rules.copies - board.count(symbol))]
        actions = list("RMSP" * rules.action_stones)
        hand = [*source.permutation(symbols)[: source.integers(6)], *source.permutation(actions)[: source.integers(4)]]
        view = new_view(board, "".join(hand), int(source.integers(2)), rules)
        over = rules.sudden_win and any(has_six(tuple(board), team) for team in (0, 1))
        if not over and 0 in board and plays_of(tuple(board), hand_of(view)):
            return view


def random_views(count: int, rules: CrossWiseRules = BASIC, seed: int = 1, fives: int = 2) -> list[Any]:
    """Decisions, every other one with lines of five."""
    source = np.random.default_rng(seed)
    return [random_view(source, rules, fives * (number % 2)) for number in range(count)]


def random_rules(source: np.random.Generator) -> CrossWiseRules:
    return CrossWiseRules(
        sudden_win=bool(source.integers(2)),
        group_points=tuple(int(points) for points in source.integers(-20, 21, 5)),
        six_different_points=int(source.integers(-20, 21)),
        copies=int(source.integers(2, 11)),
        action_stones=int(source.integers(0, 11)),
        hand=int(source.integers(1, 9)),
        lone_hand=int(source.integers(1, 11)),
    )


# --- Playing ---------------------------------------------------------------------------------------------------------


def stream(start: int = 1) -> Any:
    made = new_streams(1)[0]
    fill_stream(made, Word(start))
    return made


@functools.cache
def seated(spec: str, rules: CrossWiseRules) -> tuple[Any, Any]:
    """A player's record, and what has to live as long."""
    seat = np.zeros(1, SEAT).view(np.recarray)[0]
    return seat, find_strategy(CROSSWISE.name, spec).player().fill(seat, CROSSWISE, rules)


def choice(spec: str, view: Any, rng: Any = None, rules: CrossWiseRules = BASIC) -> Play:
    """What a player does in a position; `rules` are what it knows by heart."""
    probe = np.zeros(1, PROBE).view(np.recarray)[0]
    seat, _ = seated(spec, rules)
    rng = stream() if rng is None else rng
    return play_of(cw.ask(view, seat, rng, stream(), new_scratch(cw.MAX_PLAYS), probe))


def says(spec: str, view: Any) -> str:
    return said(choice(spec, view))


def choices(spec: str, view: Any) -> set[str]:
    """All that a player does in a position, when it breaks ties at random."""
    return {said(choice(spec, view, stream(start))) for start in range(100)}


def table(specs: list[str], rules: CrossWiseRules = BASIC) -> Table:
    return Table(CROSSWISE, rules, [find_strategy(CROSSWISE.name, spec).player() for spec in specs])


def outcomes(specs: list[str], deals: int, rules: CrossWiseRules = BASIC, seed: int = 1) -> NDArray[np.int16]:
    played = table(specs, rules)
    rows = played.new_outcomes(deals)
    played.play(seed, 0, rows)
    return rows


def decisions(log: Any) -> Iterable[tuple[int, Board, list[int], Play]]:
    """Every decision of a game of two, told by its events: seat, board, hand and play."""
    board: Board = (0,) * 36
    hands = [[0] * 11, [0] * 11]
    for event in CROSSWISE.events(BASIC, log, 2):
        kind = event["type"]
        if kind in ("draw", "return"):
            for stone in event["stones"]:
                hands[event["seat"]][cw.STONE_NAMES.index(stone)] += 1 if kind == "draw" else -1
        elif kind in cw.PLAY_NAMES:
            cells = [event[key] for key in ("cell", "from", "to") if key in event] + event.get("cells", [])
            cell, other = [6 * row + column for row, column in [*cells, [0, 0]][:2]]
            play = (cw.PLAY_NAMES.index(kind), int(event.get("stone", 0)), cell, other)
            hand = hands[event["seat"]]
            yield event["seat"], board, hand.copy(), play
            taken = board[cell]
            if play[0] != PLACE:
                hand[play[0] + 6] -= 1
            if play[1]:
                hand[play[1]] -= 1
            if play[0] in (TAKE, REPLACE):
                hand[taken] += 1
            board = after(board, play)


def share_of_wins(first: str, second: str, deals: int) -> tuple[float, float]:
    """The share of wins of the first, draws half, and its standard error; a block is a deal with both seatings."""
    forth, back = outcomes([first, second], deals)[:, 0, WIN], outcomes([second, first], deals)[:, 1, WIN]
    return mean_and_error((forth.astype(float) + back) / 2 / WIN_UNIT)


def share_of_rows(spec: str, deals: int) -> tuple[float, float]:
    """The share of wins of seat 0 of a player against itself, and its standard error."""
    return mean_and_error(outcomes([spec, spec], deals)[:, 0, WIN] / WIN_UNIT)


def mean_and_error(values: Any) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))


def some(compiled: int, plain: int) -> int:
    """How many positions are looked at."""
    return compiled if COMPILED else plain


# --- All players -----------------------------------------------------------------------------------------------------


def test_these_players_are_there() -> None:
    others = {"uniform", "hoarder", "wedel", "potential", "line-table"}
    assert set(PLAYERS) == {*GREEDY, *others}


def test_one_player_is_the_weak_one_and_one_the_baseline() -> None:
    tagged = {
        tag: [player.name for player in builtin_strategies(CROSSWISE.name) if tag in player.tags]
        for tag in ("weak", "baseline", "strong", "published")
    }
    strong = ["potential", "line-table"]
    assert tagged == {"weak": ["blunder"], "baseline": ["uniform"], "strong": strong, "published": ["wedel"]}


def test_only_wedel_is_under_a_caveat() -> None:
    caveats = {player.name: player.caveat for player in builtin_strategies(CROSSWISE.name) if player.caveat}
    assert list(caveats) == ["wedel"]
    assert "mirror=1" in caveats["wedel"]


@pytest.mark.parametrize("name", PLAYERS)
def test_player_gives_its_reasons(name: str) -> None:
    player = find_strategy(CROSSWISE.name, name)
    assert 0 < len(player.summary) <= 70
    assert name in ("uniform", "blunder") or len(player.doc.split("\n\n")) > 1
    assert all(parameter.doc and parameter.low < parameter.high for parameter in player.parameters)
    assert player.tags


def test_restrictions_say_what_they_forbid() -> None:
    assert RESTRICTIONS == ["actions", "removes", "moves", "swaps", "replaces"]
    assert all(0 < len(item.doc.splitlines()[0]) <= 70 for item in builtin_restrictions(CROSSWISE.name))


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("spec", SPECS)
def test_player_is_legal_under_all_rules(spec: str, seats: int) -> None:
    source = np.random.default_rng(seats)
    variants = [BASIC, CALM, *(random_rules(source) for _ in range(20))]
    for rules in variants if COMPILED else variants[1:4]:
        rows = outcomes([spec] * seats, some(20, 1), rules, seed=5)  # an illegal move would raise
        low, high = CROSSWISE.score_range(rules)
        assert (low <= rows[..., SCORE]).all()
        assert (rows[..., SCORE] <= high).all()
        assert (rows[..., cw.PLACED : cw.PASSES].sum(axis=2) <= CROSSWISE.longest(rules)).all()


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_all_players_sit_at_one_table(seats: int) -> None:
    for lineup in zip(*(np.roll(EVERYONE, turned) for turned in range(seats)), strict=True):
        rows = outcomes([str(name) for name in lineup], some(50, 1))
        assert (rows[:, 0, WIN] + rows[:, 1, WIN] == WIN_UNIT).all()
        assert (rows[:, ::2, WIN] == rows[:, :1, WIN]).all()
        assert (rows[:, 1::2, WIN] == rows[:, 1:2, WIN]).all()


@pytest.mark.parametrize("spec", SPECS)
def test_player_is_deterministic(spec: str) -> None:
    deals = some(50, 2)
    first, log = table([spec, "uniform"]).log(3, 10, deals)
    again, log_again = table([spec, "uniform"]).log(3, 10, deals)
    assert (first == again).all()
    assert (log.moves == log_again.moves).all()
    other, log_other = table([spec, "uniform"]).log(3, 11, deals - 1)
    assert (first[1:] == other).all()
    assert (log.moves[1:] == log_other.moves).all()


@pytest.mark.parametrize("spec", SPECS)
def test_player_leaves_the_view_as_it_was(spec: str) -> None:
    for view in random_views(some(30, 4)):
        before = view.tobytes()
        choice(spec, view)
        assert view.tobytes() == before


# --- How strong they are ---------------------------------------------------------------------------------------------


@compiled_only
@pytest.mark.parametrize("name", [name for name in PLAYERS if name not in ("uniform", "blunder")])
def test_blunder_loses_clearly_to_every_player(name: str) -> None:
    share, error = share_of_wins(name, "blunder", 1_000)
    assert share - 4 * error > 0.9


@compiled_only
def test_blunder_loses_to_chance_too() -> None:
    share, error = share_of_wins("uniform", "blunder", 2_000)
    assert share - 4 * error > 0.6


@compiled_only
def test_wedel_beats_difference_greedy() -> None:
    share, error = share_of_wins("wedel", "difference-greedy", 4_000)
    assert error < 0.007
    assert 0.56 < share < 0.62


@compiled_only
@pytest.mark.parametrize(("name", "least"), [("wedel", 0.82), ("potential", 0.5), ("hoarder", 0.5)])
def test_line_table_beats_the_strongest(name: str, least: float) -> None:
    share, error = share_of_wins("line-table", name, 4_000)
    assert share - 4 * error > least


@compiled_only
@pytest.mark.parametrize(
    "name", [name for name in PLAYERS if name not in ("wedel", "potential", "hoarder", "line-table")]
)
def test_line_table_beats_everybody_else(name: str) -> None:
    share, error = share_of_wins("line-table", name, 1_000)
    assert share - 4 * error > 0.5


@compiled_only
@pytest.mark.parametrize(("spec", "share"), [("wedel", 0.31), ("wedel:mirror=1", 0.52)])
def test_reading_order_favours_the_columns_team(spec: str, share: float) -> None:
    found, error = share_of_rows(spec, 4_000)
    assert error < 0.009
    assert abs(found - share) < 0.04


@compiled_only
@pytest.mark.slow
def test_wedel_beats_difference_greedy_on_many_deals() -> None:
    deals = 50_000
    interval = student_interval(*share_of_wins("wedel", "difference-greedy", deals), deals, 0.999)
    assert interval.high - interval.low < 0.012
    assert interval.low > 0.575
    assert interval.high < 0.605


@compiled_only
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PLAYERS if name != "line-table"])
def test_line_table_beats_every_player_on_many_deals(name: str) -> None:
    deals = 50_000
    interval = student_interval(*share_of_wins("line-table", name, deals), deals, 0.999)
    assert interval.high - interval.low < 0.016
    assert interval.low > (0.84 if name == "wedel" else 0.5)


@compiled_only
@pytest.mark.slow
@pytest.mark.parametrize(("spec", "low", "high"), [("wedel", 0.30, 0.33), ("wedel:mirror=1", 0.51, 0.54)])
def test_reading_order_favours_the_columns_team_on_many_deals(spec: str, low: float, high: float) -> None:
    deals = 50_000
    interval = student_interval(*share_of_rows(spec, deals), deals, 0.99)
    assert low < interval.low < interval.high < high


# --- What each player is for -----------------------------------------------------------------------------------------


def test_uniform_makes_all_plays_alike() -> None:
    view = view_of("1 2 . . . .  3 . . . . .", "16RMSP")
    plays = plays_of(board_of(view), hand_of(view))
    assert len({kind for kind, *_ in plays}) == 5
    rng = stream(8)
    draws = Counter(choice("uniform", view, rng) for _ in range(some(20_000, 1_500)))
    assert set(draws) <= set(plays)
    assert stats.chisquare([draws[play] for play in plays]).pvalue > 1e-5


# Row 1 and column 4 want a 1 on 14. Columns 1, 2 and 3 have a 1 each, and so have rows 2, 3 and 4.
THREES = "1 1 1 . 2 3  . . . 1 . .  . . . 1 . .  . . . 1 . ."


@pytest.mark.parametrize(
    ("spec", "team", "chosen"),
    [
        ("own-greedy", 0, {"1 on 14"}),
        ("own-greedy", 1, {"1 on 14", "1 on 54", "1 on 64"}),
        ("difference-greedy", 0, {"1 on 25", "1 on 26", "1 on 35", "1 on 36", "1 on 45", "1 on 46"}),
        ("difference-greedy", 1, {"1 on 54", "1 on 64"}),
        ("blunder", 0, {"1 on 54", "1 on 64"}),
        ("blunder", 1, {"1 on 25", "1 on 26", "1 on 35", "1 on 36", "1 on 45", "1 on 46"}),
        ("spoiler", 0, {f"1 on {row}{column}" for row in (2, 3, 4, 5, 6) for column in (5, 6)}),
        ("spoiler", 1, {f"1 on {row}{column}" for row in (5, 6) for column in range(1, 7)}),
        ("hoarder", 0, {"1 on 25", "1 on 26", "1 on 35", "1 on 36", "1 on 45", "1 on 46"}),
    ],
)
def test_points_that_greedy_players_see(spec: str, team: int, chosen: set[str]) -> None:
    assert choices(spec, view_of(THREES, "1", team)) == chosen


@pytest.mark.parametrize(
    ("spec", "chosen"),
    [
        ("own-greedy", {"1 on 14"}),
        ("difference-greedy", {"remove 24", "remove 34", "remove 44"}),
        ("spoiler", {"remove 24", "remove 34", "remove 44"}),
        ("blunder", {"remove 11", "remove 12", "remove 13", "1 on 54", "1 on 64"}),
        ("hoarder:late=27", {"1 on 25", "1 on 26", "1 on 35", "1 on 36", "1 on 45", "1 on 46"}),
        ("hoarder:late=28", {"remove 24", "remove 34", "remove 44"}),
    ],
)
def test_greedy_players_spend_action_stones_when_they_bring_more(spec: str, chosen: set[str]) -> None:
    view = view_of(THREES, "1R")
    assert board_of(view).count(0) == 28
    assert choices(spec, view) == chosen


def test_hoarder_plays_actions_when_it_has_nothing_else() -> None:
    assert choices("hoarder:late=0", view_of(THREES, "R")) == {"remove 24", "remove 34", "remove 44"}


@pytest.mark.parametrize("rules", [BASIC, HOUSE, CALM], ids=["basic", "house", "calm"])
@pytest.mark.parametrize("spec", [*GREEDY, "hoarder", "hoarder:late=20"])
def test_greedy_players_make_a_play_of_the_highest_weighted_gain(spec: str, rules: CrossWiseRules) -> None:
    late = 20 if "late" in spec else 4
    for number, view in enumerate(random_views(some(15, 5), rules, seed=2)):
        hand, empty = hand_of(view), board_of(view).count(0)
        saves = spec.startswith("hoarder") and empty > late and any(hand[1:7])
        best = best_plays(view, *GREEDY.get(spec, (1, -1)), without="RMSP" if saves else "")
        assert choice(spec, view, stream(number)) in best


# --- Wedel -----------------------------------------------------------------------------------------------------------

FIVE = "1 1 1 1 1 "  # row 1 of five
FIVE_DOWN = "1 . . . . .  1 . . . . .  1 . . . . .  1 . . . . .  1 . . . . ."  # column 1, to 61


@pytest.mark.parametrize(
    ("board", "hand", "team", "chosen"),
    [
        # Six of its own, with whatever it takes.
        (FIVE + ". 2 . . . . .", "12345RMSP", 0, "1 on 16"),
        (FIVE + ". 2 1 2 . . .", "2345M", 0, "move 22 to 16"),
        (FIVE + "2 3 1 1 . . .", "2345S", 0, "swap 16 and 22"),
        (FIVE + "2 3 . . . . .", "12P", 0, "1 for 16"),
        (FIVE + "2 3 1 . . . .", "1SP", 0, "swap 16 and 22"),
        (FIVE_DOWN, "12345RMSP", 1, "1 on 61"),
        # In the order of equals, though the 1 on 31 is one of a pair of the others.
        (FIVE + ". . . . . . 1 1 . . . . .", "M", 0, "move 26 to 16"),
        # Before it stops the others.
        ("1 2 2 2 2 2  1 . . . . . 1 . . . . . 1 . . . . . 1 . . . . .", "13P", 1, "1 on 61"),
        ("1 2 2 2 2 2  1 . . . . . 1 . . . . . 1 . . . . . 1 . . . . .", "23P", 0, "2 for 11"),
        # Six of the others that lack one stone on an empty cell, whatever is in hand.
        (FIVE_DOWN, "2", 0, "2 on 61"),
        (FIVE_DOWN, "233", 0, "3 on 61"),
        (FIVE_DOWN + " . 2 . 2 . .", "3R", 0, "remove 11"),
        (FIVE_DOWN + " . 5 5 5 5 .", "56", 0, "5 on 61"),
        # Not if an action is needed for it: the cell is taken.
        (FIVE_DOWN + " 2 . . . . .", "2S", 0, "2 on 62"),
        # The larger difference, among plays that stop it, and among all where none does.
        (FIVE_DOWN + " . 2 2 3 . .", "23", 0, "2 on 61"),
        ("1 . . . . 2 " * 5, "34", 0, "3 on 12"),
        # Its own line of five is no reason to hurry when it lacks the stone.
        (FIVE + ". 2 . . . . . 3 3 . . . .", "3", 0, "3 on 33"),
    ],
)
def test_wedel(board: str, hand: str, team: int, chosen: str) -> None:
    assert says("wedel", view_of(board, hand, team)) == chosen


def test_wedel_does_not_complete_a_six_of_the_others() -> None:
    """A 1 in the corner would bring row 6 two points, and column 1 six of a kind."""
    assert says("wedel", view_of(FIVE_DOWN + " . 1 1 2 3 4", "1256")) == "2 on 61"
    assert says("wedel", view_of(FIVE_DOWN + " 2 1 1 3 4 5", "1P")) == "1 for 64"
    assert says("wedel", view_of(FIVE_DOWN + " 2 1 1 3 4 5", "1P", rules=CALM)) == "1 for 61"


def test_wedel_looks_at_points_alone_where_six_do_not_win() -> None:
    board = FIVE + ". 2 . . . . . 3 3 . . . ."
    assert says("wedel", view_of(board, "13", rules=CALM)) == "3 on 33"
    pair = FIVE_DOWN.replace("1 . . . . .", "1 2 . . . .", 1)
    assert says("wedel", view_of(pair, "2")) == "2 on 61"
    assert says("wedel", view_of(pair, "2", rules=CALM)) == "2 on 13"


# A 1 in every row and column: one more brings each team a pair.
DIAGONAL = " ".join("1" if cell % 7 == 0 else "." for cell in range(36))
THREE = ". 1 . . . . 2 . . . . . . . 3 . . ."
THREE_AND_FIVE = ". 1 . . . 5  2 . . . . 4  . . 3 . . 4  . . . . . 4  . . . . . 4  . . . . . 4"


@pytest.mark.parametrize(
    ("spec", "team", "board", "hand", "chosen"),
    [
        ("wedel", 0, "", "12", "1 on 11"),  # the lowest
        ("wedel", 0, "", "1233", "3 on 11"),  # the most numerous
        ("wedel", 0, DIAGONAL, "12", "2 on 12"),  # the rarest
        ("wedel", 0, DIAGONAL, "112", "1 on 12"),
        ("wedel", 1, "1 2 . . . .", "34", "3 on 13"),
        ("wedel:mirror=1", 0, "1 2 . . . .", "34", "3 on 13"),
        ("wedel:mirror=1", 1, "1 2 . . . .", "34", "3 on 21"),
        ("wedel", 0, "1 2 . . . .", "3RMSP", "3 on 13"),  # symbol stones before actions
        ("wedel", 0, "1 2 . . . .", "RMSP", "remove 11"),  # the lowest
        ("wedel", 0, "1 2 . . . .", "RMMS", "move 11 to 13"),  # the most numerous
        ("wedel", 0, THREE, "S", "swap 12 and 21"),
        ("wedel:mirror=1", 1, THREE, "S", "swap 12 and 21"),  # 21 and 12 are the first stones along the columns
        ("wedel:mirror=1", 1, THREE, "M", "move 21 to 11"),
        ("wedel:mirror=1", 1, THREE, "R", "remove 21"),
        # Also when there are five equal stones somewhere.
        ("wedel:mirror=1", 1, THREE_AND_FIVE, "S", "swap 12 and 21"),
        ("wedel:mirror=1", 1, THREE_AND_FIVE, "M", "move 21 to 11"),
    ],
)
def test_order_of_equals(spec: str, team: int, board: str, hand: str, chosen: str) -> None:
    assert says(spec, view_of(board, hand, team)) == chosen


@pytest.mark.parametrize("mirror", [False, True])
@pytest.mark.parametrize("rules", [BASIC, CALM, HOUSE], ids=["basic", "calm", "house"])
@pytest.mark.parametrize("fives", [0, 2, 8])
def test_wedel_plays_by_its_published_rule(rules: CrossWiseRules, fives: int, mirror: bool) -> None:
    source = np.random.default_rng(fives)
    for _ in range(some(20, 6)):
        view = random_view(source, rules, fives)
        wanted = wedel_play(board_of(view), hand_of(view), int(view.team), rules_of(view), rules.sudden_win, mirror)
        assert choice(f"wedel:mirror={int(mirror)}", view) == wanted


def transposed(view: Any, rules: CrossWiseRules) -> Any:
    """The same position, turned over the diagonal: what was the rows team is the columns team."""
    board = board_of(view)
    hand = "".join(STONES[kind] * count for kind, count in enumerate(hand_of(view)))
    return new_view([board[reading(cell, True)] for cell in range(36)], hand, 1 - int(view.team), rules)


def test_with_mirror_both_teams_play_alike() -> None:
    for view in random_views(some(100, 6), seed=3):
        kind, symbol, cell, other = choice("wedel:mirror=1", view)
        cell, other = reading(cell, True), reading(other, True) if kind in (SHIFT, SWAP) else 0
        if kind == SWAP:
            cell, other = sorted((cell, other))
        assert choice("wedel:mirror=1", transposed(view, BASIC)) == (kind, symbol, cell, other)


# --- The best play by points -----------------------------------------------------------------------------------------


@st.composite
def positions(draw: st.DrawFn) -> Any:
    """Any board, whatever the bag has, and any hand."""
    signs = draw(st.lists(st.integers(0, 6), min_size=1, max_size=7))  # few symbols make large groups
    board = draw(st.lists(st.sampled_from(signs), min_size=36, max_size=36))
    hand = draw(st.lists(st.sampled_from(STONES[1:]), min_size=1, max_size=7))
    points = st.integers(-20, 20)
    house = st.builds(
        CrossWiseRules, group_points=st.tuples(*[points] * 5), six_different_points=points, sudden_win=st.booleans()
    )
    view = new_view(board, "".join(hand), draw(st.sampled_from([0, 1])), draw(st.just(BASIC) | house))
    assume(plays_of(board_of(view), hand_of(view)))
    return view


WEIGHT = st.sampled_from([-1, 0, 1])


def values_by_points(view: Any, hand: list[int], rows: int, columns: int) -> dict[Play, int]:
    board, rules = board_of(view), rules_of(view)
    gains = all_gains(board, plays_of(board, hand), rules)
    return {play: rows * gain[0] + columns * gain[1] for play, gain in gains.items()}


@settings(deadline=None, max_examples=some(120, 25))
@given(positions(), WEIGHT, WEIGHT, st.booleans(), st.booleans())
def test_best_by_points_without_a_stream(view: Any, rows: int, columns: int, by_columns: bool, only: bool) -> None:
    """The first of the best in the order of equals; with all stones, or with symbol stones alone."""
    hand = hand_of(view)
    if only and any(hand[1:7]) and 0 in board_of(view):
        hand[7:] = [0] * 4
    values = values_by_points(view, hand, rows, columns)
    word = Word(sum(count << 4 * place for place, count in enumerate(hand[1:])))
    found = play_of(players.best_by_points(view, None, word, rows, columns, by_columns))
    board, whole = board_of(view), hand_of(view)
    assert found == min(values, key=lambda play: (-values[play], order_of(board, whole, play, by_columns)))


@settings(deadline=None, max_examples=some(120, 25))
@given(positions(), WEIGHT, WEIGHT, st.integers(0, 2**64 - 1))
def test_best_by_points_with_a_stream(view: Any, rows: int, columns: int, start: int) -> None:
    values = values_by_points(view, hand_of(view), rows, columns)
    found = play_of(players.best_by_points(view, stream(start), Word(view.hand), rows, columns, False))
    assert values[found] == max(values.values())


def test_best_by_points_draws_evenly_where_all_plays_are_equal() -> None:
    """Nothing counts: groups of all kinds and sizes are equals."""
    view = view_of("1 2 . . . .  3 . . . . .", "16RMSP") if COMPILED else view_of("1 2 3 4 5 6 " * 3, "1P")
    plays = plays_of(board_of(view), hand_of(view))
    rng = stream(5)
    draws = Counter(
        play_of(players.best_by_points(view, rng, Word(view.hand), 0, 0, False)) for _ in range(some(20_000, 600))
    )
    assert set(draws) <= set(plays)
    assert stats.chisquare([draws[play] for play in plays]).pvalue > 1e-5


@compiled_only
def test_best_by_points_draws_evenly_among_the_best() -> None:
    source, rng = np.random.default_rng(7), stream(6)
    tried = 0
    while tried < 12:
        view = random_view(source)
        own = view.team == 0
        rows, columns = (1, -1) if own else (-1, 1)
        best = sorted(best_plays(view, 1, -1))
        if not 4 <= len(best) <= 40 or len({kind for kind, *_ in best}) < 2:
            continue
        draws = Counter(
            play_of(players.best_by_points(view, rng, Word(view.hand), rows, columns, False))
            for _ in range(60 * len(best))
        )
        assert set(draws) <= set(best)
        assert stats.chisquare([draws[play] for play in best]).pvalue > 1e-5
        tried += 1


# --- Expected points -------------------------------------------------------------------------------------------------

Prices = tuple[float, ...]


def prices_of(rules: CrossWiseRules) -> Prices:
    """What a group of 0 to 6 equal stones scores at the end of a game."""
    return (0, 0, *rules.group_points[:4], 0 if rules.sudden_win else rules.group_points[4])


@functools.cache
def filled(left: int, total: int, have: int, empty: int, prices: Prices) -> float:
    """What the stones of a symbol in a line score on average, when its empty cells are filled at random."""
    drawn = min(empty, total)
    ways = [math.comb(left, hits) * math.comb(total - left, drawn - hits) for hits in range(drawn + 1)]
    return sum(way * prices[have + hits] for hits, way in enumerate(ways)) / math.comb(total, drawn)


def filled_by_counting(left: int, total: int, have: int, empty: int, prices: Prices) -> float:
    """The same, from every set of stones that can be drawn."""
    stones = [1] * left + [0] * (total - left)
    sets = list(combinations(stones, min(empty, total)))
    return sum(prices[have + sum(drawn)] for drawn in sets) / len(sets)


@pytest.mark.parametrize("rules", [BASIC, CALM, HOUSE, HOUSE.replace(sudden_win=False)])
def test_expected_points(rules: CrossWiseRules) -> None:
    expected = players.expected_points(rules)
    assert expected.dtype == np.float64
    assert expected.flags.c_contiguous
    points, sixes = np.moveaxis(expected.reshape(11, 61, 7, 7, 2), -1, 0)
    chance = (0.0,) * 6 + (1.0,)
    prices = prices_of(rules)
    for left, total, have in product(range(11), range(61), range(7)):
        if left > total or (total > 8 and (total + left + have) % some(3, 17)):
            continue
        count = filled_by_counting if total <= 8 else filled
        for empty in range(7 - have):
            place = left, total, have, empty
            assert points[place] == pytest.approx(count(*place, prices), abs=1e-9)
            assert sixes[place] == pytest.approx(count(*place, chance) * rules.sudden_win, abs=1e-12)


def test_expected_points_are_kept() -> None:
    assert players.expected_points(HOUSE) is players.expected_points(HOUSE.replace())
    assert len(players.expected_points(HOUSE)) == 2 * players.EXPECTED_SIZE


def test_six_of_a_kind_at_their_price() -> None:
    table = players.expected_points(BASIC)
    at = ((3 * 61 + 20) * 7 + 4) * 7 + 2
    chance = 3 * 2 / (20 * 19)
    assert table[2 * at + 1] == pytest.approx(chance)
    assert players.worth_at(table, at, 50.0) == pytest.approx(table[2 * at] + 50 * chance)


# --- Worths of lines -------------------------------------------------------------------------------------------------


def pattern_of(line: Iterable[int]) -> tuple[int, ...]:
    groups = Counter(symbol for symbol in line if symbol)
    return tuple(sorted(groups.values(), reverse=True))


def test_worths_are_those_of_the_patterns_alone() -> None:
    assert len(players.PATTERN_WORTHS) == 30
    assert players.STATE_WORTHS.shape == (924,)
    seen = set()
    for counts, state in STATE_OF.items():
        pattern = tuple(sorted(filter(None, counts), reverse=True))
        assert players.STATE_WORTHS[state] == players.PATTERN_WORTHS[pattern]
        seen.add(pattern)
    assert seen == set(players.PATTERN_WORTHS)


def worths_of_plays(view: Any, worth: Any, prices: tuple[float, ...], threat: float, other: float) -> dict[Play, float]:
    """What each play is worth to a player by lines, from the lines before and after it."""
    board, hand, team = board_of(view), hand_of(view), int(view.team)

    def value(board: Board) -> float:
        own, theirs = (sum(worth(line) for line in lines_of(board, side)) for side in (team, 1 - team))
        return float(own - other * theirs)

    values, now = {}, value(board)
    for play in plays_of(board, hand):
        then = after(board, play)
        values[play] = value(then) - now - prices[play[0]]
        if view.sudden_win:
            if completes(board, play, team):
                values[play] += players.CERTAIN
            elif completes(board, play, 1 - team):
                values[play] -= players.CERTAIN
            values[play] -= threat * threats_to(then, 1 - team)
    return values


def potential_values(view: Any, rules: CrossWiseRules, params: dict[str, float]) -> dict[Play, float]:
    board = board_of(view)
    left = [rules.copies - board.count(symbol) for symbol in range(1, 7)]
    prices = (*prices_of(rules)[:6], params["six"] if rules.sudden_win else rules.group_points[4])

    @functools.cache
    def worth(line: Board) -> float:
        empty = line.count(0)
        return sum(filled(left[symbol - 1], sum(left), line.count(symbol), empty, prices) for symbol in range(1, 7))

    price = params["price"] * min(board.count(0) / params["late"], 1)
    return worths_of_plays(view, worth, (0, price, price, price, price), params["threat"], params["other"])


DEFAULTS = {
    name: {parameter.name: parameter.default for parameter in find_strategy(CROSSWISE.name, name).parameters}
    for name in ("potential", "line-table")
}


def with_values(name: str, values: dict[str, float]) -> str:
    return f"{name}:" + ",".join(f"{key}={value}" for key, value in values.items())


def random_values(name: str, source: np.random.Generator) -> dict[str, float]:
    declared = find_strategy(CROSSWISE.name, name).parameters
    return {item.name: round(float(source.uniform(item.low, item.high)), 2) for item in declared}


def assert_best(values: dict[Play, float], play: Play) -> None:
    assert values[play] == pytest.approx(max(values.values()), abs=1e-6)


RULES_OF_BAGS = [BASIC, HOUSE, CrossWiseRules(copies=3), CrossWiseRules(copies=10, group_points=(2, 2, 7, 12, 20))]


@pytest.mark.parametrize("rules", RULES_OF_BAGS, ids=["basic", "house", "few", "many"])
@pytest.mark.parametrize("fives", [0, 6])
def test_potential_makes_a_play_of_the_highest_worth(rules: CrossWiseRules, fives: int) -> None:
    source = np.random.default_rng(fives)
    for number in range(some(25, 6)):
        view = random_view(source, rules, fives)
        params = random_values("potential", source) if number % 2 else DEFAULTS["potential"]
        values = potential_values(view, rules, params)
        assert_best(values, choice(with_values("potential", params), view, rules=rules))


def test_potential_is_not_blind_when_no_symbol_is_left() -> None:
    """All 12 stones lie on the board; one action is left."""
    rules = CrossWiseRules(copies=2)
    view = view_of("1 2 . . . .  1 2 . . . . 3 3 4 4 . . 5 5 6 6 . .", "S", rules=rules)
    values = potential_values(view, rules, DEFAULTS["potential"])
    assert len(set(values.values())) > 1
    assert_best(values, choice("potential", view, rules=rules))


@pytest.mark.parametrize("spec", ["wedel", "potential", "line-table", "potential:six=0", "line-table:threat=0"])
@pytest.mark.parametrize("team", [0, 1])
@pytest.mark.parametrize(
    ("board", "hand"),
    [
        (FIVE + ". 2 . . . . .", "12345RMSP"),
        (FIVE + ". 2 1 2 . . .", "2345M"),
        (FIVE + "2 3 1 1 . . .", "2345S"),
        (FIVE + "2 3 . . . . .", "12P"),
    ],
)
def test_strong_players_win_when_they_can(board: str, hand: str, team: int, spec: str) -> None:
    view = view_of(board, hand)
    if team == 1:
        view = transposed(view, BASIC)
    assert completes(board_of(view), choice(spec, view), team)


TWO_CELLS = """
1 2 2 3 3 1
1 2 3 3 4 4
1 3 4 4 5 5
1 4 5 5 6 6
1 5 6 6 2 2
. 6 2 4 5 .
"""


@pytest.mark.parametrize("spec", ["wedel", "potential", "line-table", "potential:other=0", "line-table:threat=0"])
def test_strong_players_do_not_lose_at_once(spec: str) -> None:
    """Two cells are left for a 1: one makes column 1 six of a kind, the other a pair in column 6."""
    view = view_of(TWO_CELLS, "1")
    assert best_plays(view, 1, -1) == {(PLACE, 1, 30, 0)}
    assert choices(spec, view) == {"1 on 66"}


def test_six_of_potential() -> None:
    view = view_of("1 1 1 1 . .  2 2 2 3 3 .", "13")
    assert choices("potential:six=0", view) == {"3 on 26"}
    assert choices("potential:six=200", view) == {"1 on 15"}


def test_other_of_potential() -> None:
    """Column 1 of the others has three 1."""
    view = view_of("1 . . . . . 1 . . . . . 1 . . . . .", "2")
    spoiling, free = {"2 on 41", "2 on 51", "2 on 61"}, {f"2 on {row}{column}" for row in "456" for column in "123456"}
    assert choices("potential", view) == choices("potential:other=3", view) == spoiling
    assert spoiling < choices("potential:other=0", view) <= free


def test_threat_of_players_by_lines() -> None:
    view = view_of(FIVE_DOWN, "2")
    assert choices("potential", view) == choices("line-table", view) == {"2 on 61"}
    assert "2 on 61" not in choices("line-table:threat=0", view)
    assert "2 on 61" not in choices("line-table:threat=100", view_of(FIVE_DOWN, "2", rules=CALM))
    apart = view_of(FIVE_DOWN + " . 1 1 2 3 4", "1256")
    assert "2 on 61" not in choices("line-table", apart)
    assert choices("line-table:threat=100", apart) <= {"2 on 61", "5 on 61", "6 on 61"}


def test_threats_that_a_play_makes_count_too() -> None:
    """A 1 on 51 would make one in column 1; in the second position the 2 on 61 is all that is in the way of one."""
    placing = view_of("1 . . . . . " * 4 + ". 1 1 . . .", "1")
    assert choices("potential:other=0,threat=0", placing) == {"1 on 51", "1 on 54", "1 on 55", "1 on 56"}
    assert choices("potential:other=0,threat=1", placing) == {"1 on 54", "1 on 55", "1 on 56"}
    removing = view_of("1 2 . . . . 1 . 2 . . . 1 . . 2 . . 1 . . . 2 . 1 . . . . 2 2 . . . . .", "R")
    assert choices("potential:other=0,threat=0", removing) == {"remove 61"}
    assert "remove 61" not in choices("potential:other=0,threat=1", removing)


def test_price_of_potential() -> None:
    view = view_of(THREES, "1R")
    for price in (6, 40):
        assert choices(f"potential:price={price}", view) == {f"1 on {row}{column}" for row in "234" for column in "56"}
    for price in (-5, 0):
        assert choices(f"potential:price={price}", view) == {"remove 24", "remove 34", "remove 44"}


@compiled_only
@pytest.mark.parametrize("name", ["potential:price=5", "line-table:threat=10"])
def test_late_is_when_prices_begin_to_fall(name: str) -> None:
    """The earlier they fall, the more action stones are played while the board fills."""
    shares = []
    for late in (1, 15, 36):
        _, logs = table([f"{name},late={late}", "uniform"]).log(2, 0, 40)
        made = [made for log in logs for made in decisions(log) if made[0] == 0]
        free = [play for _, board, hand, play in made if any(hand[1:7]) and board.count(0) > 4]
        shares.append(np.mean([play[0] != PLACE for play in free]))
    assert shares[0] < shares[1] < shares[2]
    assert shares[0] < 0.03


def test_potential_counts_threats_when_points_of_the_others_do_not_count() -> None:
    view = view_of(FIVE_DOWN, "2")
    assert says("potential:other=0", view) == "2 on 61"
    assert choices("potential:other=0,threat=0", view) != {"2 on 61"}


@pytest.mark.parametrize("spec", ["potential", "line-table"])
def test_players_by_lines_break_ties_at_random(spec: str) -> None:
    """On the empty board all cells are alike, and so are symbols."""
    view, rng = view_of("", "12"), stream(4)
    draws = Counter(choice(spec, view, rng) for _ in range(some(7_200, 720)))
    assert len(draws) == 72
    assert stats.chisquare(list(draws.values())).pvalue > 1e-5


def test_potential_where_six_do_not_win() -> None:
    for view in random_views(some(40, 2), CALM, seed=5):
        assert_best(potential_values(view, CALM, DEFAULTS["potential"]), choice("potential", view, rules=CALM))


def line_table_values(view: Any, params: dict[str, float]) -> dict[Play, float]:
    worth = functools.cache(lambda line: players.PATTERN_WORTHS[pattern_of(line)])
    share = min(board_of(view).count(0) / params["late"], 1)
    worths = players.REMOVE_WORTH, players.MOVE_WORTH, players.SWAP_WORTH, players.REPLACE_WORTH
    return worths_of_plays(view, worth, (0, *(share * price for price in worths)), params["threat"], 1)


@pytest.mark.parametrize("rules", [BASIC, CALM, HOUSE], ids=["basic", "calm", "house"])
@pytest.mark.parametrize("fives", [0, 6])
def test_line_table_makes_a_play_of_the_highest_worth(rules: CrossWiseRules, fives: int) -> None:
    source = np.random.default_rng(fives)
    for number in range(some(25, 6)):
        view = random_view(source, rules, fives)
        params = random_values("line-table", source) if number % 2 else DEFAULTS["line-table"]
        assert_best(line_table_values(view, params), choice(with_values("line-table", params), view))


# --- Shared parts ----------------------------------------------------------------------------------------------------


def test_order_of_cells() -> None:
    for cell in range(36):
        assert players.cell_order(Word(cell), False) == cell
        assert players.cell_order(Word(cell), True) == reading(cell, True)


def test_first_cell() -> None:
    for bits in np.random.default_rng(6).integers(1, 1 << 36, some(100, 20)):
        cells = [cell for cell in range(36) if int(bits) >> cell & 1]
        for by_columns in (False, True):
            found = players.first_cell(Word(bits), by_columns)
            assert found == min(cells, key=lambda cell: reading(cell, by_columns))


def test_line_states() -> None:
    for counts, state in STATE_OF.items():
        line = [symbol for symbol, count in enumerate(counts, 1) for _ in range(count)]
        whole = tuple(line + [0] * (6 - len(line)))
        assert players.SIZES[state] == len(line)
        assert players.IS_THREAT[state] == is_threat(whole)
        assert players.HAS_FIVE[state] == (5 in counts)


def test_weights() -> None:
    view = view_of("", "1", team=0)
    assert players.weights(view, 1, -1) == (1, -1)
    assert players.weights(view_of("", "1", team=1), 1, -1) == (-1, 1)


def test_stones_on_the_board() -> None:
    for view in random_views(some(20, 4)):
        board = board_of(view)
        assert [players.on_board(view, symbol) for symbol in range(1, 7)] == [board.count(s) for s in range(1, 7)]


def test_lines_after_a_play() -> None:
    source = np.random.default_rng(8)
    for view in random_views(some(60, 6), seed=8):
        board = board_of(view)
        plays = plays_of(board, hand_of(view))
        for index in source.choice(len(plays), min(len(plays), some(40, 10)), replace=False):
            play = plays[index]
            for team in (0, 1):
                states = [state_of(line) for line in lines_of(board, team)]
                first, state, second, other_state = players.lines_after(view, move_of(play), team)
                states[int(first) - 6 * team], states[int(second) - 6 * team] = int(state), int(other_state)
                assert states == [state_of(line) for line in lines_of(after(board, play), team)]


@pytest.mark.parametrize("fives", [0, 2, 8])
def test_threats_and_sixes(fives: int) -> None:
    source = np.random.default_rng(fives)
    for _ in range(some(40, 8)):
        view = random_view(source, CALM, fives)  # also boards that have six of a kind
        board = board_of(view)
        for team in (0, 1):
            assert players.threats(view, team) == threats_to(board, team)
            assert players.fives(view, team) == has_five(board, team)
        plays = plays_of(board, hand_of(view))
        for index in source.choice(len(plays), min(len(plays), some(60, 20)), replace=False):
            play = plays[index]
            move, then = move_of(play), after(board, play)
            made = [completes(board, play, team) for team in (0, 1)]
            assert cw.sixes(view, move) == made[0] + 2 * made[1]
            for team in (0, 1):
                assert players.threats_after(view, move, team) == threats_to(then, team)
            own, other = int(view.team), 1 - int(view.team)
            assert players.urgency(view, move) == (1e6 if made[own] else -1e6 if made[other] else 0)


# --- Restrictions ----------------------------------------------------------------------------------------------------

KINDS_OF = {"actions": {TAKE, SHIFT, SWAP, REPLACE}, "removes": {TAKE}, "moves": {SHIFT}, "swaps": {SWAP}}
KINDS_OF["replaces"] = {REPLACE}


@pytest.mark.parametrize("name", RESTRICTIONS)
def test_restrictions_do_what_their_names_say(name: str) -> None:
    (restriction,) = (item for item in builtin_restrictions(CROSSWISE.name) if item.name == name)
    view = view_of("1 2 . . . .  3 . . . . .", "16RMSP")
    for play in plays_of(board_of(view), hand_of(view)):
        assert restriction.function(view, move_of(play), np.zeros(1)) == (play[0] in KINDS_OF[name])


@pytest.mark.parametrize("name", RESTRICTIONS)
@pytest.mark.parametrize("base", ["uniform", "difference-greedy"])
def test_restricted_players_obey(base: str, name: str) -> None:
    _, logs = table([f"restrict({base},never={name})", "uniform"]).log(1, 0, some(25, 6))
    obeyed = 0
    for seat, board, hand, play in (made for log in logs for made in decisions(log)):
        kinds = {kind for kind, *_ in plays_of(board, hand)}
        if seat == 0:
            assert play[0] not in KINDS_OF[name] or kinds <= KINDS_OF[name]
            obeyed += 0 < len(kinds & KINDS_OF[name]) < len(kinds)
    assert obeyed


def test_in_games_hoarder_keeps_its_action_stones() -> None:
    _, logs = table(["hoarder:late=6", "uniform"]).log(2, 0, some(60, 4))
    early = late = 0
    for seat, board, hand, play in (made for log in logs for made in decisions(log)):
        if seat == 0 and play[0] != PLACE:
            assert board.count(0) <= 6 or not any(hand[1:7])
            late += board.count(0) <= 6
            early += board.count(0) > 6
    assert late > early


def test_in_games_wedel_plays_by_its_published_rule() -> None:
    rules = (0, 0, *BASIC.group_points, BASIC.six_different_points)
    for specs in (["wedel", "line-table"], ["own-greedy", "wedel"]):
        _, logs = table(specs).log(4, 0, some(6, 2))
        for seat, board, hand, play in (made for log in logs for made in decisions(log)):
            if specs[seat] == "wedel":
                assert play == wedel_play(board, hand, seat, rules)
