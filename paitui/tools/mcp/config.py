"""The servers that `mcp.json` names, read and checked; each bad entry is told, and the rest counts. Pure."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from paitui.locale import Phrase, phrase
from paitui.paths import Paths
from paitui.reading import open_file

Source = Literal["home", "project"]
"""Whose file names the server: the user's own, or the project's."""
Transport = Literal["stdio", "http"]

MAX_FILE_BYTES = 1_000_000
"""A larger file is no list of servers."""
MAX_SERVERS = 32
"""Servers of one session; more are left out."""
MAX_TIMEOUT_S = 86_400
MIN_MASKED = 6
"""A shorter value is no secret; masking it would only make texts unreadable."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,47}")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_KEYS = frozenset(
    ("type", "command", "args", "env", "cwd", "url", "headers", "disabled", "timeout_s", "description", "transport")
)
_HTTP_TYPES = ("http", "streamable-http", "streamable_http", "streamableHttp")


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """One server, ready to be started."""

    name: str
    source: Source
    transport: Transport
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Variables besides those that every command gets."""
    cwd: str = ""
    """Where it runs; empty for the project."""
    url: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    disabled: bool = False
    timeout_s: int = 0
    """Seconds that one call may take; 0 takes the setting."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Values of the entry that may be keys, the longest first; they are masked in every text about the server."""

    def mask(self, text: str) -> str:
        """Hide what may be a key in a text."""
        for secret in self.secrets:
            text = text.replace(secret, "‹secret›")
        return text


@dataclass(frozen=True, slots=True)
class Loaded:
    """The servers of a session, and what was wrong with the files."""

    servers: tuple[ServerConfig, ...] = ()
    problems: tuple[Phrase, ...] = ()


class _Bad(Exception):
    def __init__(self, what: Phrase) -> None:
        super().__init__(what.key)
        self.phrase = what


def load(paths: Paths, project_data: bytes | None, environment: Mapping[str, str]) -> Loaded:
    """Read the user's file and, if it is trusted, the project's.

    Args:
        paths: Home and project.
        project_data: The bytes of the project's file as they were trusted; None if none counts.
        environment: For ``${VAR}``.

    Returns:
        The servers by name, the user's own before the project's. A name in both files is the user's.
    """
    problems: list[Phrase] = []
    found: dict[str, ServerConfig] = {}
    file = paths.home / "mcp.json"
    try:
        with open_file(file) as opened:
            own: bytes | None = opened.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        own = None
    except OSError as error:
        own = None
        problems.append(phrase("mcp.unreadable", file=str(file), why=error.strerror or str(error)))
    variables = {**environment, "PROJECT_DIR": str(paths.project)}
    for source, name, data in (("home", str(file), own), ("project", ".paitui/mcp.json", project_data)):
        if data is None:
            continue
        servers, faults = read_servers(data, "home" if source == "home" else "project", name, variables)
        problems += faults
        for server in servers:
            if server.name in found:
                problems.append(phrase("mcp.twice", file=name, name=server.name))
            else:
                found[server.name] = server
    if len(found) > MAX_SERVERS:
        problems.append(phrase("mcp.too_many_servers", n=len(found), most=MAX_SERVERS))
    return Loaded(tuple(found.values())[:MAX_SERVERS], tuple(problems))


def read_servers(
    data: bytes, source: Source, file: str, variables: Mapping[str, str]
) -> tuple[list[ServerConfig], list[Phrase]]:
    """Read one file.

    Args:
        data: Its bytes.
        source: Whose it is.
        file: How it is called in messages.
        variables: What ``${NAME}`` stands for.

    Returns:
        The servers that are in order, and one phrase for each that is not.
    """
    if len(data) > MAX_FILE_BYTES:
        return [], [phrase("mcp.too_large", file=file, limit=MAX_FILE_BYTES)]
    try:
        values = json.loads(data.decode("utf-8-sig")) if data.strip() else {}
    except (ValueError, RecursionError) as error:
        return [], [phrase("mcp.broken", file=file, why=str(error))]
    entries = values.get("mcpServers", {}) if isinstance(values, dict) else None
    if not isinstance(entries, dict):
        return [], [phrase("mcp.no_servers", file=file)]
    servers: list[ServerConfig] = []
    problems: list[Phrase] = []
    for name, entry in entries.items():
        try:
            servers.append(_server(name, entry, source, variables))
        except _Bad as bad:
            problems.append(phrase("mcp.bad_entry", file=file, name=name, why=bad.phrase))
            continue
        if unknown := sorted(set(entry) - _KEYS):
            problems.append(phrase("mcp.unknown_keys", file=file, name=name, keys=", ".join(unknown)))
    return servers, problems


def _server(name: str, entry: Any, source: Source, variables: Mapping[str, str]) -> ServerConfig:
    if not _NAME.fullmatch(name):
        raise _Bad(phrase("mcp.bad_name"))
    if not isinstance(entry, dict):
        raise _Bad(phrase("mcp.no_object"))
    taken: set[str] = set()

    def expand(text: str) -> str:
        def value(match: re.Match[str]) -> str:
            known = variables.get(match[1], match[2])
            if known is None:
                raise _Bad(phrase("mcp.no_variable", name=match[1]))
            if match[1] not in ("PROJECT_DIR", "HOME"):
                taken.add(known)
            return known

        return _VARIABLE.sub(value, text)

    kind = _one(entry, "type", str, "") or _one(entry, "transport", str, "")
    url, command = expand(_one(entry, "url", str, "")), expand(_one(entry, "command", str, ""))
    if kind == "sse":
        raise _Bad(phrase("mcp.sse"))
    if kind not in ("", "stdio", *_HTTP_TYPES):
        raise _Bad(phrase("mcp.bad_type", type=kind))
    transport: Transport = "http" if kind in _HTTP_TYPES or (not kind and url and not command) else "stdio"
    if transport == "http" and not url.startswith(("http://", "https://")):
        raise _Bad(phrase("mcp.bad_url"))
    if transport == "stdio" and (not command.strip() or "\0" in command):
        raise _Bad(phrase("mcp.no_command"))
    args = _one(entry, "args", list, [])
    if not all(isinstance(arg, str) and "\0" not in arg for arg in args):
        raise _Bad(phrase("mcp.bad_args"))
    timeout = _one(entry, "timeout_s", int, 0)
    if isinstance(timeout, bool) or not 0 <= timeout <= MAX_TIMEOUT_S:
        raise _Bad(phrase("mcp.bad_timeout", most=MAX_TIMEOUT_S))
    env = {key: expand(value) for key, value in _texts(entry, "env").items()}
    headers = {key: expand(value) for key, value in _texts(entry, "headers").items()}
    words = tuple(map(expand, args))
    taken.update(env.values(), headers.values(), (part for value in headers.values() for part in value.split()))
    return ServerConfig(
        name=name,
        source=source,
        transport=transport,
        command=command,
        args=words,
        env=env,
        cwd=expand(_one(entry, "cwd", str, "")),
        url=url,
        headers=headers,
        disabled=_one(entry, "disabled", bool, False),
        timeout_s=timeout,
        secrets=tuple(sorted((value for value in taken if len(value) >= MIN_MASKED), key=len, reverse=True)),
    )


def _one(entry: Mapping[str, Any], key: str, kind: type, default: Any) -> Any:
    value = entry.get(key)
    if value is None:
        return default
    if not isinstance(value, kind):
        raise _Bad(phrase("mcp.bad_value", key=key, expected=phrase(f"mcp.expected_{kind.__name__}")))
    return value


def _texts(entry: Mapping[str, Any], key: str) -> dict[str, str]:
    values = _one(entry, key, dict, {})
    for name, value in values.items():
        if not isinstance(value, str) or "\0" in name + value or "\n" in name + value or not name or "=" in name:
            raise _Bad(phrase("mcp.bad_texts", key=key, name=name))
    return dict(values)


def folder(config: ServerConfig, project: Path) -> Path:
    """Where a server runs; a relative folder stands in the project."""
    return (project / config.cwd) if config.cwd else project
