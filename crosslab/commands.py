"""The verbs of the command line: each hands its arguments to the verb of the Python interface, and the answer on.

What a verb needs is imported when it runs, so that help, and every other verb, need not wait for it.
"""

import argparse
import json
from typing import Any

from crosslab.output import WIDTH, answer, command_line, emit, narrow, say, to_csv, to_json, to_table
from sims.errors import UsageError


def rules_of(arguments: argparse.Namespace) -> Any:
    """Return the rules that --variant and --set ask for."""
    from sims.game import find_game

    return find_game(arguments.game).variant(arguments.variant).replace_text(arguments.settings)


def conditions_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return what all verbs take that play many games: the seed, the rules, and who does the work."""
    return {
        "seed": arguments.seed,
        "variant": rules_of(arguments),
        "n_jobs": arguments.jobs,
        "backend": arguments.backend,
    }


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
        first_deal=arguments.first_deal,
        rotate=not arguments.no_rotate,
        store=arguments.store,
        rows=False,
        **conditions_of(arguments),
    )
    return answer(arguments, results, text=lambda: _simulation_table(results))


def _simulation_table(results: Any) -> str:
    won, several = results.design.game.score_is_win, len(results.design.lineups[0]) > 1
    summary = list(results.summary().iter_rows(named=True))
    halves = [(row["high"] - row["low"]) / 2 if row["low"] == row["low"] else None for row in summary]
    shown: list[tuple[str, ...]]
    if won:
        headers = ["strategy", "games", "wins", "± 95%"]
        shown = [
            (f"{row['win']:.2%}", "-" if half is None else f"{half:.2%}")
            for row, half in zip(summary, halves, strict=True)
        ]
    else:
        headers = ["strategy", "games", "mean", "± 95%", "sd", "q05", "median", "q95", *(["win"] if several else [])]
        shown = [
            (
                f"{row['mean']:.3f}",
                "-" if half is None else f"{half:.3f}",
                f"{row['sd']:.2f}" if row["sd"] == row["sd"] else "-",
                f"{row['q05']:.0f}",
                f"{row['median']:.0f}",
                f"{row['q95']:.0f}",
                *([f"{row['win']:.1%}"] if several else []),
            )
            for row, half in zip(summary, halves, strict=True)
        ]
    rows = [(row["strategy"], f"{row['games']:,}", *texts) for row, texts in zip(summary, shown, strict=True)]
    columns = zip(headers, *rows, strict=True)
    others = sum(2 + max(len(text) for text in column) for column in list(columns)[1:])
    table = to_table(rows, headers, (max(WIDTH - others, 8), *[None] * (len(headers) - 1)))
    unwon = results.unwon
    return f"{table}\n\nNobody wins {unwon:.2%} of the games." if unwon else table


def run_compare(arguments: argparse.Namespace) -> int:
    """`crosslab compare`."""
    common: dict[str, Any] = {
        "measure": arguments.by,
        "seats": arguments.seats,
        "opponents": arguments.against,
        "margin": arguments.margin,
        **conditions_of(arguments),
    }
    if arguments.until_decided or arguments.sprt:
        from analysis.early import compare_until_decided

        for option in ("store", "report"):
            if getattr(arguments, option):
                raise UsageError(f"--{option} is for comparisons of a fixed number of deals: leave out --until-decided")
        early = compare_until_decided(
            arguments.game, arguments.a, arguments.b, most_deals=arguments.deals, test=arguments.sprt, **common
        )
        return answer(arguments, early)
    from analysis.matches import compare

    if arguments.report:
        from reports.comparison import FILES
        from reports.publishing import prepare

        prepare(arguments.report, FILES)  # before the games are played

    comparison = compare(
        arguments.game, arguments.a, arguments.b, deals=arguments.deals, store=arguments.store, **common
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
        store=arguments.store,
        tails=arguments.tails,
        quantiles=arguments.quantiles or QUANTILES,
        column=arguments.column,
        **conditions_of(arguments),
    )
    return answer(arguments, found, frame=found.statistics)


def run_balance(arguments: argparse.Namespace) -> int:
    """`crosslab balance`."""
    from analysis.balance import balance

    found = balance(
        arguments.game,
        arguments.lineup,
        deals=arguments.deals,
        margin=arguments.margin,
        sample=arguments.sample,
        ladder_deals=arguments.ladder_deals,
        records=arguments.records,
        store=arguments.store,
        **conditions_of(arguments),
    )
    answer(arguments, found)
    if arguments.records:
        say(f"records: {arguments.records}")
    return 0


def run_elements(arguments: argparse.Namespace) -> int:
    """`crosslab elements`."""
    from analysis.elements import elements

    found = elements(
        arguments.game,
        arguments.strategies,
        deals=arguments.deals,
        seats=arguments.seats,
        opponents=arguments.against,
        kinds=arguments.kinds,
        **conditions_of(arguments),
    )
    return answer(arguments, found, frame=found.table)


def run_report(arguments: argparse.Namespace) -> int:
    """`crosslab report`."""
    from reports.balance import balance_report, compare_designs

    common: dict[str, Any] = {
        "strategies": arguments.strategies,
        "deals": arguments.deals,
        "effort": arguments.effort,
        "seats": arguments.seats,
        "n_jobs": arguments.jobs,
        "backend": arguments.backend,
        "out": arguments.out,
        "pdf": arguments.pdf,
    }
    if arguments.compare:
        given = {
            "GAME": arguments.game,
            "--variant": arguments.variant,
            "--set": arguments.settings,
            "--margin": arguments.margin,
        }
        wrong = next((name for name, value in given.items() if value), None)
        if wrong is not None:
            raise UsageError(f"--compare takes the game and its rules from the two files: leave out {wrong}")
        found = compare_designs(*arguments.compare, seed=arguments.seed, **common)
    else:
        if arguments.game is None:
            raise UsageError("name a game, or give --compare two designs")
        arguments.variant = arguments.variant or "basic"
        if arguments.margin is not None:
            common["margin"] = arguments.margin
        seed = 1 if arguments.seed is None else arguments.seed
        found = balance_report(arguments.game, seed=seed, variant=rules_of(arguments), **common)
    text = {"json": lambda: to_json(found.to_dict()), "csv": lambda: to_csv(found.summary()), "table": found.text}
    print(text[arguments.format]())
    say(f"report: {found.page}")
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
        "seats": arguments.seats,
        "opponents": arguments.against,
        **conditions_of(arguments),
    }
    found: Any
    if arguments.target:
        if arguments.show is not None:
            raise UsageError("--target names the one measure that it tells: leave out --show")
        measure, value = read_target(arguments.target)
        found = find_target(arguments.game, arguments.strategies, grid, target=measure, value=value, **common)
    else:
        found = sweep(arguments.game, arguments.strategies, grid, measures=arguments.show, **common)
    return answer(arguments, found)


def run_rank(arguments: argparse.Namespace) -> int:
    """`crosslab rank`."""
    common: dict[str, Any] = {
        "seats": arguments.seats,
        "format": arguments.tournament,
        "lineups": arguments.lineups,
        "measure": arguments.by,
        "margin": arguments.margin,
        **conditions_of(arguments),
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
        against=arguments.against,
        fresh_deals=arguments.fresh_deals,
        margin=arguments.margin,
        **conditions_of(arguments),
    )
    return answer(arguments, found, frame=found.trial_table)


def run_solve(arguments: argparse.Namespace) -> int:
    """`crosslab solve`."""
    from analysis.regret import solve

    if arguments.only and arguments.strategies:
        raise UsageError("--only plays nothing: leave it out, or the strategies")
    found = solve(
        arguments.game,
        [] if arguments.only else arguments.strategies or None,
        deals=arguments.deals,
        seed=arguments.seed,
        variant=rules_of(arguments),
        n_jobs=arguments.jobs,
    )
    if arguments.save:
        found.save(arguments.save)
    answer(arguments, found, speed=lambda: _solving_speed(found))
    if arguments.save:
        say(f"solved table: {arguments.save}")
    return 0


def _solving_speed(found: Any) -> str:
    solved = f"solved, or read what was, in {found.solving_seconds:.2f} s"
    return f"{solved}; {found.games:,} games played and judged in {found.seconds:.2f} s" if found.games else solved


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
    emit(arguments, json.dumps(trace) if as_json else narrow(narrate(find_game(arguments.game), rules, trace)))
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

    frame = measure(arguments.game, seats=arguments.seats, seconds=arguments.seconds, full=arguments.full)
    if arguments.format == "json":
        emit(arguments, to_json(frame.to_dicts()))
    else:
        emit(arguments, to_csv(frame) if arguments.format == "csv" else speed_text(frame))
    return 0
