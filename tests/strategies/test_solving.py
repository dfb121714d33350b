import pytest

from sims.errors import UsageError
from sims.game import game_names
from strategies import find_strategy, solving
from strategies.solving import SOLVER_MODULES, Solver, find_solver, listening, tell


@pytest.mark.parametrize("game", SOLVER_MODULES)
def test_a_solver_is_found_by_its_game(game: str) -> None:
    solver = find_solver(game)
    assert isinstance(solver, Solver)
    assert solver.game == game
    assert solver is find_solver(game)
    # The player that it names is the one that a spec names.
    assert solver.player.function is find_strategy(game, solver.player.name).function
    assert solver.player.knowledge is not None
    assert len(set(solver.decisions)) == len(solver.decisions) > 0


def test_only_games_that_there_are_have_solvers() -> None:
    assert set(SOLVER_MODULES) <= set(game_names())


@pytest.mark.parametrize(
    ("game", "message"),
    [
        ("chess", "unknown game 'chess'; there are: "),
        ("cross-of", "unknown game 'cross-of'; did you mean cross-off"),
        ("criss-cross", "criss-cross has not been solved; solved games: cross-off"),
    ],
)
def test_games_without_a_solver_are_one_line(game: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        find_solver(game)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_all_who_listen_are_told() -> None:
    first: list[tuple[str, int, int]] = []
    second: list[tuple[str, int, int]] = []
    progress = tell("cross-off")  # whoever listens later hears it too
    with listening(lambda *said: first.append(said)):
        progress(1, 3)
        with listening(lambda *said: second.append(said)):
            progress(2, 3)
            tell("another")(1, 1)
        progress(3, 3)
    progress(4, 3)
    assert first == [("cross-off", 1, 3), ("cross-off", 2, 3), ("another", 1, 1), ("cross-off", 3, 3)]
    assert second == [("cross-off", 2, 3), ("another", 1, 1)]


def test_nobody_has_to_listen() -> None:
    before = list(solving._listeners)
    tell("cross-off")(1, 2)
    with listening(lambda *said: None):
        assert len(solving._listeners) == len(before) + 1
    assert solving._listeners == before


def test_an_error_ends_the_listening() -> None:
    def stop(game: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    before = list(solving._listeners)
    with pytest.raises(KeyboardInterrupt), listening(stop):
        tell("cross-off")(1, 2)
    assert solving._listeners == before


def test_the_same_listener_may_listen_twice() -> None:
    heard: list[int] = []

    def listener(game: str, done: int, total: int) -> None:
        heard.append(done)

    with listening(listener):
        with listening(listener):
            tell("cross-off")(1, 2)
        tell("cross-off")(2, 2)
    assert heard == [1, 1, 2]
