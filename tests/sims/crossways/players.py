"""Players for the kernel's tests, which must not need the strategies that are built on the kernel."""

import json
import random
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from sims.bits import ONE, Word
from sims.crossways import CROSSWAYS, CrossWaysRules
from sims.crossways.listing import MAX_MOVES, list_moves
from sims.crossways.plays import (
    can_play,
    item_of,
    kind_of,
    markers_needed_after,
    placed_by,
    random_move,
    removed_by,
    start_move,
)
from sims.jit import COMPILED
from sims.table import Table
from strategies import Parameter, Strategy, heuristic, noisy, restrict, restriction, strategy
from tests.reference import crossways as literal
from tests.sims.crossways.positions import code, kernel_rules, random_rules, views_of

GAME = CROSSWAYS.name


@strategy(GAME)
def anyhow(view: Any, rng: Any, params: Any) -> Any:
    """Plays at random."""
    return random_move(view, rng)


@heuristic(GAME)
def eager(view: Any, move: Any, params: Any) -> Any:
    """Takes the shortest way to the goal."""
    return -float(markers_needed_after(view, move, view.team))


@heuristic(GAME)
def jealous(view: Any, move: Any, params: Any) -> Any:
    """Goes for the goal, and wants the next team far from it; removes what it can."""
    other = (np.int64(view.team) + 1) % np.int64(view.teams)
    gain = min(markers_needed_after(view, move, other), 20) - markers_needed_after(view, move, view.team)
    return float(gain) + 0.5 * float(removed_by(move))


@strategy(GAME)
def touchy(view: Any, rng: Any, params: Any) -> Any:
    """Lets everything that it sees change its choice, and draws nothing."""
    seen = Word(view.turn) + Word(3) * Word(view.deck) + Word(5) * Word(view.seat) + Word(view.passes)
    seen += Word(view.team) + Word(7) * Word(view.set_count) + Word(11) * Word(view.reshuffles)
    for place in range(64):
        seen += Word(place + 1) * (Word(view.stacks[place]) + Word(view.discards[place]))
    for seat in range(8):
        seen += Word(13 + seat) * Word(view.hand_sizes[seat])
    for place in range(6):
        seen += Word(17 + place) * Word(view.hand[place])
    for team in range(4):
        seen += Word(23 + team) * Word(view.supplies[team]) + (Word(view.one[team]) >> ONE) % Word(97)
        seen += (Word(view.top[team]) >> ONE) % Word(89) + (Word(view.two[team]) >> ONE) % Word(83)
    moves = np.empty(MAX_MOVES, np.uint64)
    count = list_moves(view, moves)
    return moves[seen % Word(count)]


@strategy(GAME)
def idle(view: Any, rng: Any, params: Any) -> Any:
    """Passes whenever it may, and discards its first card."""
    if view.may_pass or not can_play(view):
        return start_move(ONE) if view.discard_on_pass else Word(0)
    return random_move(view, rng)


@strategy(GAME, parameters=[Parameter("where", 0, 0, 1, "0: at the table, 1: thinking ahead")])
def wrong(view: Any, rng: Any, params: Any) -> Any:
    """Plays its first card onto the last square from the third turn on."""
    if view.ahead == params[0] and view.turn >= 3:
        return Word(1) << Word(60) | ONE << Word(54) | Word(100)
    return random_move(view, rng)


@heuristic(GAME)
def unsure(view: Any, move: Any, params: Any) -> Any:
    """Cannot tell what a marker in the last row is worth."""
    return np.nan if placed_by(move) and item_of(move, removed_by(move)) >= Word(56) else 1.0


@restriction(GAME)
def singles(view: Any, move: Any, params: Any) -> Any:
    """Playing single cards."""
    return kind_of(move) == ONE


@restriction(GAME)
def passing(view: Any, move: Any, params: Any) -> Any:
    """Passing."""
    return kind_of(move) == Word(0)


@restriction(GAME)
def winning(view: Any, move: Any, params: Any) -> Any:
    """Coming near to the goal."""
    return markers_needed_after(view, move, view.team) < 3


ACTIVE = restrict(anyhow, passing)
QUICK = [anyhow, idle]
ALL = [anyhow, touchy, eager, jealous, eager]


def line_up(source: random.Random, seats: int) -> list[Strategy]:
    """A player a seat, bare or wrapped."""
    known = ALL if COMPILED else [*QUICK, anyhow]

    def one() -> Strategy:
        base = source.choice(known)
        match source.randrange(6):
            case 0:
                return noisy(base, source.choice([0.1, 0.5, 1]))
            case 1:
                return restrict(base, source.choice([singles, passing, winning])) if COMPILED else base
            case 2:
                return noisy(restrict(base, passing), 0.3) if COMPILED else base
            case _:
                return base

    return [one() for _ in range(seats)]


# --- Whole games, told and read again --------------------------------------------------------------------------------


class Played(NamedTuple):
    """One game, as the kernel and as a trace tell it."""

    trace: dict[str, Any]
    outcomes: Any
    log: Any

    @property
    def rules(self) -> CrossWaysRules:
        return CrossWaysRules(**self.trace["variant"])

    @property
    def seats(self) -> int:
        return len(self.trace["seats"])

    @property
    def end(self) -> Any:
        return self.trace["events"][-1]


def trace_of(seated: Table, seed: int, deal: int, outcomes: Any, log: Any) -> dict[str, Any]:
    """A trace as whoever reads it from a file gets it."""
    seats = len(seated.players)
    trace = {
        "game": GAME,
        "rules_version": CROSSWAYS.rules_version,
        "variant": seated.rules.to_dict(),
        "seed": seed,
        "deal": deal,
        "rotation": 0,
        "seats": [seat.spec for seat in seated.players],
        "events": CROSSWAYS.events(seated.rules, log, seats),
        "outcome": CROSSWAYS.results(seated.rules, log, outcomes),
    }
    again: dict[str, Any] = json.loads(json.dumps(trace))
    return again


def played(lineup: Sequence[Strategy], rules: CrossWaysRules, seed: int, first: int, deals: int) -> list[Played]:
    seated = Table(CROSSWAYS, rules, [one.player() for one in lineup])
    outcomes, logs = seated.log(seed, first, deals)
    return [
        Played(trace_of(seated, seed, first + game, outcomes[game], logs[game]), outcomes[game], logs[game])
        for game in range(deals)
    ]


def random_games(source: random.Random, deals: int, **kept: Any) -> list[Played]:
    """Games of random rules, seats, layout and line-up."""
    options = {"turn_limit": source.choice([1, 7, 40, 100, 400] if COMPILED else [1, 5, 9, 14])}
    literally = random_rules(source, **{**options, **kept})
    rules = kernel_rules(literally).replace(layout=source.choice(["default", f"random:{source.randrange(2**32)}"]))
    seats = source.choice(literal.SEATS[literally.team_size])
    seed = source.choice([0, 1, 2**63, source.randrange(2**64)])
    return played(line_up(source, seats), rules, seed, source.choice([0, source.randrange(2**40)]), deals)


class Turn(NamedTuple):
    """A turn before anything happens in it; without a seat the end."""

    state: literal.State
    seat: int | None
    move: literal.Move | literal.Pass | None
    reshuffles: int

    @property
    def view(self) -> Any:
        assert self.seat is not None
        view = views_of(self.state, self.seat)[0]
        view.reshuffles = self.reshuffles
        return view

    @property
    def code(self) -> int:
        assert self.seat is not None
        assert self.move is not None
        return code(self.state.hands[self.seat], self.move)


def turns_of(trace: dict[str, Any]) -> Iterator[Turn]:
    """Go through a trace by means of the literal engine; the state is the same object all along."""
    rules = literal.rules_of(trace["variant"])
    state = literal.start(rules, len(trace["seats"]), trace["events"][0]["squares"])
    reshuffles = 0
    for event in trace["events"][1:]:
        match event["type"]:
            case "draw":
                state.deck = literal.without_cards(state.deck, event["cards"])
                state.hands[event["seat"]] += event["cards"]
            case "reshuffle":
                state.deck, state.discards = state.deck + state.discards, []
                reshuffles += 1
            case "end":
                yield Turn(state, None, None, reshuffles)
            case "pass":
                state.turn = event["turn"]
                discarded = tuple(event["discarded"])
                yield Turn(state, event["seat"], literal.Pass(discarded), reshuffles)
                literal.carry_out_pass(state, event["seat"], discarded)
            case _:
                state.turn = event["turn"]
                move = literal.move_of(event)
                yield Turn(state, event["seat"], move, reshuffles)
                literal.carry_out(state, event["seat"], move)
