"""Balance reports: the verb, and what it returns."""

import dataclasses
import json
import shlex
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from analysis.grids import value_text
from analysis.seats import MARGIN
from analysis.tables import WIDTH
from reports.balance.claims import claims
from reports.balance.evidence import Evidence, Request, gather, make_request
from reports.balance.sections import reproduction, sections
from reports.document import Claim, Document, prepare_document, write_document
from reports.figures import printable
from sims.design import versions
from sims.game import Game, Rules
from strategies.api import Strategy

DEFAULT_FOLDER = "out/report"
CLAIM_COLUMNS = ("question", "answer", "sentence", "outcome", "section", "effect", "interval", "games")


@dataclass(frozen=True, eq=False)
class BalanceReport:
    """A balance report.

    Attributes
    ----------
    document
        The report as a value: claims, sections, manifest.
    evidence
        What it was made of; None for a comparison of two designs.
    page
        The page that was written; None without a folder.
    """

    document: Document
    evidence: Evidence | None = None
    page: Path | None = None

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The answers."""
        return self.document.claims

    def text(self) -> str:
        """Return the verdict as text, at most 80 columns wide."""
        return verdict_text(self.document)

    def summary(self) -> pl.DataFrame:
        """Return one row a claim, all of it as it is printed."""
        names = (*CLAIM_COLUMNS, "smallest_detectable")
        return pl.DataFrame(
            [{name: getattr(claim, name) for name in names} for claim in self.claims],
            schema=dict.fromkeys(names, pl.String),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the claims and the design as JSON values."""
        return {"title": self.document.title, "claims": self.summary().to_dicts(), **self.document.manifest}

    def write(self, folder: Path | str, *, pdf: bool = False) -> Path:
        """Write the report into a folder; see `reports.document.write_document`."""
        return write_document(self.document, folder, pdf=pdf)


def balance_report(
    game: str | Game,
    strategies: "str | Strategy | Sequence[str | Strategy] | None" = None,
    *,
    deals: int | None = None,
    effort: str | None = None,
    variant: "str | Rules | None" = None,
    seats: int | None = None,
    seed: int = 1,
    margin: float = MARGIN,
    n_jobs: int = -1,
    backend: str = "threads",
    out: Path | str | None = None,
    pdf: bool = False,
    progress: bool = True,
) -> BalanceReport:
    """Report on the balance of a game: fair seats, dominant strategies, luck and skill, length, and what rules change.

    Parameters
    ----------
    game
        The game's name.
    strategies
        Who plays; the games of the first one are looked at most closely. By default a handful that its file names.
    deals, effort
        How much is played, one of the two: `deals` for the seats of each strategy, and the other parts in proportion;
        or "quick" (the default), "standard" (five times as much) or "thorough" (twenty-five times).
    variant
        The name of a variant, or a rules object.
    seats
        Seats at the table; by default the fewest from two on that the rules allow.
    seed
        Which deals.
    margin
        The difference from a fair share of wins that does not matter, from 0 to 1.
    n_jobs, backend, progress
        See `simulate`; none of them changes the result.
    out
        A folder to write the page, its tables and figures to.
    pdf
        Whether to print the page, too.

    Returns
    -------
    BalanceReport

    Raises
    ------
    UsageError, StrategyError, StoreError
        As they say; for the folder and the PDF before anything is played.
    """
    request = make_request(
        game, strategies, deals=deals, effort=effort, variant=variant, seats=seats, seed=seed, margin=margin
    )
    if out is not None:
        prepare_document(out, pdf=pdf)
    evidence = uninterrupted(gather, request, n_jobs=n_jobs, backend=backend, progress=progress)
    document = make_document(evidence, folder=out)
    page = None if out is None else write_document(document, out, pdf=pdf)
    return BalanceReport(document, evidence, page)


def uninterrupted(play: Any, *arguments: Any, **work: Any) -> Any:
    """Call what plays; when the user stops it, say so without the chunks of a part of it, which nobody keeps."""
    try:
        return play(*arguments, **work)
    except KeyboardInterrupt:
        raise KeyboardInterrupt from None


def make_document(evidence: Evidence, *, folder: Path | str | None = None, made: datetime | None = None) -> Document:
    """Return the report of evidence as a value.

    Parameters
    ----------
    evidence
        What was found.
    folder
        Where it will be written, for the command.
    made
        When it was made; now by default.
    """
    request = evidence.request
    manifest = manifest_of(request)
    facts = [("Seed", str(request.seed)), ("Rules version", request.game.rules_version)]
    facts += [(name, version) for name, version in versions().items()]
    shown = json.dumps(manifest["design"], indent=2, ensure_ascii=False)
    how = reproduction(command_of(request, folder), python_of(request), facts, shown)
    seats = "1 seat" if request.seats == 1 else f"{request.seats} seats"
    rules = request.variant or ", ".join(f"{name}={value_text(value)}" for name, value in request.settings.items())
    return Document(
        title=f"Balance report: {request.game.title}",
        game=request.game.title,
        subtitle=f"{rules} rules, {seats}, {', '.join(printable(spec) for spec in request.specs)}",
        claims=claims(evidence),
        sections=sections(evidence, how),
        manifest=manifest,
        made=made or datetime.now(UTC).replace(microsecond=0),
    )


def manifest_of(request: Request) -> dict[str, Any]:
    """Return what a report is made from, as JSON values."""
    return {
        "kind": "balance report",
        "design": design_of(request),
        "margin": request.margin,
        "rules_version": request.game.rules_version,
        "rules": request.rules.to_dict(),
        "budget": dataclasses.asdict(request.budget),
        "digests": {strategy.spec: strategy.digest for strategy in request.strategies},
        "versions": versions(),
    }


def design_of(request: Request) -> dict[str, Any]:
    """Return what was asked for, as `reports.balance.designs` reads it."""
    asked, _, amount = request.asked.partition("=")
    return {
        "game": request.game.name,
        "variant": request.variant,
        "settings": {} if request.variant is not None else request.settings,
        "strategies": list(request.specs),
        "seats": request.seats,
        "seed": request.seed,
        asked: int(amount) if asked == "deals" else amount,
    }


def command_of(request: Request, folder: Path | str | None) -> str:
    """Return the command that makes the report."""
    asked, _, amount = request.asked.partition("=")
    words = ["crosslab", "report", request.game.name, "--strategies", *request.specs, f"--{asked}", amount]
    if request.variant is None:
        for name, value in request.settings.items():
            words += ["--set", f"{name}={value_text(value)}"]
    elif request.variant != "basic":
        words += ["--variant", request.variant]
    words += ["--seats", str(request.seats), "--seed", str(request.seed)]
    if request.margin != MARGIN:
        words += ["--margin", f"{request.margin:.10g}"]
    return shlex.join([*words, "--out", str(folder or DEFAULT_FOLDER)])


def python_of(request: Request) -> str:
    """Return the call that makes the report."""
    asked, _, amount = request.asked.partition("=")
    arguments = [
        json.dumps(request.game.name),
        json.dumps(list(request.specs), ensure_ascii=False),
        f"{asked}={amount if asked == 'deals' else json.dumps(amount)}",
        f"seats={request.seats}",
        f"seed={request.seed}",
    ]
    names = ["balance_report"]
    if request.variant is None:
        names.append("find_game")
        changes = ", ".join(
            f"{name}={json.dumps(value) if isinstance(value, str) else value}"
            for name, value in request.settings.items()
        )
        arguments.append(f"variant=find_game({json.dumps(request.game.name)}).rules().replace({changes})")
    elif request.variant != "basic":
        arguments.append(f"variant={json.dumps(request.variant)}")
    if request.margin != MARGIN:
        arguments.append(f"margin={request.margin!r}")
    lines = "".join(f"    {argument},\n" for argument in arguments)
    return f"from crosslab import {', '.join(names)}\n\nreport = balance_report(\n{lines})\nprint(report.text())"


def verdict_text(document: Document) -> str:
    """Return the claims of a report as text, at most 80 columns wide."""
    parts = [textwrap.fill(f"{document.title} ({document.subtitle})", WIDTH)]
    for claim in document.claims:
        lines = [claim.question, _filled(claim.answer.rstrip(".") + ".", "  "), _filled(claim.sentence, "  ")]
        lines += [_filled(f"{label.lower()}: {value}", "  ", "    ") for label, value in claim.facts()]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _filled(text: str, first: str, rest: str | None = None) -> str:
    joined = textwrap.fill(
        text.replace("`", ""),
        WIDTH,
        initial_indent=first,
        subsequent_indent=first if rest is None else rest,
        break_on_hyphens=False,
    )
    return joined.replace("\N{NO-BREAK SPACE}", " ")
