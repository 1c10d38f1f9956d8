"""The environment that a command gets: a short list, and nothing that looks like a key."""

import re
from collections.abc import Mapping, Sequence

_PASSED = frozenset(
    (
        "PATH",
        "HOME",
        "LANG",
        "LANGUAGE",
        "TERM",
        "TMPDIR",
        "TZ",
        "USER",
        "LOGNAME",
        "SHELL",
        "VIRTUAL_ENV",
    )
)
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|COOKIE|AUTH", re.IGNORECASE)


def command_environment(environment: Mapping[str, str], allowed: Sequence[str]) -> dict[str, str]:
    """Choose what a command may know.

    Args:
        environment: Paitui's own environment.
        allowed: Names passed on besides the built-in list, even if they look like a key's.

    Returns:
        The command's environment.
    """
    return {
        name: value
        for name, value in environment.items()
        if name in allowed or ((name in _PASSED or name.startswith("LC_")) and not _SECRET.search(name))
    }
