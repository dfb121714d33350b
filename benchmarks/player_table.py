"""Measure every built-in player in every variant, and write the table of a game's docs page."""

import sys
import time
from pathlib import Path

from analysis.simulation import simulate
from benchmarks.tables import insert, to_markdown
from sims.errors import CrosslabError
from sims.game import Game, find_game, game_names
from strategies.api import Strategy
from strategies.specs import builtin_strategies

DOCS = Path(__file__).resolve().parent.parent / "docs" / "games"
MOST_DEALS = 1_000_000
PROBE_DEALS = 200
SECONDS = 30.0  # for a slow player, in each variant


def deals_for(game: Game, strategy: Strategy) -> int:
    """Return how many deals a player gets: a million, or a round number that fits into the time."""
    simulate(game, strategy, deals=1, rows=False)
    started = time.perf_counter()
    simulate(game, strategy, deals=PROBE_DEALS, rows=False, progress=False)
    affordable = SECONDS * PROBE_DEALS / (time.perf_counter() - started)
    return next(
        deals for deals in (MOST_DEALS, 200_000, 50_000, 10_000, 2_000, 500) if deals <= affordable or deals == 500
    )


def player_row(game: Game, strategy: Strategy) -> tuple[str, ...]:
    """Return a player's row: name, idea, and mean with its interval in every variant."""
    deals = deals_for(game, strategy)
    cells = [f"`{strategy.name}`", strategy.summary, f"{deals:,}"]
    for variant in game.variants:
        row = simulate(game, strategy, deals=deals, variant=variant, rows=False).summary().row(0, named=True)
        cells.append(f"{row['mean']:.2f} ± {(row['high'] - row['low']) / 2:.2f}".replace("-", "−"))
        print(f"{strategy.name}, {variant}: {cells[-1]}", file=sys.stderr)
    return tuple(cells)


def main() -> int:
    """Measure and write; return the exit code."""
    for name in game_names():
        game, page = find_game(name), DOCS / f"{name}.md"
        try:
            insert(page.read_text("utf-8"), "players", "")  # before minutes are spent
            rows = [player_row(game, strategy) for strategy in builtin_strategies(name)]
            table = to_markdown(
                ("player", "idea", "deals", *game.variants), rows, right=range(2, 3 + len(game.variants))
            )
            page.write_text(insert(page.read_text("utf-8"), "players", table), "utf-8", newline="\n")
        except (CrosslabError, OSError) as error:
            print(f"player_table: error: {page.name}: {error}", file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
