"""`paitui replay`: what the context manager would have done with a recorded session."""

import asyncio
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import thread_time

from paitui.clock import Clock, SystemClock
from paitui.context.estimate import schema_tokens
from paitui.context.outputs import OutputFolder
from paitui.context.thresholds import DEFAULT_WINDOW, MIN_WINDOW
from paitui.engine.models import Models, UnknownModel
from paitui.locale import Words
from paitui.model.offline import OfflineModel
from paitui.paths import Paths
from paitui.replay import PolicyName
from paitui.replay.figures import Figures
from paitui.replay.policy import PaituiPolicy, PlainPolicy, Policy
from paitui.replay.recording import Recording, ReplayError, read_recording
from paitui.replay.run import Run
from paitui.replay.scoring import score
from paitui.replay.sizes import measure
from paitui.session.listing import new_id
from paitui.settings import ContextSettings, Settings
from paitui.tools.registry import builtin_tools
from paitui.trust.fence import Fence, FenceError
from paitui.trust.safe_text import safe_text

USAGE = 2


def run(file: Path, places: Paths, settings: Settings, words: Words, policy: PolicyName, as_json: bool) -> int:
    """Replay a recording and print what came of it.

    Args:
        file: The recording.
        places: Home and project; a ledger's offloaded results are looked for in the project.
        settings: The settings in effect, with the window that was asked for.
        words: The user's language.
        policy: Who decides.
        as_json: Print one JSON object instead of lines.

    Returns:
        0, or 2 if the file is no recording.
    """
    try:
        recording = read_recording(file, places.project)
    except ReplayError as error:
        print(f"paitui: {safe_text(words.say(error.phrase), keep_newlines=False)}", file=sys.stderr)
        return USAGE
    figures = replay(recording, file.name, _window(settings), settings.context, words, policy)
    print(figures.as_json() if as_json else safe_text(figures.as_text(words), keep_newlines=True))
    return 0


def replay(
    recording: Recording,
    name: str,
    window: int,
    settings: ContextSettings,
    words: Words,
    policy: PolicyName,
    clock: Clock | None = None,
) -> Figures:
    """Replay a recording; whatever goes to files goes to a temporary folder.

    Args:
        recording: The session.
        name: What it is called in the report.
        window: Context size in tokens.
        settings: Limits and shares.
        words: The user's language.
        policy: Who decides.
        clock: Names the session.

    Returns:
        What was found.
    """
    with TemporaryDirectory(prefix="paitui-replay-") as folder:
        return asyncio.run(_replay(recording, name, window, settings, words, policy, clock or SystemClock(), folder))


async def _replay(
    recording: Recording,
    name: str,
    window: int,
    settings: ContextSettings,
    words: Words,
    policy: PolicyName,
    clock: Clock,
    folder: str,
) -> Figures:
    fence = Fence(Path(folder).resolve())
    files = OutputFolder(fence, new_id(clock))
    sizes = measure(recording, schema_tokens(builtin_tools().specs))
    made = PaituiPolicy if policy == "paitui" else PlainPolicy
    chosen: Policy = made(settings, window, files, round(sizes.fixed / sizes.factor))

    def load(path: str) -> str:
        try:
            with fence.open_read(path) as file:
                return file.read().decode("utf-8", "surrogatepass")
        except (FenceError, OSError, UnicodeDecodeError):
            return ""

    run = Run(recording, chosen, sizes, OfflineModel(window), load, thread_time, words.language)
    await run.go()
    # A fence of its own: as after a restart, nothing but the files is there.
    unkept = await run.audit.unkept(Fence(fence.root), words, chosen.manager.limits)
    return Figures(
        file=name,
        policy=policy,
        window=chosen.manager.marks.window,
        tally=run.tally,
        costs=run.costs,
        scored=score(recording, settings.prior if policy == "paitui" else 1.0, anchored=policy == "paitui"),
        lost=unkept + run.audit.missing,
        unread=recording.unread,
        partly=recording.partly,
    )


def _window(settings: Settings) -> int:
    """The window that was asked for, or that of the model in the settings."""
    if settings.context.window:
        return max(MIN_WINDOW, settings.context.window)
    try:
        return Models(settings, (), os.environ).open(settings.model).info.window
    except UnknownModel:
        return DEFAULT_WINDOW
