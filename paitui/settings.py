"""Every setting, typed, with its default and what it means; the command line wins over the file."""

import dataclasses
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from paitui.locale import Phrase, phrase

MAX_FILE_BYTES = 1_000_000
"""A larger file is no settings file."""
SESSION_MEMORY = "PAITUI_SESSION_MEMORY_COMPACTION_ENABLED"
"""Environment variable that switches the preparing of summaries on or off."""


@dataclass(frozen=True, slots=True)
class Range:
    """What a number may be, both ends included."""

    least: float = 0
    most: float = 1_000_000_000


Tokens = Annotated[int, Range(0, 10_000_000)]
Chars = Annotated[int, Range(100, 10_000_000)]
Rounds = Annotated[int, Range(1, 1_000_000)]
Seconds = Annotated[int, Range(1, 86_400)]


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """When and how the history is shortened. Tokens are estimates, characters are code points."""

    window: Tokens = 0
    """Context size of the model in tokens; 0 takes what is known of the model."""
    clear_at: Tokens = 0
    """Tokens from which old tool results are cleared; 0 derives it from the window."""
    offload_chars: Chars = 32_000
    """A tool result longer than this goes to a file."""
    offload_command_chars: Chars = 8_000
    """The same for the output of `execute_command`."""
    offload_round_chars: Chars = 64_000
    """Results of one round that are longer together go to files, the largest first."""
    preview_head_chars: Annotated[int, Range(0, 10_000_000)] = 2_000
    """What an offloaded result keeps of its beginning."""
    preview_tail_chars: Annotated[int, Range(0, 10_000_000)] = 800
    """What an offloaded result keeps of its end."""
    slice_chars: Chars = 32_000
    """Longest slice that `read_file` returns at once."""
    keep_results: int = 3
    """The newest results that are never cleared."""
    clear_min_chars: int = 400
    """Results shorter than this are never cleared."""
    stub_min_chars: int = 400
    """Texts in the arguments of old calls that are longer than this go to files when results are cleared."""
    clear_exclude: tuple[str, ...] = ()
    """Tools whose results and arguments are never cleared."""
    clear_worth_percent: Annotated[int, Range(0, 100)] = 5
    """Clearing waits until it frees this share of the window."""
    clear_worth_tokens: int = 10_000
    """And at least this many tokens on windows of 128,000 and more."""
    keep_user_messages: Annotated[int, Range(1)] = 3
    """Automatic compaction keeps the history from this many user messages back."""
    summary_piece_chars: Annotated[int, Range(1_000, 10_000_000)] = 60_000
    """Longest piece of history that one summary request covers."""
    summary_part_chars: Annotated[int, Range(500, 10_000_000)] = 8_000
    """Longest partial summary where several pieces are merged."""
    summary_timeout_s: Seconds = 180
    """Seconds that one request for a summary may take."""
    session_memory: bool = False
    """Experimental: prepare the summary in the background, so that it is there when it is needed; the environment
    variable `PAITUI_SESSION_MEMORY_COMPACTION_ENABLED` (`true` or `false`) wins over the file."""
    prior: Annotated[float, Range(0.1, 10)] = 1.3
    """Factor on the estimate until a provider has reported usage."""
    keep_outputs_days: Annotated[int, Range(0, 36_500)] = 30
    """Files of offloaded results older than this are removed, if no session refers to them."""
    keep_outputs_mb: int = 2_048
    """Together the files of offloaded results stay under this size, if no session refers to them."""


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """Valves of the agent loop."""

    max_rounds: Rounds = 200
    """Tool rounds in one task."""
    repeat_limit: Rounds = 3
    """The same calls with the same arguments this many rounds in a row end the task."""
    token_budget: int = 0
    """Tokens that one task may use, prompt and completion; 0 means no limit."""
    parallel_reads: Annotated[int, Range(1, 64)] = 4
    """Reading tools of one round that run side by side."""


@dataclass(frozen=True, slots=True)
class PlanSettings:
    """Plans (`/plan`) and teams (`/team`)."""

    parallel: Annotated[int, Range(1, 16)] = 4
    """Tasks of a plan that run side by side."""
    max_tasks: Annotated[int, Range(1, 100)] = 20
    """Tasks that a plan may have."""
    replans: Annotated[int, Range(0, 10)] = 2
    """How often a plan that fails with less than half of it done is made anew."""
    sendbacks: Annotated[int, Range(0, 10)] = 2
    """How often a team's step goes back to its worker."""


@dataclass(frozen=True, slots=True)
class CommandSettings:
    """How `execute_command` runs a program."""

    timeout_s: Seconds = 60
    """Seconds after which a command is ended, unless the call asks for another limit."""
    output_mb: Annotated[int, Range(1, 10_000)] = 16
    """Megabytes of output that are kept; the rest is counted."""
    env_allow: tuple[str, ...] = ()
    """Names of environment variables passed on besides the built-in list."""


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """Long-term memory."""

    extraction: bool = True
    """After a task, lasting facts that you stated are added to the memory, unconfirmed; `false`: none are."""


@dataclass(frozen=True, slots=True)
class McpSettings:
    """MCP servers; which ones there are stands in `mcp.json`."""

    start_timeout_s: Seconds = 30
    """Seconds in which a server must be up."""
    wait_s: Annotated[int, Range(0, 600)] = 10
    """Seconds that the first message waits for servers that are still starting."""
    call_timeout_s: Seconds = 120
    """Seconds that one call may take, unless the server's entry says otherwise by `timeout_s`."""


@dataclass(frozen=True, slots=True)
class WebSettings:
    """How `web_fetch` reaches out."""

    allow_hosts: tuple[str, ...] = ()
    """Hosts that are fetched without asking, inside your machine or network too: `docs.example.org`,
    `*.example.org`, `localhost:8000`."""
    max_mb: Annotated[int, Range(1, 100)] = 5
    """Megabytes of a page that are read; the rest is left out, and it is said."""
    timeout_s: Seconds = 30
    """Seconds that one request may take, redirects included."""
    requests_per_minute: Annotated[int, Range(1, 10_000)] = 30
    """Requests of a session in a minute, searches included."""


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """Where `web_search` asks; it is there once a provider is set up."""

    provider: str = ""
    """`searxng`, `zhipu` or `serpapi`; empty: there is no `web_search`."""
    base_url: str = ""
    """Its address: needed for `searxng`; empty takes the usual one of the others."""
    api_key_env: str = ""
    """Environment variable that holds the key; empty takes `ZHIPUAI_API_KEY` or `SERPAPI_API_KEY`."""


@dataclass(frozen=True, slots=True)
class UiSettings:
    """The screen."""

    language: str = "auto"
    """`auto`, `en` or `zh`."""
    theme: str = "dark"
    """Name of a palette in `themes/` or `<home>/themes/`."""
    glyphs: str = "auto"
    """`auto` asks the terminal how wide it draws signs and borders; `unicode` or `ascii` say it."""
    mouse: bool = True
    """`false` leaves the mouse to the terminal, whose own selecting and copying then work as everywhere."""
    notify: str = "auto"
    """How you are called when something waits for you, or a task of over 20 seconds is done, and you look elsewhere:
    `bell`, `desktop` (a notification by OSC 9, where the terminal has it), `auto` for the better one, or `off`."""


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """Where a provider is found and what its models are; what is left out is known of the provider or its models."""

    base_url: str = ""
    """Address of the API, for a proxy, a local server or what speaks like OpenAI; empty takes the usual one."""
    api_key_env: str = ""
    """Name of the environment variable that holds the key; empty takes the provider's usual one."""
    api_key: str = field(default="", repr=False)
    """The key itself, if it must stand in this file; it wins over the environment."""
    like: str = ""
    """Name of a known provider whose rules hold here; an unknown provider counts as OpenAI-compatible."""
    models: tuple[str, ...] = ()
    """Models that `/model` offers besides those that are known."""
    window: Tokens = 0
    """Context size of its models in tokens; 0 takes what is known of the model."""
    max_output: Tokens = 0
    """Longest answer of its models in tokens; 0 takes what is known of the model."""
    input_price: float = 0.0
    """US dollars for a million tokens sent; 0 takes what is known of the model."""
    output_price: float = 0.0
    """US dollars for a million tokens answered; 0 takes what is known of the model."""
    cache_read_price: float = 0.0
    """US dollars for a million tokens sent that the provider had cached; 0 takes what is known of the model."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings. In the file, `model` stands at the top and each group is a table."""

    model: str = "offline"
    """`offline` for the built-in engine, or a remote model as `provider/name`."""
    small_model: str = ""
    """Model for work in the background, such as summaries; empty takes `model`."""
    offline_pace_ms: Annotated[int, Range(0, 10_000)] = 8
    """Milliseconds between the words of the offline engine on the screen, so that it reads like a stream."""
    context: ContextSettings = field(default_factory=ContextSettings)
    agent: AgentSettings = field(default_factory=AgentSettings)
    plan: PlanSettings = field(default_factory=PlanSettings)
    command: CommandSettings = field(default_factory=CommandSettings)
    memory: MemorySettings = field(default_factory=MemorySettings)
    mcp: McpSettings = field(default_factory=McpSettings)
    web: WebSettings = field(default_factory=WebSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    ui: UiSettings = field(default_factory=UiSettings)
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Other keys for the actions of the screen, `action = "f9"` or a list of keys; the names stand under Keys."""
    providers: Mapping[str, ProviderSettings] = field(default_factory=dict)
    """One table per provider, `[providers.NAME]`; the name is what stands before the slash in `model`."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings and what was wrong with the file."""

    settings: Settings
    problems: tuple[Phrase, ...] = ()
    """One phrase per key that was left at its default, or one for a file that cannot be read."""


def load(file: Path) -> Loaded:
    """Read the settings file.

    A missing file gives the defaults. A broken file or key never stops the program: the rest counts, and each
    problem is reported with the file, the key and what is expected there.

    Args:
        file: Path of a TOML file.

    Returns:
        The settings with the problems found.
    """
    try:
        if fault := _unfit(file):
            return Loaded(Settings(), (fault,))
        values = tomllib.loads(file.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        return Loaded(Settings())
    except (OSError, UnicodeDecodeError) as error:
        return Loaded(Settings(), (phrase("settings.unreadable", file=str(file), why=str(error)),))
    except (ValueError, RecursionError) as error:  # no TOML, or a number or nesting that the parser gives up on
        return Loaded(Settings(), (phrase("settings.broken", file=str(file), why=str(error)),))
    problems: list[Phrase] = []
    settings = _build(Settings, values, "", str(file), problems, Settings())
    return Loaded(settings, tuple(problems))


def layered(under: Loaded, data: bytes, file: str) -> Loaded:
    """Put the settings of a trusted project over the user's. What it does not say stays as it is.

    A key that opens an account is left out: everybody who has the project would have it, and whoever wrote it would
    see what others do with it.

    Args:
        under: The user's settings.
        data: The project's file, as it was trusted.
        file: Its path, for the problems.

    Returns:
        Both together, with the problems of both.
    """
    try:
        values = tomllib.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        return Loaded(
            under.settings, (*under.problems, phrase("settings.broken_in_project", file=file, why=str(error)))
        )
    problems = list(under.problems)
    providers = values.get("providers")
    for name, table in providers.items() if isinstance(providers, dict) else ():
        if isinstance(table, dict) and table.pop("api_key", None) is not None:
            problems.append(phrase("settings.key_in_project", file=file, key=f"providers.{name}.api_key"))
    settings = _build(Settings, values, "", file, problems, under.settings)
    return Loaded(settings, tuple(problems))


def _unfit(file: Path) -> Phrase | None:
    """Say why a file is not to be read at all: reading a pipe or a device need never end."""
    facts = file.stat()
    if not (stat.S_ISREG(facts.st_mode) or stat.S_ISDIR(facts.st_mode)):
        return phrase("settings.no_file", file=str(file))
    if facts.st_size > MAX_FILE_BYTES:
        return phrase("settings.too_large", file=str(file), limit=MAX_FILE_BYTES)
    return None


def with_environment(settings: Settings, environment: Mapping[str, str]) -> Settings:
    """Let the switches of the environment win.

    Args:
        settings: As they were read.
        environment: The process environment.
    """
    switch = environment.get(SESSION_MEMORY, "").strip().lower()
    if switch not in ("true", "false"):
        return settings
    context = dataclasses.replace(settings.context, session_memory=switch == "true")
    return dataclasses.replace(settings, context=context)


def _build(
    kind: type[Any], values: Mapping[str, Any], prefix: str, file: str, problems: list[Phrase], under: Any
) -> Any:
    """Read a table; what it does not say, or says wrongly, stays as it is in `under`."""
    hints = get_type_hints(kind, include_extras=True)
    known: dict[str, Any] = {}
    for name, value in values.items():
        key = f"{prefix}{name}"
        if name not in hints:
            problems.append(phrase("settings.unknown", file=file, key=key))
        elif dataclasses.is_dataclass(hints[name]) or get_origin(hints[name]) is Mapping:
            if not isinstance(value, dict):
                problems.append(phrase("settings.wrong", file=file, key=key, expected=phrase("settings.table")))
            elif get_origin(hints[name]) is Mapping:
                kind_of_item = get_args(hints[name])[1]
                read = _tables if dataclasses.is_dataclass(kind_of_item) else _lists
                known[name] = read(kind_of_item, value, key, file, problems, getattr(under, name))
            else:
                known[name] = _build(hints[name], value, f"{key}.", file, problems, getattr(under, name))
        elif (good := _convert(hints[name], value)) is None:
            problems.append(phrase("settings.wrong", file=file, key=key, expected=_expected(hints[name])))
        else:
            known[name] = good
    return dataclasses.replace(under, **known)


def _tables(
    kind: type[Any],
    values: Mapping[str, Any],
    key: str,
    file: str,
    problems: list[Phrase],
    under: Mapping[str, Any],
) -> dict[str, Any]:
    """Read a table of tables that the user names."""
    known = dict(under)
    for name, value in values.items():
        if isinstance(value, dict):
            known[name] = _build(kind, value, f"{key}.{name}.", file, problems, under.get(name, kind()))
        else:
            problems.append(
                phrase("settings.wrong", file=file, key=f"{key}.{name}", expected=phrase("settings.table"))
            )
    return known


def _lists(
    kind: type[Any],
    values: Mapping[str, Any],
    key: str,
    file: str,
    problems: list[Phrase],
    under: Mapping[str, Any],
) -> dict[str, Any]:
    """Read a table of lists that the user names; one text stands for a list of one."""
    known = dict(under)
    for name, value in values.items():
        good = _convert(kind, [value] if isinstance(value, str) else value)
        if good is None:
            problems.append(phrase("settings.wrong", file=file, key=f"{key}.{name}", expected=_expected(kind)))
        else:
            known[name] = good
    return known


def _convert(hint: Any, value: Any) -> Any:
    """Give the value in the field's type, or None if it does not fit."""
    hint, limits = _plain(hint)
    if get_origin(hint) is tuple:
        fits = isinstance(value, list) and all(isinstance(item, get_args(hint)[0]) for item in value)
        return tuple(value) if fits else None
    number = type(value) is int if hint is int else type(value) in (int, float)
    if hint in (int, float):
        return hint(value) if number and limits.least <= value <= limits.most else None
    return value if type(value) is hint else None


def _plain(hint: Any) -> tuple[Any, Range]:
    """Take a field's type and the limits of its number apart."""
    if get_origin(hint) is Annotated:
        plain, limits = get_args(hint)
        return plain, limits
    return hint, Range()


def _expected(hint: Any) -> Phrase:
    hint, limits = _plain(hint)
    if hint in (int, float):
        return phrase("settings.number", least=limits.least, most=limits.most)
    return phrase({str: "settings.text", bool: "settings.flag"}.get(hint, "settings.texts"))
