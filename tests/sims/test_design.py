"""The design: numbers are checked, rows and outcomes are two forms of one thing."""

import dataclasses
import json
from dataclasses import dataclass

import numpy as np
import pytest

from sims.design import CHUNK, Design
from sims.errors import UsageError
from sims.game import Game, OneOf, Rules, find_game, option
from sims.table import Table
from strategies import find_strategy

GAME = find_game("criss-cross")


def make(*lineups: tuple[str, ...], **more: object) -> Design:
    players = tuple(tuple(find_strategy(GAME.name, spec).player() for spec in lineup) for lineup in lineups)
    numbers: dict[str, object] = {"seed": 1, "deals": 10, **more}
    return Design(GAME, GAME.variant(), players, **numbers)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seed", -1),
        ("seed", 2**64),
        ("seed", 1.0),
        ("seed", "1"),
        ("deals", 0),
        ("deals", True),
        ("first_deal", -1),
        ("deals", None),
    ],
)
def test_numbers_are_checked(name: str, value: object) -> None:
    with pytest.raises(UsageError, match=f"{name}=.* does not fit: it takes a whole number from"):
        make(("uniform",), **{name: value})


def test_largest_seed_plays() -> None:
    outcomes = make(("uniform",), seed=2**64 - 1).tables()[0][0].log(2**64 - 1, 0, 2)[0]
    assert outcomes[:, 0, 0].min() >= 0


def test_rules_say_which_line_ups_there_are_and_how_they_are_turned(partners: Game) -> None:
    uniform = find_strategy(GAME.name, "uniform").player()
    alone, together = (
        Design(partners, partners.variant(name), ((uniform,) * 4,), seed=1, deals=5) for name in ("basic", "advanced")
    )
    assert alone.seatings(0) == ((0, 1, 2, 3), (3, 0, 1, 2), (2, 3, 0, 1), (1, 2, 3, 0))
    assert together.seatings(0) == ((0, 1, 2, 3), (3, 0, 1, 2))
    assert (alone.games_a_deal, together.games_a_deal) == (4, 2)
    assert together.to_dict()["rotations"] == [2]
    assert together.new_outcomes(5)[0].shape[:3] == (2, 5, 4)
    with pytest.raises(UsageError, match="criss-cross under these rules is for 4, 6 or 8 seats, not 3"):
        dataclasses.replace(together, lineups=((uniform,) * 4, (uniform,) * 3))
    with pytest.raises(UsageError, match="criss-cross under these rules is for 4, 6 or 8 seats, not 2"):
        Table(partners, together.rules, [uniform] * 2)


def test_seven_seats_are_refused() -> None:
    with pytest.raises(UsageError, match="criss-cross is for 1 to 6 seats, not 7"):
        make(("uniform",) * 7)


def test_chunks() -> None:
    design = make(("uniform",), deals=2 * CHUNK + 3)
    assert design.chunks == 3
    assert [design.chunk_deals(chunk) for chunk in range(3)] == [CHUNK, CHUNK, 3]


def test_frame_and_outcomes_are_inverse() -> None:
    design = make(("uniform", "blunder", "uniform"), ("blunder",), deals=CHUNK + 4, first_deal=7)
    rng = np.random.default_rng(3)
    outcomes = design.new_outcomes(4)
    for array in outcomes:
        array[:] = rng.integers(0, 60, array.shape)
    frame = design.frame(1, outcomes)
    assert frame["deal"].min() == 7 + CHUNK
    assert frame.columns[:6] == ["lineup", "rotation", "deal", "seat", "strategy", "score"]
    assert all((a == b).all() for a, b in zip(design.outcomes(frame), outcomes, strict=True))


def test_frame_names_who_sat_where() -> None:
    design = make(("uniform", "blunder"), deals=2)
    frame = design.frame(0, design.new_outcomes(2))
    told = frame.filter(frame["deal"] == 0).select("rotation", "seat", "strategy").rows()
    assert told == [(0, 0, "uniform"), (0, 1, "blunder"), (1, 0, "blunder"), (1, 1, "uniform")]


def test_manifest_names_everything_that_a_result_depends_on() -> None:
    design = make(("uniform",))
    manifest = design.to_manifest()
    assert json.loads(json.dumps(manifest)) == manifest
    for change in ({"seed": 2}, {"deals": 11}, {"first_deal": 1}, {"rules": GAME.variant("advanced")}):
        assert dataclasses.replace(design, **change).to_manifest() != manifest
    assert make(("blunder",)).to_manifest() != manifest


@dataclass(frozen=True)
class BoardRules(Rules):
    board: str = option("plain", OneOf(("plain", "my board.txt")), "a name or a file")


def test_replay_command_quotes_what_a_shell_would_split() -> None:
    game = dataclasses.replace(GAME, rules=BoardRules)
    design = dataclasses.replace(make(("uniform",)), game=game, rules=BoardRules("my board.txt"))
    assert design.replay_command(0, 0, 9).endswith("--deal 9 --set 'board=my board.txt'")


def test_replay_command_names_options_that_differ() -> None:
    design = dataclasses.replace(
        make(("uniform", "noisy(blunder,0.5)")), rules=GAME.variant("advanced").replace(run_points=(0, 1, 2, 3, 4))
    )
    assert design.replay_command(0, 1, 9) == (
        "crosslab replay criss-cross uniform 'noisy(blunder,0.5)' --seed 1 --deal 9 --rotation 1 "
        "--set run_points=0,1,2,3,4 --set zero_line_points=-5 --set diagonal_weight=2"
    )
