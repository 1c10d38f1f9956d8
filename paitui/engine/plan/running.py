"""Parts of the work side by side: each begins when what it needs is done, a few at a time."""

import asyncio
from collections.abc import Awaitable, Callable

from paitui.engine.plan.board import Board, Entry


async def run_ready(
    board: Board, work: Callable[[Entry], Awaitable[None]], most: int, stops: Callable[[], bool] = lambda: False
) -> None:
    """Run parts until none is left that can be begun.

    Args:
        board: What there is to do; `work` notes on it how each part ended.
        work: Does one part; raises nothing but a cancel.
        most: How many at once.
        stops: Whether to begin no more; what runs is finished.
    """
    running: set[asyncio.Task[None]] = set()
    begun: set[str] = set()

    async def one(entry: Entry) -> None:
        try:
            await work(entry)
        except asyncio.CancelledError:
            board.change(entry.id, status="cancelled")
            raise

    try:
        while True:
            board.skip_hopeless()
            ready = [] if stops() else [entry for entry in board.ready() if entry.id not in begun]
            for entry in ready[: most - len(running)]:
                begun.add(entry.id)
                running.add(asyncio.create_task(one(entry)))
            if not running:
                return
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
