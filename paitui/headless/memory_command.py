"""`paitui memory`: long-term memory from the command line, for people and for scripts."""

import shlex
from collections.abc import Callable
from pathlib import Path

from paitui.clock import Clock, SystemClock, iso
from paitui.headless.memory_answer import Answer, conflict_object, entry_object
from paitui.headless.memory_call import MemoryCall
from paitui.headless.memory_check import check
from paitui.headless.memory_output import put_answer, standard_input
from paitui.headless.memory_text import MemoryText
from paitui.headless.terminal import Ask, ask_on_terminal, width_of_output
from paitui.locale import Phrase, Words, phrase
from paitui.memory.changes import Record
from paitui.memory.entry import Entry
from paitui.memory.exchange import export, import_from
from paitui.memory.judging import MOST_CHARS, tidy
from paitui.memory.library import Library
from paitui.memory.opening import open_library
from paitui.memory.past import last_change
from paitui.memory.service import Attempt, Origin, Unknown
from paitui.memory.store import MemoryFault
from paitui.memory.view import MemoryView
from paitui.paths import Paths


def run(call: MemoryCall, places: Paths, words: Words, clock: Clock | None = None, ask: Ask | None = None) -> int:
    """Carry out one command and print what came of it.

    Args:
        call: What is asked for.
        places: Home and project.
        words: The user's language.
        clock: For ages and times.
        ask: Puts a question to the user; the terminal if None, and nobody where there is none or a script reads.

    Returns:
        The exit code: 0 done or known already, 1 failed, not found or refused, 2 usage, 4 conflict.
    """
    now = clock or SystemClock()
    library = open_library(places, now, words.language)
    answer = MemoryCommand(call, library, words, ask or (None if call.json else ask_on_terminal())).answer()
    return put_answer(answer, call.json, words)


class MemoryCommand:
    """One command's way through the memory."""

    def __init__(self, call: MemoryCall, library: Library, words: Words, ask: Ask | None) -> None:
        self._call = call
        self._library = library
        self._service = library.service
        self._words = words
        self._text = MemoryText(words)
        self._ask = ask

    def answer(self) -> Answer:
        """Do it; whatever goes wrong is part of the answer."""
        store = self._service.store
        try:
            store.read()
            found = store.problems  # a damaged file is whole again after the first change
            done = self._verb()()
        except Unknown as error:
            key = "memory.ambiguous" if error.phrase.key == "memory.ambiguous" else "memory_cli.not_found"
            return Answer("not_found", error=Phrase(key, error.phrase.params))
        except MemoryFault as error:
            return Answer("failed", error=error.phrase)
        more = tuple(problem for problem in (*done.problems, *store.problems) if problem not in found)
        return Answer(done.status, done.lines, done.data, done.error, (*found, *more))

    def _verb(self) -> Callable[[], Answer]:
        match self._call.verb:
            case "list" | "search":
                return self._list
            case "show":
                return self._show
            case "log":
                return self._log
            case "verify":
                return lambda: self._changed("verified", self._service.verify(self._meant().id))
            case "delete":
                return lambda: self._changed("deleted", self._service.delete(self._meant().id))
            case "scope":
                return self._move
            case "replace" | "add":
                return self._keep
            case "clear":
                return self._clear
            case "undo":
                return self._undo
            case "relink":
                return self._relink
            case "export":
                return self._export
            case "import":
                return self._import
            case "check":
                return lambda: check(self._library, self._words)

    # -- looking

    def _list(self) -> Answer:
        query, everywhere = self._call.text, self._call.everywhere
        views = self._library.search(query, everywhere)
        data = {"entries": [entry_object(view) for view in views]}
        elsewhere = len(self._service.entries(True)) - len(self._service.entries())
        lines = self._text.table(views, width_of_output())
        if not views:
            key = "memory_cli.nothing_found" if query else "memory_cli.nothing"
            lines = [self._words(key, query=query) if query else self._words(key)]
        movable = sum(len(found.ids) for found in self._service.movable() if found.gone)
        return Answer("ok", [*lines, *self._text.besides(0 if everywhere else elsewhere, movable)], data)

    def _show(self) -> Answer:
        view = self._library.view(self._meant())
        return Answer("ok", self._text.entry(view), {"entry": entry_object(view)})

    def _log(self) -> Answer:
        name, records = self._library.past(self._call.id, self._call.everywhere)
        lines = [self._words("memory.log_title", id=name), *map(self._step, records)]
        if not records:
            lines.append("  " + self._words("memory.log_empty"))
        data = {
            "id": name,
            "log": [
                {
                    "at": iso(record.at) if record.at else None,
                    "act": record.act,
                    "before": record.before.content if record.before else None,
                    "after": record.after.content if record.after else None,
                }
                for record in records
            ],
        }
        return Answer("ok", lines, data)

    def _step(self, record: Record) -> str:
        at = f"{record.at.astimezone():%Y-%m-%d %H:%M}" if record.at else "?"
        act = phrase(f"memory.act_{record.act}")
        before, after = (side.content if side else "" for side in (record.before, record.after))
        if before and after and before != after:
            return "  " + self._words("memory.log_changed", at=at, act=act, before=before, after=after)
        return "  " + self._words("memory.log_step", at=at, act=act, fact=after or before)

    # -- changing

    def _meant(self) -> Entry:
        return self._service.find(self._call.id, self._call.everywhere)

    def _keep(self) -> Answer:
        """Save a fact, or put it in the place of another."""
        old = self._meant() if self._call.verb == "replace" else None
        fact = self._call.text
        if fact == "-":
            read = standard_input()
            if isinstance(read, Phrase):
                return Answer("failed", error=read)
            fact = read
        fact, agreed = tidy(fact), False
        while True:
            origin, force = Origin("typed", quote=fact), self._call.force
            if old is None:
                done = self._service.save(fact, origin, self._call.scope, force=force, secret_agreed=agreed)
            else:
                done = self._service.replace(old.id, fact, origin, force=force, secret_agreed=agreed)
            if done.result != "secret":
                return self._kept(fact, done, old)
            question = [self._words("memory_lines.ask_secret"), self._words("memory_lines.new", fact=fact)]
            if self._ask is None:
                return Answer("refused", error=phrase("memory_cli.secret"))
            if self._ask("\n".join(question), self._words("memory_lines.choices_secret")) not in ("y", "yes"):
                return Answer("refused", error=phrase("memory_cli.left"))
            agreed = True

    def _kept(self, fact: str, done: Attempt, old: Entry | None) -> Answer:
        match done.result:
            case "conflict":
                return self._conflict(fact, self._library.opposed(fact, done), old)
            case "empty" | "long":
                return Answer("failed", error=phrase(f"memory.{done.result}_now", limit=MOST_CHARS))
            case "duplicate":
                return self._changed("duplicate", done)
            case _:
                return self._changed("stored" if old is None else "replaced", done)

    def _conflict(self, fact: str, against: tuple[MemoryView, ...], old: Entry | None) -> Answer:
        data = {"fact": fact, "conflicts": [conflict_object(view) for view in against]}
        where = self._call.options.get("--project")
        begin = ["paitui", "memory", *(["--project", where] if where else [])]
        first, quoted = against[0].id, fact if self._call.text != "-" else self._call.text
        if old is None:
            both = ["add", *(["--global"] if self._call.scope == "global" else []), "--force", quoted]
            decide = [("memory_cli.to_replace", ["replace", first, quoted]), ("memory_cli.to_keep", both)]
        else:
            decide = [
                ("memory_cli.to_delete", ["delete", first]),
                ("memory_cli.to_keep", ["replace", "--force", old.id, quoted]),
            ]
        lines = [self._words("memory_cli.conflict"), *self._text.conflicting(fact, against)]
        lines += [self._words(key, command=shlex.join([*begin, *rest])) for key, rest in decide]
        return Answer("conflict", lines, data)

    def _changed(self, result: str, done: Attempt) -> Answer:
        """Tell what became of one entry."""
        if done.entry is None:
            return Answer("not_found", error=phrase("memory.not_found_now"))
        view = self._library.view(done.entry)
        said = self._words(
            "memory_lines.did",
            what=self._words(f"memory_lines.did_{result}"),
            id=view.id,
            fact=view.content,
        )
        status = result if result in ("stored", "duplicate", "replaced") else "ok"
        return Answer(status, [said], {"entry": entry_object(view)}, problems=done.problems)  # type: ignore[arg-type]

    def _move(self) -> Answer:
        done = self._service.move(self._meant().id, self._call.scope)
        if done.result == "duplicate" and done.entry is not None:
            data = {"entry": entry_object(self._library.view(done.entry))}
            return Answer("refused", data=data, error=phrase("memory.duplicate_there"))
        told = self._changed(f"moved_{self._call.scope}", done)
        against = self._library.opposed(done.entry.content if done.entry else "", done)
        if not against:
            return told
        lines = [*told.lines, self._words("memory_lines.ask_conflict")]
        lines += [self._words("memory_lines.old", id=view.id, fact=view.content) for view in against]
        return Answer(told.status, lines, {**told.data, "conflicts": [conflict_object(view) for view in against]})

    def _clear(self) -> Answer:
        everywhere = self._call.everywhere
        count = len(self._service.entries(everywhere))
        if count and not self._call.force:
            if self._ask is None:
                return Answer("refused", error=phrase("memory_cli.clear_needs", n=count))
            question = self._words("memory_lines.ask_clear", n=count)
            if self._ask(question, self._words("memory_lines.choices_clear")) != "yes":
                return Answer("refused", error=phrase("memory_cli.left"))
        count = self._service.clear(everywhere)
        return Answer("ok", [self._words("memory_cli.cleared", n=count)], {"count": count})

    def _undo(self) -> Answer:
        name = self._library.past(self._call.id, self._call.everywhere)[0] if self._call.id else ""
        records = last_change(self._service, name, self._call.everywhere)
        if not records:
            return Answer("failed", error=phrase("memory_cli.undo_nothing"))
        if not self._service.store.undo(records).value:
            return Answer("failed", error=phrase("memory_cli.undo_changed", id=records[0].id))
        act = phrase(f"memory.act_{records[0].act}")
        lines = [self._words("memory.undone", act=act)]
        now = {entry.id: entry for entry in self._service.entries(everywhere=True)}
        views = [self._library.view(now[record.id]) for record in records if record.id in now]
        told = [(view.id, view.content) for view in views]
        told += [(one.id, one.after.content) for one in records if one.id not in now and one.after is not None]
        lines += [self._words("memory_lines.old", id=id, fact=fact) for id, fact in told]
        return Answer("ok", lines, {"act": records[0].act, "entries": [entry_object(view) for view in views]})

    def _relink(self) -> Answer:
        count = self._service.relink()
        key = "memory.relinked" if count else "memory_cli.relink_nothing"
        return Answer("ok", [self._words(key, n=count) if count else self._words(key)], {"count": count})

    # -- files

    def _export(self) -> Answer:
        file = Path(self._call.text).expanduser()
        count = export(self._service, file, self._call.everywhere)
        data = {"count": count, "file": str(file.absolute())}
        return Answer("ok", [self._words("memory.exported", n=count, file=str(file))], data)

    def _import(self) -> Answer:
        done = import_from(self._service, Path(self._call.text).expanduser())
        lines = [self._words("memory.imported", n=done.stored)]
        for count, key in (
            (done.elsewhere, "memory.import_elsewhere"),
            (done.duplicates, "memory.import_duplicates"),
            (done.secrets, "memory.import_secrets"),
            (done.unfit, "memory.import_unfit"),
            (len(done.conflicts), "memory_cli.import_conflicts"),
        ):
            lines += [self._words(key, n=count)] if count else []
        lines += [self._words("memory.import_fact", fact=fact) for fact in done.conflicts]
        data = {
            "count": done.stored,
            "elsewhere": done.elsewhere,
            "duplicates": done.duplicates,
            "secrets": done.secrets,
            "unfit": done.unfit,
            "conflicts": [{"content": fact} for fact in done.conflicts],
        }
        return Answer("ok", lines, data)
