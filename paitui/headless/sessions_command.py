"""`paitui sessions`: stored sessions from the command line, for people and for scripts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from paitui.clock import Clock, SystemClock
from paitui.engine.overview import local_minute
from paitui.engine.session_command import form_of
from paitui.engine.session_desk import Form, SessionDesk, SessionView
from paitui.headless.cells import cut
from paitui.headless.memory_answer import Answer
from paitui.headless.memory_output import put_answer
from paitui.headless.sessions_call import SessionsCall
from paitui.headless.terminal import Ask, ask_on_terminal, width_of_output
from paitui.locale import Words, phrase
from paitui.paths import Paths
from paitui.session.info import SessionInfo
from paitui.session.store import SessionError

_UNKNOWN = ("session.no_match", "session.ambiguous", "session.missing")


def run(call: SessionsCall, places: Paths, words: Words, clock: Clock | None = None, ask: Ask | None = None) -> int:
    """Carry out one command and print what came of it.

    Args:
        call: What is asked for.
        places: Home and project.
        words: The user's language.
        clock: For the id of a copy.
        ask: Puts a question to the user; the terminal if None, and nobody where there is none or a script reads.

    Returns:
        The exit code: 0 done, 1 failed, not found or refused.
    """
    desk = SessionDesk(places, clock or SystemClock(), words)
    command = _Command(call, desk, words, ask or (None if call.json else ask_on_terminal()))
    return put_answer(command.answer(), call.json, words)


class _Command:
    """One command's way through the sessions."""

    def __init__(self, call: SessionsCall, desk: SessionDesk, words: Words, ask: Ask | None) -> None:
        self._call = call
        self._desk = desk
        self._words = words
        self._ask = ask

    def answer(self) -> Answer:
        """Do it; whatever goes wrong is part of the answer."""
        verbs: dict[str, Callable[[], Answer]] = {
            "list": self._list,
            "show": self._show,
            "export": self._export,
            "fork": self._fork,
            "delete": self._delete,
        }
        try:
            return verbs[self._call.verb]()
        except SessionError as error:
            return Answer("not_found" if error.phrase.key in _UNKNOWN else "failed", error=error.phrase)

    def _list(self) -> Answer:
        found, problems = self._desk.listed(self._call.everywhere)
        data = {"sessions": [session_object(info) for info in found]}
        total = width_of_output()
        lines = [self._line(info) for info in found] or [self._words("sessions_cli.nothing")]
        return Answer("ok", [cut(line, total) if total else line for line in lines], data, problems=problems)

    def _line(self, info: SessionInfo) -> str:
        words = "" if info.ended else self._words("sessions_cli.broken_off") + "  "
        words += info.first_words
        project = f"  {info.project}" if self._call.everywhere else ""
        return self._words(
            "sessions_cli.line",
            id=info.id, changed=local_minute(info.changed), messages=info.messages, tokens=info.tokens, words=words,
        ) + project  # fmt: skip

    def _show(self) -> Answer:
        view = self._desk.look(self._meant())
        names = {
            "label_id": view.info.id,
            "label_project": view.info.project,
            "label_changed": local_minute(view.info.changed),
            "label_created": local_minute(view.info.created),
            "label_model": view.info.model,
            "label_size": self._words("sessions.size", messages=view.info.messages, tokens=view.info.tokens),
            "label_turns": f"{view.turns:,}" if view.turns else "",
            "label_queued": f"{view.queued:,}" if view.queued else "",
            "label_external": view.trust,
            "label_forked_from": next(iter(view.info.forked_from), ""),
            "label_ledger": view.ledger or self._words("sessions.no_ledger"),
        }
        stands = "open" if view.open else "at_rest" if view.info.ended else "broken_off"
        lines = [view.info.first_words, self._words(f"sessions_cli.state_{stands}")]
        lines += [f"  {self._words(f'sessions.{key}')}: {value}" for key, value in names.items() if value]
        for key, text in (("asked", view.asked), ("answer", view.answer)):
            if text.strip():
                lines += [
                    "",
                    f"{self._words(f'sessions.{key}')}:",
                    *(f"  {row}" for row in text.strip().splitlines()),
                ]
        return Answer("ok", lines, {"session": view_object(view)})

    def _export(self) -> Answer:
        call = self._call
        form: Form = "html" if form_of(call.form, call.file) == "html" else "markdown"
        done = self._desk.export(self._meant(), form, call.file, Path.cwd() if call.file else None)
        data = {"file": str(done.file), "steps": done.steps}
        return Answer("ok", [self._words("session.exported", file=str(done.file))], data)

    def _fork(self) -> Answer:
        info, problems = self._desk.fork(self._meant())
        lines = [self._words("sessions_cli.forked", id=info.id)]
        return Answer("ok", lines, {"session": session_object(info)}, problems=problems)

    def _delete(self) -> Answer:
        call, name = self._call, self._meant()
        if not call.force:
            info = self._desk.info(name)
            if self._ask is None:
                return Answer("refused", error=phrase("sessions_cli.delete_needs", id=name))
            question = self._words("sessions_cli.delete_ask", id=name, words=info.first_words)
            if self._ask(question, self._words("memory_lines.choices_clear")) != "yes":
                return Answer("refused", error=phrase("memory_cli.left"))
        ledger = self._desk.delete(name, with_ledger=call.ledger)
        key = "session.deleted_ledger" if ledger is not None else "session.deleted"
        data = {"id": name, "ledger": str(ledger) if ledger is not None else None}
        return Answer("ok", [self._words(key, id=name, file=str(ledger or ""))], data)

    def _meant(self) -> str:
        return self._desk.find(self._call.id)


def session_object(info: SessionInfo) -> dict[str, Any]:
    """Give a session as scripts get it; times are ISO-8601 in UTC."""
    return {
        "id": info.id,
        "project": info.project,
        "created": info.created,
        "changed": info.changed,
        "model": info.model,
        "first_words": info.first_words,
        "messages": info.messages,
        "tokens": info.tokens,
        "broken_off": not info.ended,
        "forked_from": list(info.forked_from),
    }


def view_object(view: SessionView) -> dict[str, Any]:
    """Give all that is known of a session; sizes are bytes."""
    return {
        **session_object(view.info),
        "open": view.open,
        "last_request": view.asked,
        "last_answer": view.answer,
        "turns": view.turns,
        "units": [{"name": unit.name, "messages": unit.messages, "tokens": unit.tokens} for unit in view.units],
        "queued": view.queued,
        "trust": view.trust,
        "size": view.size,
        "ledger": view.ledger or None,
        "ledger_size": view.ledger_size,
    }
