"""Asking players, in a toy game: some of the moves 10, 11, 12, … are legal, and a number says what each is worth."""

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import from_dtype, types
from scipy import stats

from sims import chance, jit
from sims.asking import best_of, make_asking, make_thinking, new_scratch, rank_by_score, start_streams
from sims.bits import Word
from sims.chance import below, fill_stream, new_streams, next_word, start_stream
from sims.game import RANK, SCORE, WIN, WIN_UNIT
from sims.table import PROBE, SEAT

MOST, FIRST, ILLEGAL = 4, 10, 2**64 - 1
FORBIDDEN = 8  # where `params` says what is forbidden: 0 allowed, 1 forbidden, 2 raise an exception

VIEW = np.dtype(
    [
        ("many", np.uint8),  # legal moves
        ("ahead", np.uint8),
        ("played", np.int64, (MOST,)),  # games played ahead, by move
        ("dice", np.uint64, (MOST,)),  # what was drawn in them, all words combined
    ],
    align=True,
)
PARAMETERS = types.Array(types.float64, 1, "C", aligned=False)
CHOOSE = types.uint64(from_dtype(VIEW), from_dtype(chance.STREAM), PARAMETERS)
VALUE = types.float64(from_dtype(VIEW), types.uint64, PARAMETERS)
FORBID = types.int64(from_dtype(VIEW), types.uint64, PARAMETERS)


@jit.jit
def list_moves(view: Any, moves: Any) -> Any:
    for index in range(view.many):
        moves[index] = Word(FIRST) + Word(index)
    return np.int64(view.many)


@jit.jit
def is_legal(view: Any, move: Any) -> Any:
    return Word(move) >= Word(FIRST) and Word(move) < Word(FIRST) + Word(view.many)


@jit.jit
def play_out(views: Any, seat: Any, move: Any, rng: Any, noise: Any, scratch: Any, dice: Any, probe: Any) -> Any:
    """Return params[:4] by move in its first game, params[4:8] in the others."""
    view, index = views[0], np.int64(move) - FIRST
    view.played[index] += 1
    view.dice[index] = (view.dice[index] << Word(1)) ^ next_word(dice)
    return seat.params[index if view.played[index] == 1 else MOST + index]


ASKING = make_asking(CHOOSE, VALUE, FORBID, ILLEGAL, list_moves, is_legal)
think = make_thinking(ASKING, play_out)


@jit.jit
def random_move(view: Any, rng: Any) -> Any:
    """Any legal move, of which `list_two` lists two."""
    return Word(FIRST) + below(rng, view.many)


@jit.jit
def list_two(view: Any, moves: Any) -> Any:
    moves[0], moves[1] = Word(FIRST), Word(FIRST) + Word(1)
    return np.int64(2)


WIDER = make_asking(CHOOSE, VALUE, FORBID, ILLEGAL, list_two, is_legal, random_move)
think_wider = make_thinking(WIDER, play_out)


def stubborn(view: Any, rng: Any, params: Any) -> Any:
    """Always the same move, legal or not."""
    return Word(params[0])


def drawing(view: Any, rng: Any, params: Any) -> Any:
    """Any legal move."""
    return Word(FIRST) + below(rng, view.many)


def liking(view: Any, move: Any, params: Any) -> Any:
    return params[np.int64(move) - FIRST]


def forbidding(view: Any, move: Any, params: Any) -> Any:
    answer = params[FORBIDDEN + np.int64(move) - FIRST]
    if answer == 2:
        raise ValueError("no answer")
    return answer


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep no compiled code: entries of the toy's functions would not notice an edit of this file."""
    monkeypatch.setattr(jit, "cache_folder", lambda: None)


def stream(start: int = 1) -> Any:
    streams = new_streams(1)
    fill_stream(streams[0], np.uint64(start))
    return streams[0]


class Toy(NamedTuple):
    """A position of the toy game, a seat, and what the seat is asked with."""

    views: Any
    seat: Any
    rng: Any
    noise: Any
    dice: Any
    probe: Any

    def ask(self, asking: Any = ASKING) -> int:
        scratch = new_scratch(MOST)
        return int(asking.ask(self.views[0], self.seat, self.rng, self.noise, scratch, self.probe))

    def think(self, think: Any = think) -> int:
        inner, outer = new_scratch(MOST), new_scratch(MOST)
        return int(think(self.views, self.seat, self.rng, self.noise, inner, outer, self.dice, self.probe))


def toy(
    player: Callable[..., Any],
    values: tuple[float, ...] = (),
    forbidden: tuple[int, ...] = (),
    many: int = 3,
    **more: Any,
) -> Toy:
    """A seat of this player; `values` are its parameters, `more` other fields of its record."""
    views = np.zeros(2, VIEW).view(np.recarray)
    views.many, views[1].ahead = many, 1
    seat = np.zeros(1, SEAT).view(np.recarray)[0]
    seat.by_value = player is liking
    if player is liking:
        seat.valuer = jit.pointer(player, VALUE, np.nan)
    else:
        seat.chooser = jit.pointer(player, CHOOSE, ILLEGAL)
    seat.forbidder = jit.pointer(forbidding, FORBID, -1) if forbidden else 0
    seat.params[: len(values)] = values
    seat.params[FORBIDDEN : FORBIDDEN + len(forbidden)] = forbidden
    for name, value in more.items():
        seat[name] = value
    probe = np.zeros(1, PROBE).view(np.recarray)[0]
    return Toy(views, seat, stream(1), stream(2), stream(3), probe)


def is_uniform(counts: Counter[int], moves: list[int]) -> bool:
    return sorted(counts) == moves and bool(stats.chisquare(list(counts.values())).pvalue > 1e-4)


def words(one: Any) -> list[int]:
    return [int(word) for word in one]


DRAWS = 300

# --- The parts -------------------------------------------------------------------------------------------------------


def test_best_of_breaks_ties_at_random() -> None:
    counts = {10: 0, 12: 0, 13: 0}
    rng = stream(3)
    for _ in range(600):
        moves = np.array([10, 11, 12, 13], np.uint64)
        counts[int(best_of(moves, np.array([2.0, 1.5, 2.0, 2.0]), 4, rng))] += 1
    assert stats.chisquare(list(counts.values())).pvalue > 1e-4


def test_best_of_looks_at_no_more_than_count() -> None:
    moves = np.array([10, 11, 12], np.uint64)
    assert best_of(moves, np.array([1.0, 2.0, 3.0]), 2, stream()) == 11


def test_best_of_takes_infinite_values() -> None:
    moves = np.array([10, 11], np.uint64)
    assert best_of(moves, np.array([-np.inf, -np.inf]), 1, stream()) == 10
    assert best_of(moves, np.array([0.0, np.inf]), 2, stream()) == 11


@pytest.mark.parametrize(
    ("scores", "ranks", "wins"),
    [
        ([7], [1], [WIN_UNIT]),
        ([-5, 3], [2, 1], [0, WIN_UNIT]),
        ([4, 4, 1], [1, 1, 3], [WIN_UNIT // 2, WIN_UNIT // 2, 0]),
        ([1, 9, 1, 9, 9], [4, 1, 4, 1, 1], [0, WIN_UNIT // 3, 0, WIN_UNIT // 3, WIN_UNIT // 3]),
        ([0, 0, 0, 0, 0], [1] * 5, [WIN_UNIT // 5] * 5),
    ],
)
def test_rank_by_score(scores: list[int], ranks: list[int], wins: list[int]) -> None:
    outcomes = np.zeros((len(scores), 3), np.int16)
    outcomes[:, SCORE] = scores
    rank_by_score(outcomes)
    assert outcomes[:, RANK].tolist() == ranks
    assert outcomes[:, WIN].tolist() == wins


def test_new_scratch() -> None:
    moves, worth = new_scratch(7)
    assert (moves.shape, moves.dtype) == ((7,), np.uint64)
    assert (worth.shape, worth.dtype) == ((7,), np.float64)


def test_start_streams_starts_the_streams_that_a_seat_may_need() -> None:
    seats = np.zeros(4, SEAT).view(np.recarray)
    seats[1].noise, seats[2].rollout_noise, seats[3].stream = 0.5, 0.25, 1
    streams = np.zeros((4, 3), chance.STREAM).view(np.recarray)
    streams.s0 = 77
    start_streams(seats, streams, Word(5))
    fresh = new_streams(1)[0]
    for number, seat in enumerate(seats):
        own = chance.STREAM_STEP * int(seat.stream)
        start_stream(fresh, Word(5), Word(chance.STRATEGY + own), Word(number))
        assert words(streams[number, 0]) == words(fresh)
        start_stream(fresh, Word(5), Word(chance.NOISE + own), Word(number))
        untouched = number in (0, 3)
        assert words(streams[number, 1]) == ([77, 0, 0, 0] if untouched else words(fresh))
        assert words(streams[number, 2]) == [77, 0, 0, 0]


# --- Asking ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("forbidden", "kept"),
    [((0, 0, 0), [10, 11, 12]), ((1, 0, 1), [11]), ((1, 1, 1), [10, 11, 12]), ((0, 2, 0), None), ((1, 1, 2), None)],
)
def test_keep_allowed(forbidden: tuple[int, ...], kept: list[int] | None) -> None:
    one = toy(stubborn, forbidden=forbidden)
    moves = np.array([10, 11, 12], np.uint64)
    count = ASKING.keep_allowed(one.views[0], one.seat, moves, 3)
    assert (moves[:count].tolist() if count >= 0 else None) == kept


def test_note() -> None:
    one = toy(stubborn)
    ASKING.note(one.views[1], one.rng, one.probe)
    assert (one.probe.ahead, one.probe.move) == (1, ILLEGAL)
    assert [one.probe.s0, one.probe.s1, one.probe.s2, one.probe.s3] == words(one.rng)


def test_asking_has_what_was_handed_in() -> None:
    assert ASKING.list_moves is list_moves
    assert ASKING.illegal == ILLEGAL
    assert ASKING.random_move is None
    assert WIDER.random_move is random_move


@pytest.mark.parametrize("move", [10, 12, 13, 99])
def test_ask_returns_what_a_chooser_returns_legal_or_not(move: int) -> None:
    assert toy(stubborn, (move,)).ask() == move
    assert toy(stubborn, (move,), (0, 0, 0), limited=1).ask() == move


def test_ask_replaces_a_chooser_s_forbidden_move_by_any_other() -> None:
    one = toy(stubborn, (11,), (0, 1, 0), limited=1)
    assert is_uniform(Counter(one.ask() for _ in range(DRAWS)), [10, 12])
    assert words(one.noise) == words(stream(2))
    assert words(one.rng) != words(stream(1))


def test_ask_leaves_a_chooser_alone_that_is_not_limited() -> None:
    assert toy(stubborn, (11,), (0, 1, 0)).ask() == 11
    assert toy(stubborn, (11,), (0, 1, 0), rollout_limited=1).ask() == 11


def test_ask_forbids_nothing_when_all_is_forbidden() -> None:
    chooser = toy(stubborn, (11,), (1, 1, 1), limited=1)
    assert is_uniform(Counter(chooser.ask() for _ in range(DRAWS)), [10, 11, 12])
    assert toy(liking, (1, 5, 2), (1, 1, 1), limited=1).ask() == 11


@pytest.mark.parametrize("forbidden", [(0, 2, 0), (2, 1, 0)], ids=["of the move", "of another move"])
def test_ask_returns_no_move_when_the_restriction_fails(forbidden: tuple[int, ...]) -> None:
    assert toy(stubborn, (11,), forbidden, limited=1).ask() == ILLEGAL
    assert toy(liking, (1, 5, 2), forbidden, limited=1).ask() == ILLEGAL
    assert toy(stubborn, (11,), forbidden, limited=1, noise=1).ask() == ILLEGAL


def test_ask_takes_what_a_heuristic_values_most() -> None:
    assert toy(liking, (1, 5, 2)).ask() == 11
    assert toy(liking, (-3, -np.inf, -4)).ask() == 10
    assert toy(liking, (1, 5, 2), (0, 1, 0), limited=1).ask() == 12
    assert toy(liking, (1, 5, 2, 9), many=2).ask() == 11
    tied = toy(liking, (5, 1, 5))
    assert is_uniform(Counter(tied.ask() for _ in range(DRAWS)), [10, 12])


def test_ask_tells_the_move_that_has_no_value() -> None:
    one = toy(liking, (1, np.nan, np.nan))
    assert one.ask() == ILLEGAL
    assert one.probe.move == 11
    assert toy(liking, (1, np.nan, 2), (0, 1, 0), limited=1).ask() == 12


@pytest.mark.parametrize("player", [stubborn, liking])
def test_ask_errs_as_often_as_the_rate_says(player: Callable[..., Any]) -> None:
    values = (12,) if player is stubborn else (0, 0, 1)
    one = toy(player, values, noise=0.6)
    counts = Counter(one.ask() for _ in range(DRAWS))
    assert stats.chisquare([counts[10], counts[11], counts[12]], np.array([0.2, 0.2, 0.6]) * DRAWS).pvalue > 1e-4
    assert words(one.rng) == words(stream(1))


def test_ask_errs_among_the_allowed_moves() -> None:
    one = toy(drawing, (), (0, 0, 1, 0), many=4, limited=1, noise=1)
    assert is_uniform(Counter(one.ask() for _ in range(DRAWS)), [10, 11, 13])
    assert words(one.rng) == words(stream(1))


def test_ask_draws_no_error_for_a_player_without() -> None:
    one = toy(drawing, rollout_noise=1)
    assert is_uniform(Counter(one.ask() for _ in range(DRAWS)), [10, 11, 12])
    assert words(one.noise) == words(stream(2))


@pytest.mark.parametrize("player", [stubborn, liking])
def test_ask_errs_with_any_legal_move_where_only_candidates_are_listed(player: Callable[..., Any]) -> None:
    one = toy(player, (11,) if player is stubborn else (0, 1, 0, 0), many=4, noise=0.8)
    counts = Counter(one.ask(WIDER) for _ in range(DRAWS))
    expected = np.array([0.2, 0.4, 0.2, 0.2]) * DRAWS
    assert stats.chisquare([counts[move] for move in (10, 11, 12, 13)], expected).pvalue > 1e-4
    assert words(one.rng) == words(stream(1)), "errors are drawn from the stream of errors"


def test_ask_takes_a_candidate_otherwise() -> None:
    assert toy(liking, (1, 5, 9, 9), many=4).ask(WIDER) == 11
    assert toy(stubborn, (13,), many=4).ask(WIDER) == 13
    limited = toy(stubborn, (13,), (1, 0, 0, 1), many=4, limited=1, noise=1)
    assert {limited.ask(WIDER) for _ in range(20)} == {11}, "a restriction is asked about candidates"
    assert toy(stubborn, (13,), (0, 2, 0, 0), many=4, limited=1, noise=1).ask(WIDER) == ILLEGAL


@pytest.mark.parametrize("on", [0, 1])
def test_what_a_player_sees_is_noted_on_request(on: int) -> None:
    for act in (Toy.ask, Toy.think):
        one = toy(drawing, rollouts=1)
        one.probe.on = on
        before = words(one.rng)
        act(one)
        noted = [int(one.probe[name]) for name in ("s0", "s1", "s2", "s3", "move")]
        assert noted == ([*before, ILLEGAL] if on else [0] * 5)


# --- Thinking --------------------------------------------------------------------------------------------------------


def test_think_tries_every_move_as_often_and_by_the_same_chance() -> None:
    one = toy(drawing, rollouts=7)
    one.think()
    view = one.views[0]
    assert view.played.tolist() == [7, 7, 7, 0]
    drawn = view.dice.tolist()
    assert drawn[0] == drawn[1] == drawn[2] != 0
    view.dice[:] = 0
    one.think()
    assert view.dice[0] not in (0, drawn[0])
    assert words(one.noise) == words(stream(2))


def test_think_plays_every_game_ahead_by_another_chance() -> None:
    once, twice = toy(drawing, rollouts=1), toy(drawing, rollouts=2)
    once.think()
    twice.think()
    first = int(once.views[0].dice[0])
    second = int(twice.views[0].dice[0]) ^ first << 1 & ILLEGAL
    assert first != second != 0


@pytest.mark.parametrize(("games", "best"), [(1, 10), (2, 10), (3, 12)])
def test_think_adds_up_what_the_games_bring(games: int, best: int) -> None:
    # 9 in the first game and 1 in each other one against 4 in each, from the third game on less.
    assert toy(drawing, (9, 0, 4, 0, 1, 0, 4), rollouts=games).think() == best


def test_think_breaks_ties_at_random() -> None:
    one = toy(drawing, (5, 1, 5, 0, 5, 1, 5), rollouts=2)
    assert is_uniform(Counter(one.think() for _ in range(DRAWS)), [10, 12])


def test_think_does_not_play_for_a_single_move() -> None:
    one = toy(drawing, (-5,), many=1, rollouts=3)
    assert one.think() == 10
    limited = toy(drawing, (), (1, 0, 1), rollouts=3, rollout_limited=1)
    assert limited.think() == 11
    for these in (one, limited):
        assert not these.views[0].played.any()
        assert words(these.rng) == words(stream(1))


def test_think_tries_what_is_allowed() -> None:
    one = toy(drawing, (1, 5, 2, 0, 1, 5, 2), (0, 1, 0), rollouts=2, rollout_limited=1)
    assert one.think() == 12
    assert one.views[0].played.tolist() == [2, 0, 2, 0]
    assert toy(drawing, (1, 5, 2), (1, 1, 1), rollouts=1, rollout_limited=1).think() == 11
    assert toy(drawing, (1, 5, 2), (0, 2, 0), rollouts=1, rollout_limited=1).think() == ILLEGAL


def test_think_is_not_bound_by_what_holds_for_the_player_in_its_games() -> None:
    assert toy(drawing, (1, 5, 2), (0, 1, 0), rollouts=1, limited=1, noise=1).think() == 11


def test_think_returns_no_move_when_a_game_was_refused() -> None:
    assert toy(drawing, (1, 5, np.nan), rollouts=1).think() == ILLEGAL
    assert toy(drawing, (1, 5, 2, 0, 1, np.nan, 2), rollouts=2).think() == ILLEGAL


def test_think_errs_with_any_legal_move_where_only_candidates_are_listed() -> None:
    one = toy(drawing, (1, 5, 9, 9, 1, 5, 9, 9), many=4, rollouts=1, rollout_noise=0.8)
    counts = Counter(one.think(think_wider) for _ in range(DRAWS))
    expected = np.array([0.2, 0.4, 0.2, 0.2]) * DRAWS
    assert stats.chisquare([counts[move] for move in (10, 11, 12, 13)], expected).pvalue > 1e-4
    limited = toy(drawing, (), (1, 0, 0, 0), many=4, rollouts=1, rollout_limited=1, rollout_noise=1)
    assert {limited.think(think_wider) for _ in range(20)} == {11}
    always = toy(drawing, many=4, rollouts=1, rollout_noise=1, limited=1)
    assert is_uniform(Counter(always.think(think_wider) for _ in range(DRAWS)), [10, 11, 12, 13])
    assert words(always.rng) == words(stream(1))
    assert not always.views[0].played.any()


def test_think_errs_as_often_as_the_rate_says() -> None:
    one = toy(drawing, (1, 1, 5, 0, 1, 1, 5), (0, 1, 0), rollouts=1, rollout_limited=1, rollout_noise=0.6)
    counts = Counter(one.think() for _ in range(DRAWS))
    assert stats.chisquare([counts[10], counts[12]], np.array([0.3, 0.7]) * DRAWS).pvalue > 1e-4
    assert counts[11] == 0
    always = toy(drawing, rollouts=1, rollout_noise=1)
    assert is_uniform(Counter(always.think() for _ in range(DRAWS)), [10, 11, 12])
    assert words(always.rng) == words(stream(1))
    assert not always.views[0].played.any()
