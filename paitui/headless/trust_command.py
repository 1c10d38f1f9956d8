"""`paitui trust`: trust a project's own files, take that back, or show what they set."""

from paitui import streams
from paitui.clock import Clock
from paitui.engine.project_desk import state_lines
from paitui.locale import Phrase, Words, phrase
from paitui.paths import Paths
from paitui.trust.project import Trust
from paitui.trust.record import TrustError, grant, revoke
from paitui.trust.safe_text import safe_text


def run(verb: str, paths: Paths, trust: Trust, words: Words, clock: Clock) -> int:
    """Do it and say what was done.

    Args:
        verb: ``grant``, ``show`` or ``revoke``.
        paths: Home and project.
        trust: How the project stands.
        words: The user's language.
        clock: For the record.

    Returns:
        0 if it is done; with ``show``, if there is nothing that is ignored. 1 if it could not be done, or files are
        ignored.
    """
    project = str(paths.project)
    try:
        match verb:
            case "show":
                return _say(words, *state_lines(trust)) or int(trust.ignored)
            case "revoke":
                key = "cli_revoked" if revoke(paths) else "cli_not_known"
                return _say(words, phrase(f"project_trust.{key}", project=project))
        if trust.state == "nothing":
            return _say(words, phrase("project_trust.cli_nothing", project=project))
        if trust.state == "trusted":
            return _say(words, phrase("project_trust.cli_already", project=project))
        grant(paths, trust, clock.now())
    except TrustError as error:
        streams.complain(f"paitui: {safe_text(words.say(error.phrase), keep_newlines=False)}")
        return 1
    said = phrase("project_trust.cli_granted", project=project)
    return _say(words, said, *state_lines(Trust("trusted", trust.files))[1:])


def _say(words: Words, *lines: Phrase) -> int:
    """Print lines; 1 if nobody reads them."""
    text = "\n".join(safe_text(words.say(line), keep_newlines=False) for line in lines)
    return int(streams.put(f"{text}\n") is not None)
