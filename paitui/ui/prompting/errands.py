"""Work that may wait for a disk or a process, done in threads and reported back."""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

Report = Callable[..., object]
"""Runs a function with arguments on the screen's loop; may be called from any thread."""


class Errands:
    """Two hands: one writes, in order and to the end; one looks things up, which nobody waits for in the end."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self.open = 0
        """Errands whose end was not reported yet."""

    @cached_property
    def _writer(self) -> "ThreadPoolExecutor":
        return _one_thread("prompt-writer")

    @cached_property
    def _finder(self) -> "ThreadPoolExecutor":
        return _one_thread("prompt-finder")

    def write(self, job: Callable[[], Any], then: Callable[[Any], None], failed: Callable[[OSError], None]) -> None:
        """Do something that must be done, even if the program ends meanwhile."""
        self._run(self._writer, job, then, failed)

    def find(self, job: Callable[[], Any], then: Callable[[Any], None], failed: Callable[[OSError], None]) -> None:
        """Look something up."""
        self._run(self._finder, job, then, failed)

    def close(self) -> None:
        """Finish what must be done, and let go of the rest."""
        self._finder.shutdown(wait=False, cancel_futures=True)
        self._writer.shutdown()

    def _run(
        self,
        hands: "ThreadPoolExecutor",
        job: Callable[[], Any],
        then: Callable[[Any], None],
        failed: Callable[[OSError], None],
    ) -> None:
        self.open += 1

        def end(future: "Future[Any]") -> None:
            self.open -= 1
            error = future.exception()
            if isinstance(error, OSError):
                failed(error)
            else:
                then(future.result())  # raises what else went wrong, where it is told

        def done(future: "Future[Any]") -> None:
            if not future.cancelled():
                self._report(end, future)

        hands.submit(job).add_done_callback(done)


def _one_thread(name: str) -> "ThreadPoolExecutor":
    from concurrent.futures import ThreadPoolExecutor  # not needed for the first frame

    return ThreadPoolExecutor(1, name)
