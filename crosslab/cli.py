"""The `crosslab` command: the verbs of the Python interface, as words on a line."""

import argparse
import contextlib
import io
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from crosslab.output import check_target, command_line, say
from crosslab.parser import EXIT_ERROR, build_parser
from sims.errors import CrosslabError, StrategyError

EXIT_INTERRUPTED = 130
STOP_SECONDS = 2.0  # what a command gets to stop by itself after Ctrl-C


def _announce_compiling() -> None:
    """Say once that something is being compiled: the only thing that a new user has to wait for."""
    said: list[str] = []

    def tell(name: str) -> None:
        if not said and name.startswith(("sims.", "strategies.")):
            said.append(name)
            say("crosslab: compiling for this machine (once; kept for later runs) …")

    from sims.jit import on_compile

    on_compile(tell)


@contextlib.contextmanager
def announcing_solving() -> Iterator[None]:
    """Say once that a game is being solved, and show on a terminal how far that is."""
    bars: list[Any] = []

    def tell(game: str, done: int, total: int) -> None:
        from sims.run import progress_bar

        if not bars:
            say(f"crosslab: solving {game} for these rules (once; kept for later runs) …")
            bars.append(progress_bar(total, unit=" states"))
        bars[0].update(done - bars[0].n)
        if done == total:
            bars.pop().close()

    from strategies.solving import listening

    try:
        with listening(tell):
            yield
    finally:
        for bar in bars:
            bar.close()


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
        with stopping_for_certain(arguments), announcing_solving():
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
