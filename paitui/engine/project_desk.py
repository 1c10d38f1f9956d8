"""Asks whether the project's own files are trusted, and keeps the answer. The user's word comes from a face."""

from collections.abc import Callable, Sequence
from itertools import count

from paitui.clock import Clock
from paitui.engine.events import CommandOutput, Event, Notice, ProjectAsked, ProjectResolved
from paitui.engine.ops import DecideProject
from paitui.locale import Phrase, phrase
from paitui.paths import Paths
from paitui.trust.external import External
from paitui.trust.external_words import trust_lines
from paitui.trust.project import Trust, is_trusted
from paitui.trust.project_told import items
from paitui.trust.record import TrustError, grant, revoke


class ProjectDesk:
    """One session's dealings with the trust in its project."""

    def __init__(
        self, paths: Paths, trust: Trust, emit: Callable[[Event], None], clock: Clock, can_ask: bool
    ) -> None:
        """Remember how the session began.

        Args:
            paths: Home and project.
            trust: What the settings of this session were read by.
            emit: Tells the faces.
            clock: For the record.
            can_ask: Whether a face puts a question to the user; without one nothing is ever trusted here.
        """
        self._paths = paths
        self._trust = trust
        self._emit = emit
        self._clock = clock
        self._can_ask = can_ask
        self._asked: tuple[str, Trust] | None = None
        self._ids = count(1)

    def begin(self) -> None:
        """Ask, or where nobody can be asked say that the project's files do not count."""
        self._warn_of_refused(self._trust)
        if self._trust.ignored and not self._ask(self._trust) and not self._trust.faults:
            self._emit(Notice("warning", ignored([file.name for file in self._trust.files], self._trust.changed)))

    def show(self, external: External | None) -> None:
        """Say how the session and its project stand, and ask if there is something to decide.

        Args:
            external: What brought content from outside into the session.
        """
        trust = is_trusted(self._paths)
        asks = self._can_ask and trust.ignored and not trust.faults
        lines = [*trust_lines(external), *(state_lines(trust)[:1] if asks else state_lines(trust))]
        self._emit(CommandOutput(phrase("project_trust.title"), tuple(lines)))
        self._ask(trust)

    def decide(self, op: DecideProject) -> None:
        """Carry out the user's answer; one to a question that is gone is ignored."""
        if self._asked is None or self._asked[0] != op.id:
            return
        shown, self._asked = self._asked[1], None
        self._emit(ProjectResolved(op.id))
        if not op.trusted:
            self._emit(Notice("info", phrase("project_trust.left")))
            return
        try:
            grant(self._paths, shown, self._clock.now())
        except TrustError as error:
            self._emit(Notice("error", error.phrase))
            return
        now = is_trusted(self._paths)
        if now.state == "trusted":
            self._emit(Notice("info", phrase("project_trust.granted")))
        else:  # somebody wrote to the files while the question stood there
            self._emit(Notice("warning", phrase("project_trust.changed_meanwhile")))
            self._ask(now)

    def revoke(self) -> None:
        """Take the trust back, for the sessions to come."""
        if self._asked is not None:
            self._emit(ProjectResolved(self._asked[0]))
            self._asked = None
        try:
            known = revoke(self._paths)
        except TrustError as error:
            self._emit(Notice("error", error.phrase))
            return
        self._emit(Notice("info", phrase("project_trust.revoked" if known else "project_trust.not_known")))

    def _ask(self, trust: Trust) -> bool:
        """Put the question, unless there is none or nobody to ask."""
        if not (self._can_ask and trust.ignored) or trust.faults:
            return False
        if self._asked is not None:
            self._emit(ProjectResolved(self._asked[0]))
        self._asked = (f"project-{next(self._ids)}", trust)
        names = tuple(file.name for file in trust.files)
        self._emit(ProjectAsked(self._asked[0], str(self._paths.project), names, trust.changed, items(trust)))
        return True

    def _warn_of_refused(self, trust: Trust) -> None:
        for file in trust.faults:
            assert file.fault is not None
            self._emit(Notice("warning", phrase("project_trust.refused", file=file.name, why=file.fault)))


def ignored(files: Sequence[str], changed: Sequence[str]) -> Phrase:
    """Say that files of the project do not count, and what to do about it.

    Args:
        files: Their names.
        changed: Those that are not what was trusted before; empty if they never were.
    """
    why = "changed" if changed else "untrusted"
    return phrase(f"project_trust.ignored_{why}", files=", ".join(files))


def state_lines(trust: Trust) -> list[Phrase]:
    """Say how a project stands, and what its files set or would set.

    Args:
        trust: As it was judged.
    """
    lines = [phrase(f"project_trust.state_{trust.state}", files=", ".join(trust.changed))]
    for file in trust.faults:
        assert file.fault is not None
        lines.append(phrase("project_trust.refused", file=file.name, why=file.fault))
    found = items(trust)
    if found:
        lines.append(phrase("project_trust.they_set" if trust.state == "trusted" else "project_trust.they_would"))
    for item in found:
        lines.append(phrase("project_trust.risky_line" if item.risky else "project_trust.line", what=item.what))
    if trust.ignored and not trust.faults:
        lines.append(phrase("project_trust.how"))
    return [*lines, *trust.problems]
