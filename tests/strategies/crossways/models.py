"""What the players of CrossWays are said to do, in plain words: sets of squares, boards of lists, the literal engine.

Where a player draws lots, a model says whether a move is one of those that it may make.
"""

import functools
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from sims.asking import new_scratch
from sims.bits import Word
from sims.crossways import CROSSWAYS
from sims.crossways.kernel import ask
from sims.crossways.listing import MAX_MOVES
from sims.crossways.paths import LAYERS
from sims.jit import COMPILED
from sims.table import PROBE, SEAT
from strategies import find_strategy
from tests.reference import crossways as literal
from tests.reference.crossways import Board, Cell, Marker, Move, Pass, Rules
from tests.sims.crossways.positions import (
    Position,
    bits,
    card_of,
    cell_of,
    number_of,
    random_position,
    random_rules,
    read,
    squares_in,
    stream,
)

FAR = 64  # what counts for a team whose ways are all blocked
FEW = 6  # markers in the supply below which runs take back own ones

Hand = tuple[str, ...]


# --- Boards ----------------------------------------------------------------------------------------------------------


NEARLY_DOWN = dict.fromkeys(["a4", "b4", "c4", "d4", "e4", "e5", "f5"], "0")  # g5 and h5 are lacking
BLUE_NEARLY_DOWN = {name: "1" for name in NEARLY_DOWN}


class Way(NamedTuple):
    """What a team needs, and the squares of its cheapest ways: open ones, white ones, and those that count already."""

    cost: int
    open: frozenset[Cell]
    white: frozenset[Cell]
    own: frozenset[Cell]


def way_of(rules: Rules, board: Board, team: int) -> Way:
    return _way_of(rules, tuple(board.squares.items()), tuple(map(tuple, board.stacks.values())), team)


@functools.lru_cache(maxsize=20_000)
def _way_of(rules: Rules, squares: tuple[tuple[Cell, str], ...], stacks: tuple[tuple[int, ...], ...], team: int) -> Way:
    board = Board(dict(squares), dict(zip(literal.CELLS, map(list, stacks), strict=True)))
    cost = literal.fewest_markers(rules, board, team)
    if cost is None:
        return Way(FAR, frozenset(), frozenset(), frozenset())
    wanted = literal.squares_wanted(rules, board, team)
    white = frozenset(cell for cell in wanted if board.squares[cell] == literal.WHITE)
    own: set[Cell] = set()
    for ends in literal.ends_of(rules, team):
        there, back = (literal.cheapest_from(rules, board, team, side) for side in (ends.first, ends.last))
        own |= {cell for cell in there.keys() & back.keys() if there[cell] + back[cell] == cost}
    for shape in literal.shapes_of(rules):
        if price_of(rules, board, team, shape.cells) == cost:
            own |= set(shape.cells)
    counting = frozenset(cell for cell in own if literal.counts(rules, board, team, cell))
    return Way(cost, frozenset(wanted - white), white, counting)


def price_of(rules: Rules, board: Board, team: int, cells: Iterable[Cell]) -> float:
    return sum(literal.price(rules, board, team, cell) for cell in cells)


def with_markers(board: Board, team: int, cells: Iterable[Cell]) -> Board:
    stacks = {cell: list(stack) for cell, stack in board.stacks.items()}
    for cell in cells:
        stacks[cell].append(team)
    return Board(board.squares, stacks)


def without_top(board: Board, team: int, cell: Cell, count: int) -> Board:
    """The board without a team's topmost markers on a square."""
    return literal.without(board, top_markers(board, team, cell, count))


def top_markers(board: Board, team: int, cell: Cell, count: int) -> list[Marker]:
    levels = [level for level, owner in enumerate(board.stacks[cell]) if owner == team]
    return [Marker(cell, team, level) for level in levels[len(levels) - count :]]


def closed_by(board: Board, team: int, cell: Cell) -> Board:
    """The board with a team's second marker on a square."""
    return with_markers(board, team, [cell] * (2 - board.stacks[cell].count(team)))


def open_squares(board: Board) -> set[Cell]:
    """Squares that take a single marker."""
    return {
        cell for cell in literal.CELLS if board.squares[cell] != literal.WHITE and not literal.is_closed(board, cell)
    }


def lines_of(rules: Rules, team: int) -> list[list[Cell]]:
    """What a straight line is under each goal: rows and columns, diagonals, or the shapes that win."""
    columns = [[(row, column) for row in range(8)] for column in range(8)]
    rows = [[(row, column) for column in range(8)] for row in range(8)]
    if rules.goal == "own-sides":
        return rows if team % 2 else columns
    if rules.goal == "corners":
        return [[(step, step) for step in range(8)], [(step, 7 - step) for step in range(8)]]
    return [list(shape.cells) for shape in literal.shapes_of(rules)] or columns + rows


class Line(NamedTuple):
    """A cheapest line: all of it, and its squares that need markers."""

    cost: int
    cells: frozenset[Cell]
    open: frozenset[Cell]
    white: frozenset[Cell]


def cheapest_lines(rules: Rules, board: Board, team: int) -> list[Line]:
    prices = [(price_of(rules, board, team, line), line) for line in lines_of(rules, team)]
    least = min(price for price, _ in prices)
    found = []
    for price, line in prices:
        if price == least and least < FAR:
            needed = {cell for cell in line if literal.price(rules, board, team, cell)}
            white = frozenset(cell for cell in needed if board.squares[cell] == literal.WHITE)
            found.append(Line(int(price), frozenset(line), frozenset(needed - white), white))
    return found


# --- Positions -------------------------------------------------------------------------------------------------------


class Seen(NamedTuple):
    """A position as its player sees it."""

    position: Position

    @property
    def rules(self) -> Rules:
        return self.position.state.rules

    @property
    def board(self) -> Board:
        return self.position.state.board

    @property
    def team(self) -> int:
        return literal.team_of(self.position.state, self.position.seat)

    @property
    def others(self) -> list[int]:
        return [team for team in range(self.position.state.teams) if team != self.team]

    @property
    def supply(self) -> int:
        return self.rules.markers - literal.on_board(self.board, self.team)

    def way(self, team: int | None = None, board: Board | None = None) -> Way:
        return way_of(self.rules, self.board if board is None else board, self.team if team is None else team)

    def nearest(self, board: Board | None = None) -> int:
        """What the nearest other team needs."""
        return min(self.way(team, board).cost for team in self.others)

    def lead(self, board: Board | None = None) -> int:
        """What the nearest others need more than the own team."""
        return self.nearest(board) - self.way(board=board).cost

    def after(self, move: Move | Pass) -> Board:
        return self.position.after(move).board

    @property
    def singles(self) -> set[tuple[str, Cell]]:
        """Single cards, and where they can be played."""
        if not self.supply:
            return set()
        cards = [card for card in self.position.hand if card != literal.JOKER]
        return {(card, cell) for card in cards for cell in spots_of(self.board, card) & open_squares(self.board)}

    def reached(self, cells: Iterable[Cell]) -> bool:
        """Whether a single card can be played on one of these squares."""
        return bool({cell for _, cell in self.singles} & set(cells))

    def sets(self, kind: str) -> list[Hand]:
        """Pairs or runs of the hand, whether or not they can be played."""
        return [choice.cards for choice in literal.card_choices(self.position.situation) if choice.kind == kind]

    @property
    def most_of_a_rank(self) -> int:
        """Cards of the largest pair that there are markers for."""
        return max((len(cards) for cards in self.sets("pair") if len(cards) <= self.supply), default=0)

    @property
    def longest_run(self) -> int:
        return max(map(len, self.sets("run")), default=0)

    @property
    def kept_cards(self) -> set[str]:
        """Cards that are in a pair or a run."""
        return {card for kind in ("pair", "run") for cards in self.sets(kind) for card in cards}


def spots_of(board: Board, card: str) -> set[Cell]:
    return {cell for cell in literal.CELLS if board.squares[cell] == literal.square_of(card)}


def some(compiled: int, plain: int) -> int:
    """How many positions are looked at."""
    return compiled if COMPILED else plain


def random_ones(count: int, seed: int, *, near: bool = False, **kept: Any) -> Iterator[Seen]:
    """Positions in the middle of games that nobody has won; `near` the end a few markers are lacking."""
    source = random.Random(seed)
    while count:
        seen = Seen(random_position(source, rules=random_rules(source, **kept)))
        teams = [seen.team, *seen.others]
        if near:
            for team in source.sample(teams, source.choice([1, 1, 2])):
                bring_near(source, seen, team, source.choice([1, 2, 3]))
        if not any(literal.has_path(seen.rules, seen.board, team) for team in teams):
            count -= 1
            yield seen


def bring_near(source: random.Random, seen: Seen, team: int, cost: int) -> None:
    """Place markers on a cheapest way until a team needs few more, or has few more."""
    while (way := seen.way(team)).cost not in range(cost + 1):
        times = 1 if way.open else 2
        if not (way.open or way.white) or seen.rules.markers - literal.on_board(seen.board, team) < times + cost:
            return
        seen.board.stacks[source.choice(sorted(way.open or way.white))].extend([team] * times)
    literal.check_table(seen.position.state)


# --- Parts of plays --------------------------------------------------------------------------------------------------


def is_advance(
    seen: Seen, board: Board, placed: Sequence[Cell], prefer: Iterable[Cell] = (), avoid: Iterable[Cell] = ()
) -> bool:
    """Whether markers lie where going on step by step along cheapest ways would put them, in some order."""
    preferred, avoided = frozenset(prefer), frozenset(avoid)

    def is_lost(board: Board) -> bool:
        """Whether a last marker brings nothing: all cheapest ways go on over white squares."""
        way = seen.way(board=board)
        return way.cost > 0 and not way.open

    def goes(board: Board, left: tuple[Cell, ...], taken: frozenset[Cell]) -> bool:
        if not left:
            return True
        way = seen.way(board=board)
        wanted = way.open & preferred or way.open - avoided or way.open
        times = 1
        if not wanted and way.white and len(left) > 1:
            wanted, times = way.white, 2
        elif not wanted:
            wanted = frozenset(open_squares(board) - taken)
        elif len(left) == 2 and way.white:
            # A white square takes both markers where the second one would be lost.
            losing = {cell for cell in wanted if is_lost(with_markers(board, seen.team, [cell]))}
            if losing and left[0] == left[1] and left[0] in way.white:
                return True
            wanted -= losing
        return any(
            goes(with_markers(board, seen.team, [cell] * times), without(left, cell, times), taken | {cell})
            for cell in wanted & set(left)
            if left.count(cell) >= times
        )

    return goes(board, tuple(placed), frozenset())


def without(cells: tuple[Cell, ...], cell: Cell, times: int) -> tuple[Cell, ...]:
    left = list(cells)
    for _ in range(times):
        left.remove(cell)
    return tuple(left)


def is_filling(seen: Seen, line: Line, placed: Sequence[Cell]) -> bool:
    """Whether markers fill the squares of a line: card squares, then white ones, and the rest lies on any squares."""
    on_cards = [cell for cell in placed if cell in line.open]
    if len(on_cards) < len(line.open):
        return len(on_cards) == len(placed) == len(set(placed))
    left = [cell for cell in placed if cell not in line.open]
    on_white = {cell for cell in left if cell in line.white}
    rest = [cell for cell in left if cell not in line.white]
    return (
        len(on_cards) == len(set(on_cards))
        and len(on_white) == min(len(line.white), len(left) // 2)
        and len(left) - len(rest) == 2 * len(on_white)
        and len(rest) == len(set(rest))
        and set(rest) <= open_squares(seen.board)
    )


def loose(board: Board, teams: Iterable[int]) -> set[tuple[Cell, int]]:
    """Squares from which one marker of these teams can be removed, and whose."""
    return {
        (cell, team)
        for cell in literal.CELLS
        if board.squares[cell] != literal.WHITE
        for team in set(board.stacks[cell]) & set(teams)
    }


def is_anybodys(seen: Seen, removed: Sequence[Marker], way: Iterable[Cell], touched: Iterable[Cell] = ()) -> bool:
    """Whether markers are removed as it is done when it brings nothing: one a square, the topmost of its team.

    Others' first, then own ones that are not on the way, then any own ones; own ones off the way first when few are
    left in the supply. White squares only when nothing else is left.
    """
    others = loose(seen.board, seen.others)
    own = loose(seen.board, [seen.team])
    off = {(cell, team) for cell, team in own if cell not in way}
    order = [off, others, own] if seen.supply < FEW else [others, off, own]

    def goes(left: tuple[Marker, ...], gone: frozenset[Cell]) -> bool:
        if not left:
            return True
        for pool in order:
            pool = {(cell, team) for cell, team in pool if cell not in gone}
            if pool:
                return any(
                    goes(tuple(one for one in left if one != marker), gone | {marker.cell})
                    for marker in left
                    if (marker.cell, marker.team) in pool
                    and [marker] == top_markers(seen.board, marker.team, marker.cell, 1)
                )
        cells = {marker.cell for marker in left if seen.board.squares[marker.cell] == literal.WHITE} - gone
        return any(
            goes(tuple(one for one in left if one.cell != cell), gone | {cell})
            for cell in cells
            if [marker.cell for marker in left].count(cell) == 2
        )

    return goes(tuple(removed), frozenset(touched))


def has_loose(seen: Seen, count: int) -> bool:
    """Whether so many markers can be removed from as many squares, whatever is taken first."""
    return len({cell for cell, _ in loose(seen.board, [seen.team, *seen.others])}) >= count


# --- Players ---------------------------------------------------------------------------------------------------------


def is_any_play(seen: Seen, move: Move, way: Iterable[Cell]) -> bool:
    """Whether a play is one of those that are made when none brings the team nearer."""
    run = seen.longest_run
    if seen.singles and (not run or seen.supply >= FEW):
        return move.kind == "single"
    if run and has_loose(seen, run):
        return move.kind == "run" and len(move.cards) == run and is_anybodys(seen, move.removed, way)
    return run > 0 or not seen.singles or move.kind == "single"


def openings(seen: Seen) -> dict[tuple[Cell, int], int]:
    """Squares that others close to the seat's team, and whose; what the team needs when they are opened."""
    found = {}
    for team in seen.others:
        for cell in literal.CELLS:
            stack = seen.board.stacks[cell]
            if stack.count(team) == 2 and not literal.counts(seen.rules, seen.board, seen.team, cell):
                count = 2 if seen.board.squares[cell] == literal.WHITE else 1
                found[cell, team] = seen.way(board=without_top(seen.board, team, cell, count)).cost
    return found


def is_opening(seen: Seen, move: Move) -> bool:
    """Whether a run opens the square that brings the team nearest, and removes anybody's markers with the rest."""
    needs = openings(seen)
    best = min(needs.values())
    counting = [cell for cell in literal.CELLS if literal.counts(seen.rules, seen.board, seen.team, cell)]
    for cell, team in (place for place, need in needs.items() if need == best):
        gone = top_markers(seen.board, team, cell, 2 if seen.board.squares[cell] == literal.WHITE else 1)
        rest = [marker for marker in move.removed if marker not in gone]
        if len(rest) + len(gone) == len(move.removed) and is_anybodys(seen, rest, counting, [cell]):
            return True
    return False


def is_race(seen: Seen, move: Move, way: Way | Line, is_pair_play: Callable[[Sequence[Cell]], bool]) -> bool:
    """Whether a play is the largest pair on the way, else a single card on it, else one that opens a square."""
    fixed = isinstance(way, Line)
    most, fits = seen.most_of_a_rank, seen.reached(way.open)
    if most and (way.open or way.white) and (way.cost > 1 or not fits):
        return move.kind == "pair" and len(move.cards) == most and is_pair_play(move.placed)
    if fits:
        return move.kind == "single" and move.placed[0] in way.open
    run = seen.longest_run
    needs = openings(seen) if run > 1 and not fixed else {}
    if needs and min(needs.values()) < way.cost and has_loose(seen, run):
        return move.kind == "run" and len(move.cards) == run and is_opening(seen, move)
    return is_any_play(seen, move, way.cells if isinstance(way, Line) else way.own)


def is_rushing(seen: Seen, move: Move) -> bool:
    return is_race(seen, move, seen.way(), lambda placed: is_advance(seen, seen.board, placed))


def is_straight(seen: Seen, move: Move) -> bool:
    lines = cheapest_lines(seen.rules, seen.board, seen.team)
    nothing = Line(FAR, frozenset(), frozenset(), frozenset())
    return any(is_race(seen, move, line, functools.partial(is_filling, seen, line)) for line in lines or [nothing])


def closing_gain(seen: Seen, cell: Cell) -> int:
    """What the nearest others need more when a square is closed to them; a square of the own way counts more."""
    way = seen.way()
    more = 1 if cell in way.open else 2 if cell in way.white else 0
    return seen.nearest(closed_by(seen.board, seen.team, cell)) - seen.nearest() + more


def wins_by_placing(seen: Seen) -> bool:
    """Whether a single card or a pair wins at once."""
    way = seen.way()
    return way.cost <= seen.most_of_a_rank or (way.cost == 1 and seen.reached(way.open))


# --- Asking ----------------------------------------------------------------------------------------------------------


@functools.cache
def seated(spec: str) -> Any:
    seat = np.zeros(1, SEAT).view(np.recarray)[0]
    find_strategy(CROSSWAYS.name, spec).player().fill(seat, CROSSWAYS, None)
    return seat


def word_of(spec: str, view: Any, start: int = 1) -> int:
    """What a player answers, as a word."""
    probe = np.zeros(1, PROBE).view(np.recarray)[0]
    return int(ask(view, seated(spec), stream(start), stream(start + 1), new_scratch(MAX_MOVES), probe))


def choice(spec: str, position: Position, start: int = 1) -> Any:
    """What a player does; it is legal, says the literal engine."""
    view = position.view
    return legal_move(position, view, word_of(spec, view, start))


def choices(spec: str, position: Position, most: int) -> set[Any]:
    """What a player does with so many different draws."""
    view = position.view
    return {legal_move(position, view, word) for word in {word_of(spec, view, start) for start in range(most)}}


def legal_move(position: Position, view: Any, word: int) -> Move | Pass:
    move = read(view, word)
    assert position.code(move) == word
    assert position.refusal(move) is None
    return move


def new_layers() -> Any:
    return np.empty(LAYERS, np.uint64)


def word(cells: Iterable[Cell]) -> Any:
    return Word(bits(map(number_of, cells)))


def cells_in(squares: Any) -> set[Cell]:
    return {cell_of(square) for square in squares_in(squares)}


def cards_in(view: Any, named: Any) -> list[str]:
    return [card_of(int(face)) for place, face in enumerate(view.hand) if int(named) >> place & 1]
