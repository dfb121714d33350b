"""The trace: the very game that a simulation plays, as JSON values."""

import json
from pathlib import Path

import pytest

from crosslab import replay, simulate
from sims.errors import UsageError
from sims.game import Game, find_game
from sims.trace import narrate
from sims.trace import replay as replay_game
from strategies import find_strategy
from tests.reference.criss_cross import referee

GOLDEN = Path(__file__).with_name("goldens") / "criss_cross.txt"
LINEUP = ["uniform", "noisy(blunder,0.5)", "uniform"]


@pytest.mark.parametrize("variant", ["basic", "advanced"])
@pytest.mark.parametrize("rotation", [0, 1, 2])
def test_replay_is_the_game_that_simulate_played(variant: str, rotation: int) -> None:
    table = simulate("criss-cross", LINEUP, deals=6, seed=9, variant=variant, n_jobs=1).table
    for deal in range(6):
        trace = replay("criss-cross", LINEUP, seed=9, deal=deal, rotation=rotation, variant=variant)
        rows = table.filter((table["deal"] == deal) & (table["rotation"] == rotation))
        for seat, row in zip(trace["outcome"], rows.iter_rows(named=True), strict=True):
            for name in ("score", "rank", "win", "best_line", "filled", "rounds", "pairs", "triplets", "quadruples"):
                assert seat[name] == row[name]
            assert trace["seats"][seat["seat"]] == row["strategy"]
        assert referee(json.loads(json.dumps(trace))) == []


@pytest.mark.parametrize("rotation", [-1, 3])
def test_rotation_out_of_range(rotation: int) -> None:
    with pytest.raises(UsageError, match=r"rotation=.* a line-up of 3 has the rotations 0 to 2"):
        replay("criss-cross", LINEUP, rotation=rotation)


def test_rotations_are_those_of_the_rules(partners: Game) -> None:
    rules = partners.variant("advanced")
    players = [find_strategy(partners.name, spec).player() for spec in ("uniform", "blunder") * 2]
    trace = replay_game(partners, rules, players, rotation=1)
    assert trace["seats"] == ["blunder", "uniform"] * 2
    assert replay_game(partners, rules, [*players, players[0], players[0]], rotation=2)["rotation"] == 2
    with pytest.raises(UsageError, match=r"rotation=2 .* a line-up of 4 has the rotations 0 to 1"):
        replay_game(partners, rules, players, rotation=2)
    with pytest.raises(UsageError, match="under these rules is for 4, 6 or 8 seats, not 3"):
        replay_game(partners, rules, players[:3])


def test_narrate_reads_like_a_game() -> None:
    game = find_game("criss-cross")
    trace = replay("criss-cross", ["uniform"], seed=7, deal=123, variant="advanced")
    text = narrate(game, game.variant("advanced"), trace)
    assert text.startswith("Criss Cross, rules version 1\n")
    assert "seed 7, deal 123, rotation 0" in text
    assert "round 1: " in text
    assert f"seat 0, uniform: {trace['outcome'][0]['score']} points, rank 1" in text
    assert "diagonal: " in text


def test_goldens() -> None:
    """A change of these texts is a change of play: raise rules_version, or find the mistake."""
    game = find_game("criss-cross")
    told = []
    for lineup, variant, deal in ((["uniform"], "basic", 123), (["uniform", "blunder"], "advanced", 4)):
        trace = replay("criss-cross", lineup, seed=7, deal=deal, variant=variant)
        told.append(narrate(game, game.variant(variant), trace))
    assert "\n\n\n".join(told) + "\n" == GOLDEN.read_text(encoding="utf-8")
