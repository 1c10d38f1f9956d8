"""`paitui ledger`: the raw record of a session from the command line, for people and for scripts."""

import json
import os
import threading
from collections.abc import Callable, Iterable
from itertools import chain, islice, takewhile
from pathlib import Path
from typing import Any

from paitui.atomic import FILE_MODE, write_all
from paitui.clock import iso
from paitui.headless.cells import cut
from paitui.headless.jsonlines import dump
from paitui.headless.ledger_call import LedgerCall
from paitui.headless.ledger_objects import checked_object, detail_object, row_object
from paitui.headless.ledger_text import LedgerText, size
from paitui.headless.printing import Printer
from paitui.headless.terminal import width_of_output
from paitui.jsontext import decode
from paitui.ledger.checking import check
from paitui.ledger.exporting import as_lines, as_markdown, pieces
from paitui.ledger.files import LedgerFault, LedgerFile, first_request, ledgers, open_view, resolve, unreadable
from paitui.ledger.row import Row
from paitui.locale import Words, phrase
from paitui.paths import Paths
from paitui.session.info import SessionInfo
from paitui.session.listing import list_sessions
from paitui.session.store import SessionError
from paitui.trust.safe_text import safe_text

FOLLOW_S = 0.25
"""Seconds between two looks at a ledger that is followed."""
_PAGE = 500
_AROUND = 1_000
"""Messages of a boundary that are shown."""


def run(call: LedgerCall, places: Paths, words: Words, wait: Callable[[], object] | None = None) -> int:
    """Carry out one command and print what came of it.

    Args:
        call: What is asked for.
        places: Home and project.
        words: The user's language.
        wait: Lets time pass between two looks at a ledger that is followed; what is true ends that.

    Returns:
        The exit code: 0 done, 1 failed, not found or not sound.
    """
    pause = threading.Event()
    command = LedgerCommand(call, places, words, wait or (lambda: pause.wait(FOLLOW_S)))
    try:
        code = command.do()
    except LedgerFault as fault:
        command.printer.warn(fault.phrase)
        code = 1
    except SessionError as error:
        command.printer.warn(error.phrase)
        code = 1
    except OSError as error:  # the file went away, or the disk fails, while it was read
        command.printer.warn(unreadable(Path(error.filename or places.ledgers), error).phrase)
        code = 1
    return 1 if command.printer.broken else code


class LedgerCommand:
    """One command's way through the ledgers."""

    def __init__(self, call: LedgerCall, places: Paths, words: Words, wait: Callable[[], object]) -> None:
        self.printer = Printer(words)
        self._call = call
        self._places = places
        self._words = words
        self._text = LedgerText(words)
        self._wait = wait

    def do(self) -> int:
        """Do it.

        Raises:
            LedgerFault: It cannot be done.
            SessionError: The sessions cannot be listed.
            OSError: A file cannot be read.
        """
        match self._call.verb:
            case "list":
                return self._list()
            case "tail":
                return self._tail()
            case "check":
                return self._check()
            case "export":
                return self._export()
            case "show":
                return self._show()

    # -- which one

    def _sessions(self) -> dict[str, SessionInfo]:
        return {info.id: info for info in list_sessions(self._places.sessions)[0]}

    def _here(self) -> list[tuple[LedgerFile, SessionInfo | None]]:
        """Give the ledgers of the project, or all, each with what is known of its session."""
        sessions = self._sessions()
        found = [(one, sessions.get(one.session)) for one in ledgers(self._places.ledgers)]
        if self._call.everywhere:
            return found
        project = str(self._places.project)
        return [(one, info) for one, info in found if info is not None and info.project == project]

    def _meant(self) -> Path:
        if self._call.session:
            return resolve(self._places.ledgers, self._call.session)
        here = self._here()
        if not here:
            raise LedgerFault(phrase("ledger_cli.none_here"))
        return here[0][0].path

    # -- looking

    def _list(self) -> int:
        found, width = self._here(), width_of_output()
        objects: list[dict[str, Any]] = []
        for one, info in found:
            request = info.first_words if info and info.first_words else first_request(one.path)
            objects.append(
                {
                    "session": one.session,
                    "file": str(one.path),
                    "size": one.size,
                    "changed": iso(one.changed),
                    "project": info.project if info else None,
                    "request": request,
                }
            )
            line = f"{one.session}  {one.changed.astimezone():%Y-%m-%d %H:%M}  {size(one.size):>9}  {request}"
            if not self._call.json:
                self._say(cut(line, width) if width else line)
        if self._call.json:
            self.printer.data(dump({"status": "ok", "ledgers": objects}))
        elif not found:
            key = "ledger_cli.none" if self._call.everywhere else "ledger_cli.none_here"
            self._say(self._words(key))
        return 0

    def _tail(self) -> int:
        view, which = open_view(self._meant()), self._call.which
        newest = (row for _, row in view.older_rows(view.end, which) if row is not None)
        rows = list(islice(newest, self._call.lines))[::-1]
        for row in rows:
            self._put_row(row)
        end = view.end
        while self._call.follow and not self.printer.broken:
            look = view.poll()
            if look == "replaced":
                self.printer.warn(phrase("ledger_cli.replaced"))
                end = 0
            elif look == "gone":
                raise LedgerFault(phrase("ledger_cli.gone", file=str(view.path)))
            while end < view.end and not self.printer.broken:
                new = [row for row in view.newer(end, _PAGE) if row.offset < view.end]
                if not new:
                    break
                for row in new:
                    if which.takes(row.facts):
                        self._put_row(row)
                end = new[-1].offset + new[-1].size + 1
            if self._wait():
                break
        return 0

    def _show(self) -> int:
        view = open_view(self._meant())
        view.index_all()
        line = view.line_of_seq(self._call.seq)
        row = view.row(line) if line is not None else None
        if row is None or line is None:
            raise LedgerFault(phrase("ledger_cli.no_record", seq=self._call.seq, file=str(view.path)))
        if self._call.around:
            detail = view.boundary(line, 0, _AROUND)
            if detail is None:
                raise LedgerFault(phrase("ledger_cli.no_boundary", seq=row.seq))
            if self._call.json:
                self.printer.data(dump({"status": "ok", **detail_object(detail)}))
            else:
                self._say_all(self._text.boundary(detail))
            return 0
        data = None if self._call.json else view.raw(row)
        try:
            pretty = None if data is None else json.dumps(decode(data), ensure_ascii=False, indent=2)
        except ValueError:
            pretty = None
        for part in (
            [pretty.encode("utf-8", "backslashreplace")] if pretty else (one.data for one in pieces(view, row))
        ):
            self.printer.raw(part)
        self.printer.raw(b"\n")
        return 0

    # -- checking

    def _check(self) -> int:
        paths = [one.path for one, _ in self._here()] if self._call.everywhere else [self._meant()]
        if not paths:
            self._say(self._words("ledger_cli.none"))
        objects, sound = [], True
        for path in paths:
            try:
                open_view(path)
                found = check(path)
            except LedgerFault as fault:
                self.printer.warn(fault.phrase)
                objects.append({"file": str(path), "sound": False, "error": self._words.say(fault.phrase)})
                sound = False
                continue
            sound = sound and found.sound
            objects.append(checked_object(path, found))
            if not self._call.json:
                self._say_all(self._text.checked(path.stem, found))
        if self._call.json:
            self.printer.data(dump({"status": "ok" if sound else "failed", "ledgers": objects}))
        return 0 if sound else 1

    # -- writing out

    def _export(self) -> int:
        view, which = open_view(self._meant()), self._call.which
        if self._call.form == "markdown":
            title = f"# {self._words('ledger_cli.export_title', session=view.path.stem)}\n".encode()
            parts = chain([title], as_markdown(view, which, self._text.heading))
        else:
            parts = chain(as_lines(view, which))
        if self._call.file == "-":
            for part in takewhile(lambda _: not self.printer.broken, parts):
                self.printer.raw(part)
            return 0
        file = Path(self._call.file).expanduser()
        _write(file, parts)
        count = file.stat().st_size
        if self._call.json:
            self.printer.data(dump({"status": "ok", "file": str(file.absolute()), "size": count}))
        else:
            self._say(self._words("ledger_cli.exported", file=str(file), size=size(count)))
        return 0

    # -- printing

    def _put_row(self, row: Row) -> None:
        if self._call.json:
            self.printer.data(dump(row_object(row)))
        else:
            self._say(self._text.row(row, width_of_output()))

    def _say(self, line: str) -> None:
        self.printer.data(safe_text(line, keep_newlines=False))

    def _say_all(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._say(line)


def _write(file: Path, parts: Iterable[bytes]) -> None:
    """Write a new file, whole or not at all."""
    try:
        number = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), FILE_MODE)
    except FileExistsError as error:
        raise LedgerFault(phrase("ledger_cli.exists", file=str(file))) from error
    except OSError as error:
        raise _unwritten(file, error) from error
    try:
        # Without a buffer, which would meet the full disk only when the file is closed.
        with open(number, "wb", buffering=0) as out:
            for part in parts:
                try:
                    write_all(out.fileno(), part)
                except OSError as error:
                    raise _unwritten(file, error) from error
    except BaseException:
        file.unlink(missing_ok=True)  # half an export is none
        raise


def _unwritten(file: Path, error: OSError) -> LedgerFault:
    return LedgerFault(phrase("ledger_cli.unwritten", file=str(file), why=error.strerror or str(error)))
