"""The `crosslab` command: the verbs of the Python interface, as words on a line.

Only the standard library is imported before a verb runs, so that help comes at once.
"""

import argparse
import contextlib
import io
import json
import os
import shlex
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from sims.errors import CrosslabError, StrategyError, UsageError

if TYPE_CHECKING:
    import polars as pl

EXIT_ERROR = 2
EXIT_INTERRUPTED = 130
STOP_SECONDS = 2.0  # what a command gets to stop by itself after Ctrl-C
FACTORS = {"k": 1_000, "M": 1_000_000, "G": 1_000_000_000}
WIDTH = 80

EXAMPLES = """\
examples:
  crosslab games criss-cross
  crosslab strategies criss-cross
  crosslab simulate criss-cross greedy --deals 1M
  crosslab compare criss-cross greedy uniform --deals 100k
  crosslab compare criss-cross my_ideas.py:spiral greedy --report out/spiral
  crosslab replay criss-cross greedy --seed 7 --deal 123
  crosslab check my_ideas.py:spiral
"""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where help is."""
        self.exit(EXIT_ERROR, f"{self.prog}: error: {message} (see {self.prog} --help)\n")


def whole(text: str) -> int:
    """Read a whole number as people write it: 100000, 100_000, 1e5, 100k."""
    body, factor = (text[:-1], FACTORS[text[-1]]) if text[-1:] in FACTORS else (text, 1)
    try:
        return int(body.replace(",", "")) * factor
    except ValueError:
        pass
    try:
        value = float(body) * factor
        if value.is_integer() and abs(value) < 2**53:
            return int(value)
    except (ValueError, OverflowError):
        pass
    raise argparse.ArgumentTypeError(f"{text!r} is no whole number; write 100000, 1e5 or 100k")


def real(text: str) -> float:
    """Read a number."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number") from None


def bounds(text: str) -> tuple[float, float]:
    """Read two numbers separated by a comma, the lower first."""
    low, comma, high = text.partition(",")
    try:
        if comma and float(low) < float(high):
            return float(low), float(high)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"{text!r} is no pair of bounds; write LOW,HIGH, such as 0,0.5")


# --- The parsers -----------------------------------------------------------------------------------------------------


def build_parser() -> Parser:
    """Return the parser of the whole command."""
    parser = Parser(
        prog="crosslab",
        description="Monte Carlo strategy analysis for tabletop games.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", title="verbs")

    def verb(name: str, run: Callable[[argparse.Namespace], int], summary: str, description: str = "") -> Parser:
        added: Parser = verbs.add_parser(name, help=summary, description=description or summary)
        added.set_defaults(run=run)
        return added

    games = verb("games", show_games, "list the games, or the facts and options of one")
    games.add_argument("game", nargs="?", metavar="GAME", help="tell all about this game")
    add_output(games)

    listed = verb("strategies", show_strategies, "list the strategies of a game")
    add_game(listed)
    listed.add_argument("--file", metavar="FILE", help="those of a file of your own")
    listed.add_argument("--tag", metavar="TAG", help="only those with this tag")
    add_output(listed)

    simulate = verb(
        "simulate",
        run_simulate,
        "what scores does a line-up get?",
        "Play a line-up on many deals: one strategy plays solo, several sit at one table and are turned through all "
        "seats.",
    )
    add_game(simulate)
    add_lineup(simulate)
    add_deals(simulate)
    simulate.add_argument("--first-deal", type=whole, default=0, metavar="K", help="begin with deal K (default 0)")
    simulate.add_argument("--no-rotate", action="store_true", help="keep every strategy at its seat")
    add_rules(simulate)
    add_work(simulate)
    add_output(simulate)

    compare = verb(
        "compare",
        run_compare,
        "which of two strategies is better, and by how much?",
        "Compare two strategies on the same deals. The verdict on A: better, worse, equivalent (inside the margin) or "
        "undecided.",
    )
    add_game(compare)
    compare.add_argument("a", metavar="A", help="a strategy")
    compare.add_argument("b", metavar="B", help="another")
    add_deals(compare)
    compare.add_argument("--seats", type=whole, metavar="N", help="seats at the table (default: the game's fewest)")
    compare.add_argument(
        "--against",
        action="append",
        default=[],
        metavar="STRATEGY",
        help="an opponent whom A and B both meet, instead of each other; repeat for more seats",
    )
    compare.add_argument(
        "--by", choices=("score", "win"), default="score", help="compare points, or wins at two seats or more"
    )
    compare.add_argument(
        "--margin", type=real, metavar="NUMBER", help="difference in points or wins a game that does not matter to you"
    )
    compare.add_argument(
        "--until-decided",
        action="store_true",
        help="look at fixed numbers of deals and stop when the answer is clear; --deals is where to give up",
    )
    compare.add_argument(
        "--sprt",
        type=bounds,
        metavar="LOW,HIGH",
        help="stop by a sequential test of two differences in points or wins a game, such as 0,0.5",
    )
    add_rules(compare)
    add_work(compare)
    compare.add_argument("--report", metavar="DIR", help="write a page with figures to this folder")
    add_output(compare)

    # --- distribution ---
    distribution = verb(
        "distribution",
        run_distribution,
        "how are the scores of a line-up distributed?",
        "Play a line-up on many deals and tell how each strategy's scores spread: quantiles, named bands, tails and "
        "the whole distribution, each with a 95 % interval over deals.",
    )
    add_game(distribution)
    add_lineup(distribution)
    add_deals(distribution)
    distribution.add_argument(
        "--tail",
        type=whole,
        action="append",
        default=[],
        metavar="SCORE",
        dest="tails",
        help="the share of games with this score or a higher one; repeat for more",
    )
    distribution.add_argument(
        "--quantile",
        type=real,
        action="append",
        metavar="SHARE",
        dest="quantiles",
        help="the score that this share of games does not exceed; repeat for more (default 0.05 0.25 0.5 0.75 0.95)",
    )
    add_rules(distribution)
    add_work(distribution)
    add_output(distribution)

    # --- balance ---
    balance = verb(
        "balance",
        run_balance,
        "is the game fair to its seats, and how does it run?",
        "Seat shares, ties, length; who leads and for how long; choices; luck and skill; what weaker and restricted "
        "players lose. The verdict on the seats: fair (inside the margin), unfair or undecided.",
    )
    add_game(balance)
    add_lineup(balance)
    add_deals(balance)
    balance.add_argument(
        "--margin",
        type=real,
        default=0.01,
        metavar="SHARE",
        help="difference from a fair share of wins that does not matter to you (default 0.01)",
    )
    balance.add_argument(
        "--sample", type=whole, default=1_000, metavar="N", help="deals that are recorded move by move (default 1000)"
    )
    balance.add_argument(
        "--ladder-deals",
        type=whole,
        default=2_000,
        metavar="N",
        help="deals for the skill ladder and the restrictions, 0 for none (default 2000)",
    )
    balance.add_argument("--records", metavar="FILE", help="save the recorded games to this Parquet file")
    add_rules(balance)
    add_work(balance)
    add_output(balance)

    # --- sweep ---
    sweep = verb(
        "sweep",
        run_sweep,
        "what do rule options and parameters change, and does the order of strategies flip?",
        "Play strategies at every point of a grid of rule options and strategy parameters, all on the same deals. The "
        "first value of each is the base that the others are compared with.",
    )
    add_game(sweep)
    sweep.add_argument("strategies", nargs="+", metavar="STRATEGY", help="one or more")
    sweep.add_argument(
        "--vary",
        action="append",
        default=[],
        metavar="NAME=VALUE|VALUE",
        help="an option of the rules, or STRATEGY.PARAMETER, and its values, in quotes; repeat for a grid",
    )
    sweep.add_argument(
        "--grid",
        metavar="FILE",
        help="a CSV or Parquet file instead of --vary: a column for each such name, and a row for each point to play",
    )
    sweep.add_argument(
        "--target",
        metavar="MEASURE=VALUE",
        help="find where, between the values of one --vary, a measure such as mean_score is this",
    )
    add_deals(sweep)
    sweep.add_argument("--seats", type=whole, metavar="N", help="seats at the table (default: the game's fewest)")
    sweep.add_argument(
        "--against",
        action="append",
        default=[],
        metavar="STRATEGY",
        help="an opponent whom all strategies meet, instead of each other; repeat for more seats",
    )
    add_rules(sweep)
    add_workers(sweep)
    add_output(sweep)

    # --- rank ---
    rank = verb(
        "rank",
        run_rank,
        "in which order are many strategies, and what is sure of it?",
        "Rank strategies on the same deals: means, intervals and ranks that hold for all at once, ratings, who beats "
        "whom, and cycles. With --race, find the best on a budget of deals by dropping early what surely is not.",
    )
    add_game(rank)
    rank.add_argument("strategies", nargs="*", metavar="STRATEGY", help="two or more (default: all built-in ones)")
    add_deals(rank)
    rank.add_argument("--seats", type=whole, metavar="N", help="seats at the table (default: the fewest that fit)")
    rank.add_argument(
        "--tournament",
        default="auto",
        metavar="NAME",
        help="who meets whom: solo, round-robin, one-against-all, tables or auto (default)",
    )
    rank.add_argument(
        "--lineups", type=whole, metavar="N", help="the most line-ups of tables (default 60, or one a strategy)"
    )
    rank.add_argument("--by", default="score", metavar="MEASURE", help="score (default) or win")
    rank.add_argument("--margin", type=real, metavar="X", help="difference that does not matter to you")
    rank.add_argument("--race", action="store_true", help="only find the best, dropping the others early")
    rank.add_argument("--budget", type=whole, metavar="N", help="the most deals of a race (default: --deals)")
    add_rules(rank)
    add_work(rank)
    add_output(rank)

    # --- tune ---
    tune = verb(
        "tune",
        run_tune,
        "which parameters make a strategy best?",
        "Search the parameters of a strategy on common deals, race the best settings on fresh deals, and measure the "
        "winner against the parameters it was given on deals that no setting was chosen by.",
    )
    add_game(tune)
    tune.add_argument("strategy", metavar="STRATEGY", help="who is tuned; the search begins at its parameters")
    tune.add_argument("--budget", type=whole, default=200, metavar="N", help="settings that are tried (default 200)")
    tune.add_argument(
        "--initial",
        metavar="FILE",
        help="settings to try first: a CSV or Parquet file with a column for each parameter, such as what an earlier "
        "tune wrote with --format csv --out FILE",
    )
    tune.add_argument("--deals", type=whole, default=10_000, metavar="N", help="deals of the search (default 10k)")
    tune.add_argument(
        "--fresh-deals", type=whole, metavar="N", help="deals of the last measurement (default: 16 times --deals)"
    )
    tune.add_argument("--seed", type=whole, default=1, metavar="S", help="seed of all chance (default 1)")
    tune.add_argument(
        "--against", action="append", metavar="STRATEGY", help="an opponent at the table; repeat for more seats"
    )
    tune.add_argument("--margin", type=real, metavar="POINTS", help="difference that does not matter to you")
    add_rules(tune)
    add_workers(tune)
    add_output(tune)

    replay = verb("replay", run_replay, "tell one game, move by move")
    add_game(replay)
    add_lineup(replay)
    replay.add_argument("--seed", type=whole, default=1, metavar="S", help="seed of all chance (default 1)")
    replay.add_argument("--deal", type=whole, default=0, metavar="K", help="which deal (default 0)")
    replay.add_argument("--rotation", type=whole, default=0, metavar="R", help="which turn of the line-up (default 0)")
    add_rules(replay)
    replay.add_argument("--json", action="store_true", help="the same as --format json")
    add_output(replay, formats=("table", "json"))

    check = verb(
        "check",
        run_check,
        "does a strategy keep the contract?",
        "Try a strategy in a process of its own: legal moves, no hidden state, exceptions, time.",
    )
    check.add_argument("target", metavar="TARGET", help="a strategy, or a file: all that it declares for the game")
    check.add_argument("--game", default="criss-cross", metavar="GAME", help="which game (default criss-cross)")
    check.add_argument("--seconds", type=real, default=30.0, metavar="T", help="time limit (default 30)")
    add_output(check, formats=("table", "json"))

    bench = verb("bench", run_bench, "how fast is it here?")
    bench.add_argument(
        "--seconds", type=real, default=1.0, metavar="T", help="time for each figure in games/s (default 1)"
    )
    bench.add_argument("--full", action="store_true", help="also what takes long: a start with an empty cache, memory")
    add_output(bench)
    return parser


def add_game(parser: Parser) -> None:
    """Add the game."""
    parser.add_argument("game", metavar="GAME", help="such as criss-cross")


def add_lineup(parser: Parser) -> None:
    """Add a line-up."""
    parser.add_argument(
        "lineup",
        nargs="+",
        metavar="STRATEGY",
        help="one for each seat: NAME, NAME:parameter=value, FILE.py:NAME, noisy(STRATEGY,RATE), "
        "restrict(STRATEGY,never=NAME) or rollout(STRATEGY,N)",
    )


def add_deals(parser: Parser) -> None:
    """Add which deals."""
    parser.add_argument("--deals", type=whole, default=100_000, metavar="N", help="number of deals (default 100k)")
    parser.add_argument("--seed", type=whole, default=1, metavar="S", help="seed of all chance (default 1)")


def add_rules(parser: Parser) -> None:
    """Add which rules."""
    parser.add_argument("--variant", default="basic", metavar="NAME", help="named rules (default basic)")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="OPTION=VALUE",
        dest="settings",
        help="change a rule; repeat for more (see crosslab games GAME)",
    )


def add_workers(parser: Parser) -> None:
    """Add who does the work; nothing here changes a result."""
    parser.add_argument("--jobs", type=whole, default=-1, metavar="N", help="workers (default: one a processor)")
    parser.add_argument("--backend", default="threads", metavar="NAME", help="threads (default) or loky (processes)")


def add_work(parser: Parser) -> None:
    """Add how the work is done; nothing here changes a result."""
    add_workers(parser)
    parser.add_argument("--store", metavar="DIR", help="keep every game in this folder; resumes what was stopped")


def add_output(parser: Parser, formats: tuple[str, ...] = ("table", "json", "csv")) -> None:
    """Add how and where the answer is written."""
    parser.add_argument("--format", choices=formats, default="table", help=f"{', '.join(formats)} (default table)")
    parser.add_argument("--out", metavar="FILE", help="write the answer to this file")


# --- Writing ---------------------------------------------------------------------------------------------------------


def check_target(arguments: argparse.Namespace) -> None:
    """Refuse an --out that cannot be written, before any work is done for it."""
    if arguments.out is None:
        return
    folder = os.path.dirname(arguments.out) or "."
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write {arguments.out}: {error.strerror or error}") from error
    if os.path.isdir(arguments.out) or not os.access(folder, os.W_OK):
        raise UsageError(f"cannot write {arguments.out}: it is a folder, or its folder cannot be written to")


def emit(arguments: argparse.Namespace, text: str) -> None:
    """Write the answer to where it was asked for."""
    text = text.rstrip("\n") + "\n"
    if arguments.out is None:
        sys.stdout.write(text)
        return
    try:
        with open(arguments.out, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"cannot write {arguments.out}: {error.strerror or error}") from error


def to_json(value: Any) -> str:
    """Return JSON that any reader takes: what is not a number is null."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)


def to_table(rows: Sequence[Sequence[str]], headers: Sequence[str], widths: Sequence[int | None] | None = None) -> str:
    """Return rows as aligned text; columns with a width are wrapped to it."""
    import tabulate

    tabulate.MIN_PADDING = 0  # its two spare columns before every number are needed for names
    numbers = [bool(rows) and all(_is_number(row[place]) for row in rows) for place in range(len(headers))]
    return tabulate.tabulate(
        rows,
        headers,
        tablefmt="simple",
        disable_numparse=True,
        colalign=["right" if number else "left" for number in numbers] if rows else None,
        maxcolwidths=list(widths) if widths else None,
    )


def _is_number(text: str) -> bool:
    return text[:1].isdigit() or text[:1] in "-–"


def to_csv(frame: "pl.DataFrame") -> str:
    """Return a frame as CSV."""
    return frame.write_csv()


def answer(
    arguments: argparse.Namespace,
    found: Any,
    *,
    frame: "Callable[[], pl.DataFrame] | None" = None,
    text: Callable[[], str] | None = None,
) -> int:
    """Write what a verb found in the format that was asked for, and say how fast it was.

    `frame` and `text` give the CSV and the text of results that have others than `summary()` and `text()`.
    """
    if arguments.format == "json":
        emit(arguments, to_json(found.to_dict()))
    elif arguments.format == "csv":
        emit(arguments, to_csv((frame or found.summary)()))
    else:
        emit(arguments, (text or found.text)())
        say(_speed(found.games, found.seconds))
    return 0


def say(text: str) -> None:
    """Tell the user something that is not part of the answer."""
    print(text, file=sys.stderr)


def rules_of(arguments: argparse.Namespace) -> Any:
    """Return the rules that --variant and --set ask for."""
    from sims.game import find_game

    return find_game(arguments.game).variant(arguments.variant).replace_text(arguments.settings)


# --- The verbs -------------------------------------------------------------------------------------------------------


def show_games(arguments: argparse.Namespace) -> int:
    """`crosslab games`."""
    from crosslab.facts import game_facts, game_text
    from sims.game import find_game, game_names

    if arguments.game:
        facts = game_facts(find_game(arguments.game))
        if arguments.format == "csv":
            import polars as pl

            emit(
                arguments,
                to_csv(pl.DataFrame([{**option, "default": str(option["default"])} for option in facts["options"]])),
            )
        else:
            emit(arguments, to_json(facts) if arguments.format == "json" else game_text(facts))
        return 0
    listed = [game_facts(find_game(name)) for name in game_names()]
    if arguments.format == "json":
        emit(arguments, to_json(listed))
        return 0
    headers = ("game", "seats", "variants", "summary")
    rows = [
        (facts["name"], f"{facts['seats'][0]}-{facts['seats'][1]}", ", ".join(facts["variants"]), facts["summary"])
        for facts in listed
    ]
    if arguments.format == "csv":
        import polars as pl

        emit(arguments, to_csv(pl.DataFrame(rows, schema=headers, orient="row")))
    else:
        emit(arguments, to_table(rows, headers, (16, 6, 18, 34)))
    return 0


def show_strategies(arguments: argparse.Namespace) -> int:
    """`crosslab strategies`."""
    from crosslab.verbs import strategies
    from strategies.api import number
    from strategies.specs import WRAPPERS

    listed = strategies(arguments.game, file=arguments.file, tag=arguments.tag)
    if arguments.format == "json":
        emit(arguments, to_json(listed))
        return 0
    headers = ("strategy", "what it does", "parameters", "tags")
    rows = [
        (
            item["name"],
            item["doc"].splitlines()[0] if item["doc"] else "",
            ", ".join(f"{parameter['name']}={number(parameter['default'])}" for parameter in item["parameters"]),
            ", ".join(item["tags"]),
        )
        for item in listed
    ]
    if arguments.format == "csv":
        import polars as pl

        emit(arguments, to_csv(pl.DataFrame(rows, schema=headers, orient="row")))
        return 0
    forms = "\n".join(f"  {form}" for _, form in WRAPPERS.values())
    note = f"\n\nwrap any of them:\n{forms}" if arguments.file is None else ""
    emit(arguments, to_table(rows, headers, (16, 30, 14, 12)) + note if rows else "no strategies")
    return 0


def run_simulate(arguments: argparse.Namespace) -> int:
    """`crosslab simulate`."""
    from analysis.simulation import simulate

    results = simulate(
        arguments.game,
        arguments.lineup,
        deals=arguments.deals,
        seed=arguments.seed,
        first_deal=arguments.first_deal,
        variant=rules_of(arguments),
        rotate=not arguments.no_rotate,
        n_jobs=arguments.jobs,
        backend=arguments.backend,
        store=arguments.store,
        rows=False,
    )
    return answer(arguments, results, text=lambda: _simulation_table(results))


def _simulation_table(results: Any) -> str:
    several = len(results.design.lineups[0]) > 1
    headers = ["strategy", "games", "mean", "± 95%", "sd", "q05", "median", "q95", *(["win"] if several else [])]
    rows = [
        (
            row["strategy"],
            f"{row['games']:,}",
            f"{row['mean']:.3f}",
            f"{(row['high'] - row['low']) / 2:.3f}" if row["low"] == row["low"] else "-",
            f"{row['sd']:.2f}" if row["sd"] == row["sd"] else "-",
            f"{row['q05']:.0f}",
            f"{row['median']:.0f}",
            f"{row['q95']:.0f}",
            *([f"{row['win']:.1%}"] if several else []),
        )
        for row in results.summary().iter_rows(named=True)
    ]
    columns = zip(headers, *rows, strict=True)
    others = sum(2 + max(len(text) for text in column) for column in list(columns)[1:])
    return to_table(rows, headers, (max(WIDTH - others, 8), *[None] * (len(headers) - 1)))


def _speed(games: int, seconds: float) -> str:
    if not games:
        return f"all games were in the store; read in {seconds:.2f} s"
    return f"{games:,} games in {seconds:.2f} s ({games / seconds:,.0f} games/s)"


def run_compare_until_decided(arguments: argparse.Namespace) -> int:
    """`crosslab compare --until-decided` and `--sprt`."""
    from analysis.early import compare_until_decided

    for option in ("store", "report"):
        if getattr(arguments, option):
            raise UsageError(f"--{option} is for comparisons of a fixed number of deals: leave out --until-decided")
    comparison = compare_until_decided(
        arguments.game,
        arguments.a,
        arguments.b,
        most_deals=arguments.deals,
        test=arguments.sprt,
        seed=arguments.seed,
        measure=arguments.by,
        seats=arguments.seats,
        opponents=arguments.against,
        margin=arguments.margin,
        variant=rules_of(arguments),
        n_jobs=arguments.jobs,
        backend=arguments.backend,
    )
    return answer(arguments, comparison)


def run_compare(arguments: argparse.Namespace) -> int:
    """`crosslab compare`."""
    if arguments.until_decided or arguments.sprt:
        return run_compare_until_decided(arguments)
    from analysis.matches import compare

    if arguments.report:
        from reports.comparison import prepare

        prepare(arguments.report)  # before the games are played

    comparison = compare(
        arguments.game,
        arguments.a,
        arguments.b,
        deals=arguments.deals,
        seed=arguments.seed,
        measure=arguments.by,
        seats=arguments.seats,
        opponents=arguments.against,
        margin=arguments.margin,
        variant=rules_of(arguments),
        n_jobs=arguments.jobs,
        backend=arguments.backend,
        store=arguments.store,
    )
    answer(arguments, comparison)
    if arguments.report:
        from reports.comparison import write_comparison

        page = write_comparison(comparison, arguments.report, command=command_line())
        say(f"report: {page}")
    return 0


def run_distribution(arguments: argparse.Namespace) -> int:
    """`crosslab distribution`."""
    from analysis.scores import QUANTILES, distribution

    found = distribution(
        arguments.game,
        arguments.lineup,
        deals=arguments.deals,
        seed=arguments.seed,
        variant=rules_of(arguments),
        n_jobs=arguments.jobs,
        backend=arguments.backend,
        store=arguments.store,
        tails=arguments.tails,
        quantiles=arguments.quantiles or QUANTILES,
    )
    return answer(arguments, found, frame=found.statistics)


def run_balance(arguments: argparse.Namespace) -> int:
    """`crosslab balance`."""
    from analysis.balance import balance

    found = balance(
        arguments.game,
        arguments.lineup,
        deals=arguments.deals,
        seed=arguments.seed,
        variant=rules_of(arguments),
        margin=arguments.margin,
        sample=arguments.sample,
        ladder_deals=arguments.ladder_deals,
        records=arguments.records,
        n_jobs=arguments.jobs,
        backend=arguments.backend,
        store=arguments.store,
    )
    answer(arguments, found)
    if arguments.records:
        say(f"records: {arguments.records}")
    return 0


def run_sweep(arguments: argparse.Namespace) -> int:
    """`crosslab sweep`."""
    from analysis.frames import load_frame
    from analysis.grids import read_grid
    from analysis.sweeps import sweep
    from analysis.targets import find_target, read_target

    if arguments.grid and arguments.vary:
        raise UsageError("--grid and --vary both say what is varied: give one of them")
    grid = load_frame(arguments.grid) if arguments.grid else read_grid(arguments.game, arguments.vary)
    common: dict[str, Any] = {
        "deals": arguments.deals,
        "seed": arguments.seed,
        "seats": arguments.seats,
        "opponents": arguments.against,
        "variant": rules_of(arguments),
        "n_jobs": arguments.jobs,
        "backend": arguments.backend,
    }
    found: Any
    if arguments.target:
        measure, value = read_target(arguments.target)
        found = find_target(arguments.game, arguments.strategies, grid, target=measure, value=value, **common)
    else:
        found = sweep(arguments.game, arguments.strategies, grid, **common)
    return answer(arguments, found)


def run_rank(arguments: argparse.Namespace) -> int:
    """`crosslab rank`."""
    common: dict[str, Any] = {
        "seed": arguments.seed,
        "seats": arguments.seats,
        "format": arguments.tournament,
        "lineups": arguments.lineups,
        "measure": arguments.by,
        "margin": arguments.margin,
        "variant": rules_of(arguments),
        "n_jobs": arguments.jobs,
        "backend": arguments.backend,
    }
    found: Any
    if arguments.race:
        from analysis.races import race

        if arguments.store:
            raise UsageError("a race keeps no games: leave out --store, or --race")
        budget = arguments.deals if arguments.budget is None else arguments.budget
        found = race(arguments.game, arguments.strategies or None, budget=budget, **common)
    else:
        from analysis.rankings import rank

        if arguments.budget is not None:
            raise UsageError("--budget is the most deals of a race: add --race, or use --deals")
        found = rank(
            arguments.game, arguments.strategies or None, deals=arguments.deals, store=arguments.store, **common
        )
    return answer(arguments, found)


def run_tune(arguments: argparse.Namespace) -> int:
    """`crosslab tune`."""
    from analysis.frames import load_frame
    from analysis.tuning import tune

    found = tune(
        arguments.game,
        arguments.strategy,
        deals=arguments.deals,
        budget=arguments.budget,
        initial=load_frame(arguments.initial) if arguments.initial else None,
        seed=arguments.seed,
        against=arguments.against,
        fresh_deals=arguments.fresh_deals,
        margin=arguments.margin,
        variant=rules_of(arguments),
        n_jobs=arguments.jobs,
        backend=arguments.backend,
    )
    return answer(arguments, found, frame=found.trial_table)


def run_replay(arguments: argparse.Namespace) -> int:
    """`crosslab replay`."""
    from crosslab.verbs import replay
    from sims.game import find_game
    from sims.trace import narrate

    rules = rules_of(arguments)
    trace = replay(
        arguments.game,
        arguments.lineup,
        seed=arguments.seed,
        deal=arguments.deal,
        rotation=arguments.rotation,
        variant=rules,
    )
    as_json = arguments.json or arguments.format == "json"
    emit(arguments, json.dumps(trace) if as_json else narrate(find_game(arguments.game), rules, trace))
    return 0


def run_check(arguments: argparse.Namespace) -> int:
    """`crosslab check`: exit code 1 when a strategy breaks the contract."""
    from strategies.contract import check

    reports = check(arguments.game, arguments.target, seconds=arguments.seconds)
    if arguments.format == "json":
        emit(arguments, to_json([report.to_dict() for report in reports]))
    else:
        emit(arguments, "\n\n".join(report.text() for report in reports))
    return 0 if all(report.passed for report in reports) else 1


def run_bench(arguments: argparse.Namespace) -> int:
    """`crosslab bench`."""
    from analysis.speed import measure, speed_text

    frame = measure(seconds=arguments.seconds, full=arguments.full)
    if arguments.format == "json":
        emit(arguments, to_json(frame.to_dicts()))
    else:
        emit(arguments, to_csv(frame) if arguments.format == "csv" else speed_text(frame))
    return 0


# --- Entry -----------------------------------------------------------------------------------------------------------


def command_line() -> str:
    """Return the command as the user could type it again."""
    return shlex.join(["crosslab", *sys.argv[1:]])


def _announce_compiling() -> None:
    """Say once that something is being compiled: the only thing that a new user has to wait for."""
    said: list[str] = []

    def tell(name: str) -> None:
        if not said and name.startswith(("sims.", "strategies.")):
            said.append(name)
            say("crosslab: compiling for this machine (once; kept for later runs) …")

    from sims.jit import on_compile

    on_compile(tell)


def _tell_strategy_error(error: StrategyError) -> None:
    for heading, text in (("position", error.position), ("the strategy in plain Python", error.trace)):
        if text:
            say(f"{heading}:\n" + "\n".join(f"  {line}" for line in text.splitlines()))
    if error.replay:
        say(f"replay: {error.replay}")


@contextlib.contextmanager
def stopping_for_certain(arguments: argparse.Namespace) -> Iterator[None]:
    """End the process when Ctrl-C is not heard: compiled code that does not come back cannot be interrupted otherwise.

    Python handles a signal between two of its own steps only. The number of the signal arrives at a socket at once, and
    a thread that waits there gives the command a moment to stop by itself.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    stopped = threading.Event()
    receiver, sender = socket.socketpair()
    sender.setblocking(False)

    def watch() -> None:
        with receiver:
            while numbers := receiver.recv(64):
                if signal.SIGINT in numbers and not stopped.wait(STOP_SECONDS):
                    say("\ncrosslab: stopped while a strategy did not come back; `crosslab check` finds out where")
                    if getattr(arguments, "store", None):
                        say(f"complete chunks are kept in {arguments.store}; go on with: {command_line()}")
                    os._exit(EXIT_INTERRUPTED)

    before = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        stopped.set()
        signal.set_wakeup_fd(before)
        sender.close()  # ends the watcher
        watcher.join()


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a sign gets a "?", not an error
            stream.reconfigure(errors="replace")
    parser = build_parser()
    arguments = parser.parse_args(words)
    if arguments.version:
        from importlib.metadata import version

        print(f"crosslab {version('crosslab')}")
        return 0
    if arguments.verb is None:
        parser.print_help()
        return 0
    try:
        _announce_compiling()
        check_target(arguments)
        with stopping_for_certain(arguments):
            return int(arguments.run(arguments))
    except CrosslabError as error:
        say(f"crosslab: error: {error}")
        if isinstance(error, StrategyError):
            _tell_strategy_error(error)
        return EXIT_ERROR
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt as stopped:
        complete, chunks = getattr(stopped, "complete", 0), getattr(stopped, "chunks", 0)
        say(f"\ncrosslab: stopped with {complete} of {chunks} chunks complete" if chunks else "\ncrosslab: stopped")
        if chunks and getattr(arguments, "store", None):
            say(f"they are kept in {arguments.store}; go on with: {command_line()}")
        elif chunks:
            say("nothing is kept without --store")
        return EXIT_INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
