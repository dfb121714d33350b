"""The errors that a user can cause: each message is one line that names the thing, the value and what would work."""


class CrosslabError(Exception):
    """The root of all expected errors; the command line prints the message and exits with code 2."""


class UsageError(CrosslabError, ValueError):
    """An argument that does not fit: an unknown name, a value out of range, a combination that does not exist."""


class StrategyError(CrosslabError):
    """A strategy broke its contract while a game was played: an illegal move, an exception, not a number.

    Parameters
    ----------
    message
        One line: which strategy did what, in which deal, at which seat.
    position
        The position in text.
    trace
        The plain-Python traceback of the strategy alone, when it raised.
    deal
        The deal in which it happened.
    replay
        The command that plays the deal again.
    """

    def __init__(self, message: str, position: str = "", trace: str = "", deal: int = 0, replay: str = "") -> None:
        super().__init__(message)
        self.position = position
        self.trace = trace
        self.deal = deal
        self.replay = replay

    def __reduce__(self) -> tuple[type["StrategyError"], tuple[str, str, str, int, str]]:
        """Travel between processes whole."""
        return type(self), (str(self), self.position, self.trace, self.deal, self.replay)


class StoreError(CrosslabError):
    """A store on disk cannot be used: unreadable, of another design, or the disk is full."""
