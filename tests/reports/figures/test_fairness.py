import numpy as np
import polars as pl
import pytest
from matplotlib.patches import Rectangle

from analysis.comparisons import WINS
from analysis.ladders import ladder
from analysis.luck import luck_and_skill as split_scores
from analysis.simultaneous import Moments
from reports.figures import luck_and_skill, render, seat_shares, skill_ladder
from sims.errors import UsageError

GAP = "\N{NO-BREAK SPACE}"


def seats(**more):
    return pl.DataFrame(
        {"name": ["rows", "columns"], "wins": [0.53, 0.47], "low": [0.51, 0.45], "high": [0.55, 0.49], **more}
    )


def spans(ax):
    """Left and right ends of all shaded stretches."""
    return [(patch.get_x(), patch.get_x() + patch.get_width()) for patch in ax.patches if isinstance(patch, Rectangle)]


def intervals_of(ax):
    return [tuple(bars.lines[2][0].get_segments()[0][:, 0].tolist()) for bars in ax.containers]


# --- Seats -----------------------------------------------------------------------------------------------------------


def test_seat_shares_draw_shares_fair_line_and_margin():
    ax = seat_shares(seats(), fair=0.5, margin=0.02)
    assert [ends for ends in spans(ax)] == [pytest.approx((0.48, 0.52))]
    assert intervals_of(ax) == [pytest.approx((0.51, 0.55)), pytest.approx((0.45, 0.49))]
    assert any(list(line.get_xdata()) == [0.5, 0.5] for line in ax.lines)
    assert [text.get_text() for text in ax.texts] == [
        f"53.0{GAP}% (51.0 to 55.0{GAP}%)",
        f"47.0{GAP}% (45.0 to 49.0{GAP}%)",
    ]
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == [f"fair: 50.0{GAP}% of wins for everyone", "margin: ±2 percentage points do not matter"]


def test_seat_shares_keep_a_wide_margin_in_sight():
    ax = seat_shares(seats(), fair=0.5, margin=0.2)
    left, right = ax.get_xlim()
    assert left < 0.3
    assert right > 0.7


def test_seat_shares_alone():
    ax = seat_shares(seats(low=[None, None], high=[None, None]).cast({"low": pl.Float64, "high": pl.Float64}))
    assert ax.get_legend() is None
    assert [text.get_text() for text in ax.texts] == [f"53.0{GAP}%, too few blocks", f"47.0{GAP}%, too few blocks"]
    assert intervals_of(ax) == []


def test_a_margin_needs_a_fair_share():
    with pytest.raises(UsageError, match=r"margin=0\.01 is about a fair share"):
        seat_shares(seats(), margin=0.01)


# --- Ladders ---------------------------------------------------------------------------------------------------------


def rungs(blocks=400):
    rng = np.random.default_rng(5)
    scores = np.rint(np.array([9, 9.02, 7, 5]) * 20 + rng.normal(0, 2, (blocks, 4))).astype(int)
    return ladder(Moments.from_scores(scores, 20), list("abcd"), [0.25] * 4, 0.5, ordered=True).summary()


def test_skill_ladder_draws_the_rungs_from_the_top():
    frame = rungs()
    ax = skill_ladder(frame)
    assert [label.get_text() for label in ax.get_yticklabels()] == list("abcd")
    assert list(ax.get_yticks()) == [3, 2, 1, 0]
    assert intervals_of(ax) == [pytest.approx(ends) for ends in frame.select("low", "high").rows()]
    assert [text.get_text() for text in ax.texts if "level" in text.get_text()] == ["level 1", "level 2", "level 3"]


def test_skill_ladder_puts_levels_beside_their_rungs():
    ax = skill_ladder(rungs())
    places = {text.get_text(): text.xy[1] for text in ax.texts if "level" in text.get_text()}
    assert places == {"level 1": 2.5, "level 2": 1.0, "level 3": 0.0}


def test_skill_ladder_without_levels():
    frame = rungs(20)
    assert frame["level"].to_list() == [None] * 4
    assert not [text for text in skill_ladder(frame).texts if "level" in text.get_text()]


def test_skill_ladder_of_wins_has_no_wins_below_none():
    frame = rungs().with_columns(pl.lit(0.0).alias(name) for name in ("low", "mean"))
    ax = skill_ladder(frame.with_columns(high=pl.lit(0.4)), unit=WINS)
    assert min(ax.get_xticks()) >= 0
    assert "wins a game" in ax.get_xlabel()


def test_skill_ladder_of_one():
    ax = skill_ladder(rungs().head(1))
    assert len(ax.texts) == 2
    render(ax.figure, "png")


# --- Luck and skill --------------------------------------------------------------------------------------------------


def test_luck_and_skill_bars_are_the_shares():
    frame = split_scores(np.random.default_rng(3).integers(0, 30, (30, 3, 2))).summary()
    ax = luck_and_skill(frame)
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(frame["share"].to_list())
    assert frame["share"].min() < 0, "estimates of nothing fall on both sides"
    assert ax.get_xlim()[0] < frame["share"].min()
    assert [label.get_text() for label in ax.get_yticklabels()][3] == "deal × strategy"


def test_luck_and_skill_are_told_apart_without_colour_and_added_up():
    frame = pl.DataFrame(
        {
            "cause": ["deal", "seat", "strategy", "remainder"],
            "share": [0.3, 0.1, 0.4, 0.2],
            "kind": ["luck", "luck", "skill", "both"],
        }
    )
    ax = luck_and_skill(frame)
    assert len({bar.get_hatch() for bar in ax.patches}) == 3
    texts = [text.get_text().replace("\n", "") for text in ax.get_legend().get_texts()]
    assert [text.split(", ")[-1] for text in texts] == [f"{share}{GAP}% in all" for share in ("40.0", "40.0", "20.0")]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"kind": "fate"}, "the kind fate of a cause is unknown"),
        ({"share": None}, "no share of the variance is known"),
    ],
)
def test_luck_and_skill_refuse_what_they_cannot_draw(more, message):
    row = {"cause": "deal", "share": 0.5, "kind": "luck"} | more
    with pytest.raises(UsageError, match=message):
        luck_and_skill(pl.DataFrame([row], schema={"cause": pl.String, "share": pl.Float64, "kind": pl.String}))
