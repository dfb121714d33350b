"""Measure every built-in player in every variant and at every number of seats, and write the tables of the docs."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from analysis.rankings import rank
from analysis.simulation import simulate
from benchmarks.tables import insert, to_markdown
from sims.design import CHUNK, Design
from sims.errors import CrosslabError
from sims.game import Game, find_game, game_names
from sims.run import seconds_a_deal, workers
from strategies.api import Strategy
from strategies.specs import builtin_strategies, find_strategy

DOCS = Path(__file__).resolve().parent.parent / "docs" / "games"
SECONDS = 30.0  # for a slow player, in each variant
WRAPPED = {  # what thinking by rollouts adds
    "criss-cross": ("rollout(greedy,20)", "rollout(line-solver,20)"),
    "cross-off": ("rollout(conservative,20)",),
    "crosswise": (),
    "crossways": ("rollout(rusher,20)",),
}
SEAT_DEALS = 4_000  # for the table of wins by seats


def deals_for(game: Game, strategy: Strategy, seconds: float) -> int:
    """Return how many deals a player gets: a million, or a round number that fits into the time."""
    rules = game.variant()
    lineup = (strategy.player(),) * game.seat_numbers(rules)[0]
    design = Design(game, rules, (lineup,), seed=1, deals=CHUNK)
    affordable = seconds * workers(-1) / seconds_a_deal(design, 0)
    sizes = (1_000_000, 200_000, 50_000, 10_000, 2_000, 500)
    return next((deals for deals in sizes if deals <= affordable), 100)


def player_row(game: Game, strategy: Strategy, seconds: float) -> tuple[str, ...]:
    """Return a player's row: name, idea, and what it does in every variant, alone or against itself.

    That is its mean score with the interval; where the score is the win, which says nothing of equals, the mean number
    of turns and the share of games that nobody wins.
    """
    deals = deals_for(game, strategy, seconds)
    idea = f"tries every move in {strategy.rollouts} games ahead" if strategy.rollouts else strategy.summary
    cells = [f"`{strategy.spec}`", idea, f"{deals:,}"]
    for variant in game.variants:
        lineup = [strategy] * game.seat_numbers(game.variant(variant))[0]
        found = simulate(game, lineup, deals=deals, variant=variant, rotate=False, rows=False)
        row = found.summary().row(0, named=True)
        cell = f"{row['mean']:.2f} ± {(row['high'] - row['low']) / 2:.2f}".replace("-", "−")
        if game.score_is_win:
            cell = f"{row[game.length]:.1f}, {100 * found.unwon:.1f} %"
        cells.append(cell)
        print(f"{strategy.spec}, {variant}: {cells[-1]}", file=sys.stderr)
    return tuple(cells)


def tables_of(game: Game) -> dict[str, tuple[str, int]]:
    """Return variant and seats of all tables of two seats or more, by a heading.

    That are those of the basic rules, and the smallest of each variant that is for other numbers of seats.
    """
    basic = game.seat_numbers(game.variant())
    tables = {f"{seats} seats": ("basic", seats) for seats in basic if seats > 1}
    for variant in game.variants:
        numbers = game.seat_numbers(game.variant(variant))
        if numbers != basic:
            tables[f"{variant}, {numbers[0]} seats"] = (variant, numbers[0])
    return tables


def seat_table(game: Game) -> str:
    """Return the shares of wins of all players at every number of seats from two on, and in teams."""
    shares: dict[str, list[str]] = {}
    tables = tables_of(game)
    for heading, (variant, seats) in tables.items():
        found = rank(game, deals=SEAT_DEALS, seats=seats, variant=variant, measure="win")
        for row in found.summary().iter_rows(named=True):
            half = (row["win_high"] - row["win_low"]) / 2
            shares.setdefault(row["strategy"], []).append(f"{100 * row['win']:.1f} ± {100 * half:.1f}")
        print(f"{game.name}, {heading}: {next(iter(found.summary()['strategy']))}", file=sys.stderr)
    headers = ("player", *tables)
    return to_markdown(headers, [(f"`{name}`", *cells) for name, cells in shares.items()], right=range(1, len(headers)))


def main(arguments: Sequence[str]) -> int:
    """Measure and write the pages of some games, or of all; return the exit code."""
    parser = argparse.ArgumentParser(prog="player_table.py", description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help="whose page is written (default: all)")
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, help="for a slow player, in each variant (default: %(default)g)"
    )
    asked = parser.parse_args(arguments)
    for name in asked.games or game_names():
        try:
            game, page = find_game(name), DOCS / f"{name}.md"
            text = insert(page.read_text("utf-8"), "players", "")  # before minutes are spent
            players = [*builtin_strategies(name), *(find_strategy(name, spec) for spec in WRAPPED.get(name, ()))]
            rows = [player_row(game, strategy, asked.seconds) for strategy in players]
            table = to_markdown(
                ("player", "idea", "deals", *game.variants), rows, right=range(2, 3 + len(game.variants))
            )
            text = insert(text, "players", table)
            if "<!-- seats: begin -->" in text:
                text = insert(text, "seats", seat_table(game))
            page.write_text(text, "utf-8", newline="\n")
        except (CrosslabError, OSError) as error:
            print(f"player_table: error: {name}: {error}", file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
