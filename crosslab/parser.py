"""The words of the command line: every verb, its arguments and what they mean.

Only the standard library is imported here, so that help comes at once.
"""

import argparse
from collections.abc import Callable
from typing import Any, NoReturn

from crosslab import commands

EXIT_ERROR = 2
FACTORS = {"k": 1_000, "M": 1_000_000, "G": 1_000_000_000}

EXAMPLES = """\
examples:
  crosslab games criss-cross
  crosslab strategies criss-cross
  crosslab simulate criss-cross greedy --deals 1M
  crosslab compare criss-cross greedy uniform --deals 100k
  crosslab compare criss-cross my_ideas.py:spiral greedy --report out/spiral
  crosslab report criss-cross --out out/criss-cross
  crosslab solve cross-off
  crosslab replay criss-cross greedy --seed 7 --deal 123
  crosslab check my_ideas.py:spiral
"""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    _mixing = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Take options and other words in any order."""
        if self._subparsers is not None or self._mixing:
            return super().parse_known_args(args, namespace)
        self._mixing = True  # it comes back here for each of the two
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._mixing = False

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


def names(text: str) -> list[str]:
    """Read names separated by commas."""
    found = [name.strip() for name in text.split(",") if name.strip()]
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} has no names; write NAME,NAME")
    return found


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

    games = verb("games", commands.show_games, "list the games, or the facts and options of one")
    games.add_argument("game", nargs="?", metavar="GAME", help="tell all about this game")
    add_output(games)

    listed = verb("strategies", commands.show_strategies, "list the strategies of a game")
    add_game(listed)
    listed.add_argument("--file", metavar="FILE", help="those of a file of your own")
    listed.add_argument("--tag", metavar="TAG", help="only those with this tag")
    add_output(listed)

    simulate = verb(
        "simulate",
        commands.run_simulate,
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
        commands.run_compare,
        "which of two strategies is better, and by how much?",
        "Compare two strategies on the same deals. The verdict on A: better, worse, equivalent (inside the margin) or "
        "undecided.",
    )
    add_game(compare)
    compare.add_argument("a", metavar="A", help="a strategy")
    compare.add_argument("b", metavar="B", help="another")
    add_deals(compare)
    add_table(compare, "A and B both")
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
        commands.run_distribution,
        "how are the scores of a line-up distributed?",
        "Play a line-up on many deals and tell how each strategy's scores spread: quantiles, named bands, tails and "
        "the whole distribution, each with a 95 % interval over deals. With --of, any other column of the outcomes.",
    )
    add_game(distribution)
    add_lineup(distribution)
    add_deals(distribution)
    distribution.add_argument(
        "--of",
        default="score",
        metavar="COLUMN",
        dest="column",
        help="a column of the outcomes instead of the score, such as turns (see crosslab games GAME)",
    )
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
        commands.run_balance,
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

    # --- elements ---
    elements = verb(
        "elements",
        commands.run_elements,
        "what is a game made of, what does each part earn, and do its users win?",
        "Symbols, lines, tracks, stones, cards, the cells of a board: how often each is used, what it earns, and "
        "whether those who use it more than the others at the table win more. Each strategy plays against itself, all "
        "on the same deals.",
    )
    add_game(elements)
    elements.add_argument("strategies", nargs="+", metavar="STRATEGY", help="one or more")
    add_deals(elements, 1_000)
    add_table(elements, "all strategies", "from two on, the fewest that the rules allow", "themselves")
    elements.add_argument(
        "--kind",
        action="append",
        metavar="NAME",
        dest="kinds",
        help="tell only this kind of elements, such as line or cell; repeat for more",
    )
    add_rules(elements)
    add_workers(elements)
    add_output(elements)

    # --- report ---
    report = verb(
        "report",
        commands.run_report,
        "all about the balance of a game, as a page that an editor understands",
        "Write a page with tables and figures: are the seats fair, is there a dominant strategy, is it luck or skill, "
        "does it last too long, which rule matters most. With --compare, set two designs side by side on the same "
        "deals.",
    )
    report.add_argument("game", nargs="?", metavar="GAME", help="such as criss-cross (see crosslab games)")
    report.add_argument(
        "--compare",
        nargs=2,
        metavar=("A.json", "B.json"),
        help="two designs in place of GAME: manifest.json of a report, or files with game, variant, settings",
    )
    report.add_argument(
        "--strategies",
        nargs="+",
        metavar="STRATEGY",
        help="who plays, the first looked at most closely (default: a handful)",
    )
    report.add_argument(
        "--effort", metavar="NAME", help="quick (default), standard (five times) or thorough (25 times)"
    )
    report.add_argument(
        "--deals", type=whole, metavar="N", help="instead: deals for the seats, and other parts in proportion"
    )
    report.add_argument("--seats", type=whole, metavar="N", help="seats at the table (default: the fewest from two on)")
    report.add_argument("--seed", type=whole, metavar="S", help="seed of all chance (default 1)")
    report.add_argument(
        "--margin", type=real, metavar="SHARE", help="difference from a fair share of wins that does not matter (0.01)"
    )
    add_rules(report, variant=None)
    add_workers(report)
    report.add_argument("--pdf", action="store_true", help="print the page to report.pdf, too")
    add_format(report)
    report.add_argument("--out", metavar="DIR", required=True, help="the folder of the page, its tables and figures")

    # --- sweep ---
    sweep = verb(
        "sweep",
        commands.run_sweep,
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
        "--show",
        type=names,
        metavar="MEASURE,MEASURE",
        help="tell only these beside the mean score: outcome columns, sd_score, win_seat_0 and so on",
    )
    sweep.add_argument(
        "--target",
        metavar="MEASURE=VALUE",
        help="find the value of the one --vary at which a measure such as mean_score is this",
    )
    add_deals(sweep)
    add_table(sweep, "all strategies")
    add_rules(sweep)
    add_workers(sweep)
    add_output(sweep)

    # --- rank ---
    rank = verb(
        "rank",
        commands.run_rank,
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
        commands.run_tune,
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

    # --- solve ---
    solve = verb(
        "solve",
        commands.run_solve,
        "what is perfect play worth, and how far from it are strategies?",
        "Solve the form of a game for one seat exactly, without sampling, and measure the regret of strategies: the "
        "points that their decisions give away against perfect play. What was solved is kept, like compiled code.",
    )
    add_game(solve)
    solve.add_argument("strategies", nargs="*", metavar="STRATEGY", help="whose regret (default: all built-in ones)")
    solve.add_argument("--deals", type=whole, default=10_000, metavar="N", help="deals of each strategy (default 10k)")
    solve.add_argument("--seed", type=whole, default=1, metavar="S", help="seed of all chance (default 1)")
    solve.add_argument("--only", action="store_true", help="only solve it: play nothing")
    solve.add_argument("--save", metavar="FILE", help="write the solved table to this file too")
    add_rules(solve)
    solve.add_argument("--jobs", type=whole, default=-1, metavar="N", help="workers (default: one a processor)")
    add_output(solve)

    replay = verb("replay", commands.run_replay, "tell one game, move by move")
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
        commands.run_check,
        "does a strategy keep the contract?",
        "Try a strategy in a process of its own: legal moves, no hidden state, exceptions, time.",
    )
    check.add_argument("target", metavar="TARGET", help="a strategy, or a file: all that it declares for the game")
    check.add_argument("--game", default="criss-cross", metavar="GAME", help="which game (default criss-cross)")
    check.add_argument("--seconds", type=real, default=30.0, metavar="T", help="time limit (default 30)")
    add_output(check, formats=("table", "json"))

    bench = verb("bench", commands.run_bench, "how fast is it here?")
    bench.add_argument(
        "game", nargs="?", default="criss-cross", metavar="GAME", help="which game (default criss-cross)"
    )
    bench.add_argument(
        "--seats", type=whole, metavar="N", help="seats at the table (default: the fewest that the rules allow)"
    )
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


def add_deals(parser: Parser, default: int = 100_000) -> None:
    """Add which deals."""
    told = f"number of deals (default {default // 1_000}k)"
    parser.add_argument("--deals", type=whole, default=default, metavar="N", help=told)
    parser.add_argument("--seed", type=whole, default=1, metavar="S", help="seed of all chance (default 1)")


def add_table(
    parser: Parser, who: str, default: str = "the fewest that the rules allow", instead: str = "each other"
) -> None:
    """Add who sits at the table, beside those that are asked about."""
    parser.add_argument("--seats", type=whole, metavar="N", help=f"seats at the table (default: {default})")
    parser.add_argument(
        "--against",
        action="append",
        default=[],
        metavar="STRATEGY",
        help=f"an opponent whom {who} meet, instead of {instead}; repeat for more seats",
    )


def add_rules(parser: Parser, variant: str | None = "basic") -> None:
    """Add which rules."""
    parser.add_argument("--variant", default=variant, metavar="NAME", help="named rules (default basic)")
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


def add_format(parser: Parser, formats: tuple[str, ...] = ("table", "json", "csv")) -> None:
    """Add how the answer is written."""
    parser.add_argument("--format", choices=formats, default="table", help=f"{', '.join(formats)} (default table)")


def add_output(parser: Parser, formats: tuple[str, ...] = ("table", "json", "csv")) -> None:
    """Add how and where the answer is written."""
    add_format(parser, formats)
    parser.add_argument("--out", metavar="FILE", help="write the answer to this file")
