"""The command line: from arguments to the screen, a headless task or the doctor.

`--version` is answered before anything else is imported, so this module imports nothing but `sys`.
"""

import sys

from paitui import __version__

TYPE_CHECKING = False  # typing's own constant, without loading typing
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

    from paitui.arguments import Arguments
    from paitui.engine.assembly import OpenOptions
    from paitui.engine.worker import Worker
    from paitui.locale import Phrase, Words
    from paitui.paths import Paths
    from paitui.settings import Loaded
    from paitui.trust.project import Trust

USAGE = 2
ENGINE_PAUSE_S = 0.2
"""Seconds between the first frame and the loading of the engine."""
CANCELLED = 130
AGAIN = "import sys; sys.path.append(sys.argv.pop(1)); from paitui.cli import main; sys.exit(main())"
"""Starts paitui from the folder that holds it."""
MOST_SAID = 1_000
"""Characters of a refusal; it may quote an argument of any length."""


def main(argv: "Sequence[str] | None" = None) -> int:
    """Run paitui.

    Args:
        argv: The arguments without the program's name; those of the process if None.

    Returns:
        The exit code: 0 done, 1 failed, 2 usage, 3 partial, 4 conflict of memories, 130 cancelled.
    """
    given = sys.argv[1:] if argv is None else list(argv)
    from paitui import streams

    streams.complete()
    if given == ["--version"]:
        return _print(f"paitui {__version__}")
    try:
        return _run(given)
    except KeyboardInterrupt:
        return CANCELLED


def _run(given: "Sequence[str]") -> int:
    from paitui import arguments

    try:
        asked = arguments.parse(given)
    except arguments.UsageError as error:
        return _refuse(_words(arguments.wanted_language(given)), error.phrase)
    if asked.version:
        return _print(f"paitui {__version__}")
    if asked.help:
        room = (
            "memory_cli"
            if asked.memory
            else "sessions_cli"
            if asked.sessions
            else "ledger_cli"
            if asked.ledger
            else "cli"
        )
        return _print(_words(asked.language)(f"{room}.help"))
    if asked.completions:
        from paitui.completions import script

        return _print(script(asked.completions))
    return _start(asked)


def _start(asked: "Arguments") -> int:
    from paitui import paths
    from paitui.locale import Words, detect, phrase
    from paitui.trust.project import settings_in_effect

    try:
        places = paths.find(asked.project)
    except (OSError, RuntimeError) as error:  # the folder was removed, or nobody knows the user's home
        return _refuse(_words(asked.language), phrase("cli.no_folder", why=str(error)))
    loaded, trust = settings_in_effect(places)
    words = Words(detect(asked.language or loaded.settings.ui.language))
    loaded = asked.applied_to(loaded)
    if asked.doctor:
        from paitui import doctor

        return doctor.run(places, loaded, words, as_json=asked.json)
    if asked.replay:
        from paitui.replay import command

        return command.run(asked.replay, places, loaded.settings, words, asked.policy or "paitui", asked.json)

    if asked.memory:
        return _memory(asked, places, words)
    if asked.sessions:
        return _sessions(asked, places, words)
    if asked.ledger:
        return _ledger(asked, places, words)

    if asked.trust:
        return _trust(asked.trust, places, trust, words)

    from paitui.preflight import model_fault, project_fault

    if fault := project_fault(places.project) or model_fault(loaded.settings, places.settings):
        return _refuse(words, fault)
    face = _face(asked)
    if face is _screen and not (sys.stdin.isatty() and sys.stdout.isatty()):
        return _refuse(words, phrase("cli.no_terminal"))
    if fault := _home_fault(places.home):
        return _refuse(words, fault, code=1)
    from paitui import diagnostics

    with diagnostics.written_to(places.log):
        try:
            return face(asked, places, loaded, trust, words)
        except Exception as error:  # a fault of the program: one line for the user, all of it in the log
            diagnostics.fault("the program", error)
            return _refuse(words, diagnostics.told(error, places.log), code=1)


def _face(asked: "Arguments") -> "Callable[[Arguments, Paths, Loaded, Trust, Words], int]":
    """Choose how the session is shown; a terminal that cannot draw gets lines."""
    import os

    if asked.prompt is not None:
        return _task
    return _plain if asked.plain or os.environ.get("TERM") == "dumb" else _screen


def _memory(asked: "Arguments", places: "Paths", words: "Words") -> int:
    from dataclasses import replace

    from paitui import diagnostics
    from paitui.headless import memory_command
    from paitui.preflight import project_fault

    if fault := project_fault(places.project):
        return _refuse(words, fault)
    assert asked.memory is not None
    call = replace(asked.memory, json=asked.json)
    with diagnostics.written_to(places.log):
        try:
            return memory_command.run(call, places, words)
        except Exception as error:  # a fault of the program: one line for the user, all of it in the log
            diagnostics.fault("the memory command", error)
            return _refuse(words, diagnostics.told(error, places.log), code=1)


def _trust(verb: str, places: "Paths", trust: "Trust", words: "Words") -> int:
    from paitui.clock import SystemClock
    from paitui.headless import trust_command
    from paitui.preflight import project_fault

    if fault := project_fault(places.project):
        return _refuse(words, fault)
    return trust_command.run(verb, places, trust, words, SystemClock())


def _sessions(asked: "Arguments", places: "Paths", words: "Words") -> int:
    from dataclasses import replace

    from paitui import diagnostics
    from paitui.headless import sessions_command
    from paitui.preflight import project_fault

    if fault := project_fault(places.project):
        return _refuse(words, fault)
    assert asked.sessions is not None
    call = replace(asked.sessions, json=asked.json)
    with diagnostics.written_to(places.log):
        try:
            return sessions_command.run(call, places, words)
        except Exception as error:  # a fault of the program: one line for the user, all of it in the log
            diagnostics.fault("the sessions command", error)
            return _refuse(words, diagnostics.told(error, places.log), code=1)


def _ledger(asked: "Arguments", places: "Paths", words: "Words") -> int:
    from dataclasses import replace

    from paitui import diagnostics
    from paitui.headless import ledger_command
    from paitui.preflight import project_fault

    if fault := project_fault(places.project):
        return _refuse(words, fault)
    assert asked.ledger is not None
    call = replace(asked.ledger, json=asked.json)
    with diagnostics.written_to(places.log):
        try:
            return ledger_command.run(call, places, words)
        except Exception as error:  # a fault of the program: one line for the user, all of it in the log
            diagnostics.fault("the ledger command", error)
            return _refuse(words, diagnostics.told(error, places.log), code=1)


def _task(asked: "Arguments", places: "Paths", loaded: "Loaded", trust: "Trust", words: "Words") -> int:
    from paitui.engine.assembly import open_worker
    from paitui.headless import task

    options = _options(asked, places, loaded, trust, words)
    return task.run(
        lambda: open_worker(options),
        prompt=asked.prompt or "",
        output=asked.output or "text",
        approve=options.approve,
        words=words,
    )


def _plain(asked: "Arguments", places: "Paths", loaded: "Loaded", trust: "Trust", words: "Words") -> int:
    from dataclasses import replace

    from paitui.clock import SystemClock
    from paitui.engine.assembly import open_worker
    from paitui.headless import plain

    options = _options(asked, places, loaded, trust, words)

    def opened(resume: str = "") -> "Awaitable[Worker]":
        going_on = replace(options, resume=resume, continue_last=False, model_name="")  # it keeps its own model
        return open_worker(going_on if resume else options)

    return plain.run(opened, words, SystemClock())


def _screen(asked: "Arguments", places: "Paths", loaded: "Loaded", trust: "Trust", words: "Words") -> int:
    import gc

    gc.disable()  # loading makes many objects and no garbage; collecting meanwhile costs a tenth of the start

    from paitui.ui.bridge import OpenFailed
    from paitui.ui.launch import run_app

    async def opened(asked: "Arguments" = asked) -> "Worker":
        # The engine is loaded behind the first frame: after a pause in which the first keys are shown, and in a
        # thread, so that later ones are not held up either.
        from asyncio import sleep, to_thread
        from importlib import import_module

        await sleep(ENGINE_PAUSE_S)
        await to_thread(import_module, "paitui.engine.assembly")
        gc.freeze()  # what was loaded stays for good; collections need not walk through it
        gc.enable()
        from paitui.engine.assembly import OpenError, open_worker

        try:
            return await open_worker(_options(asked, places, loaded, trust, words))
        except OpenError as error:
            raise OpenFailed(error.phrase) from error

    def open_worker_for(resume: str = "") -> "Awaitable[Worker]":
        return opened(asked.going_on_with(resume) if resume else asked)

    ended = run_app(open_worker=open_worker_for, words=words, settings=loaded.settings, paths=places)
    if ended.broken_session and _agrees(words("cli.resume_offer")):
        _start_again(ended.broken_session)
    return ended.code


def _agrees(question: str) -> bool:
    """Ask on the terminal; Enter alone is yes, anything else or the end of input is no."""
    from paitui import streams

    streams.put(f"{question} ")
    try:
        return sys.stdin.readline() in ("\n", "\r\n")
    except (OSError, ValueError, KeyboardInterrupt):
        return False


def _start_again(session: str) -> None:
    """Become a new process that goes on with a session: nothing of the broken one stays in memory."""
    import os

    from paitui.arguments import resuming

    # Not -m: it would look for modules in the current folder first, and that is the project's.
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    os.execv(sys.executable, [sys.executable, "-P", "-c", AGAIN, here, *resuming(sys.argv[1:], session)])


def _options(asked: "Arguments", places: "Paths", loaded: "Loaded", trust: "Trust", words: "Words") -> "OpenOptions":
    from paitui.engine.assembly import OpenOptions
    from paitui.locale import phrase

    lacks = (phrase("preflight.windows"),) if sys.platform == "win32" else ()
    return OpenOptions(
        settings=loaded.settings,
        paths=places,
        trust=trust,
        words=words,
        approve=asked.approve or ("ask" if asked.prompt is None else "reads"),
        resume=asked.resume,
        continue_last=asked.continue_last,
        model_name=asked.model,
        problems=(*loaded.problems, *lacks),
        paced=asked.prompt is None,
        asks_about_memory=asked.prompt is None,
        reviews_plans=asked.prompt is None,
    )


def _home_fault(home: "Path") -> "Phrase | None":
    """Make the home, private to the user; say why nothing can be saved there, if so."""
    from paitui.locale import phrase
    from paitui.preflight import home_fault

    if fault := home_fault(home):
        return fault
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:  # what the permissions do not tell: a file system that takes no folders
        return phrase("preflight.home_unusable", home=str(home))
    return None


def _words(language: str) -> "Words":
    """Give the words for an error that comes before the settings are known."""
    from paitui import paths, settings
    from paitui.locale import Words, detect

    if not language:
        try:
            language = settings.load(paths.find().settings).settings.ui.language
        except (OSError, RuntimeError):
            language = "auto"  # no home and no folder to look in: the locale decides
    return Words(detect(language))


def _refuse(words: "Words", what: "Phrase", code: int = USAGE) -> int:
    from paitui import streams
    from paitui.trust.safe_text import safe_text

    said = safe_text(words.say(what), keep_newlines=False)
    streams.complain(f"paitui: {said if len(said) <= MOST_SAID else said[:MOST_SAID] + '…'}")
    return code


def _print(text: str) -> int:
    from paitui import streams

    return int(streams.put(f"{text}\n") is not None)
