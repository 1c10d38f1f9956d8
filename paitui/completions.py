"""Completion scripts for shells, made from the same tables that read the command line."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from paitui.arguments import APPROVES, LANGUAGES, OUTPUTS, POLICIES, SHELLS, parser
from paitui.engine.commands import COMMANDS
from paitui.headless import ledger_call, memory_call, sessions_call

SUBCOMMANDS = ("doctor", "ledger", "memory", "replay", "sessions", "trust")
"""First words that are no options."""
SESSIONS = "sessions"
"""A value that is completed by the ids of stored sessions."""
FILES = "files"
"""A value that is completed by files."""
FOLDERS = "folders"
"""A value that is completed by folders."""

_LIST = 'command ls -1r "${PAITUI_HOME:-$HOME/.paitui}/sessions" 2>/dev/null'


@dataclass(frozen=True, slots=True)
class Tables:
    """What there is to complete."""

    options: tuple[str, ...]
    values: Mapping[str, tuple[str, ...] | str]
    """What may follow an option: words, or one of `SESSIONS` and `FOLDERS`; nothing if it cannot be known."""
    verbs: Mapping[str, tuple[str, ...]]
    """Of each subcommand that has any."""
    verb_options: Mapping[str, tuple[str, ...]]
    slash: tuple[str, ...]
    """Slash commands that mean something in `-p`."""


def tables() -> Tables:
    """Gather it from the parser and the tables of commands."""
    known: dict[str, tuple[str, ...] | str] = {
        "--output": OUTPUTS,
        "--approve": APPROVES,
        "--lang": LANGUAGES,
        "--policy": POLICIES,
        "--completions": SHELLS,
        "--resume": SESSIONS,
        "--project": FOLDERS,
        "--model": ("offline",),
    }
    options: list[str] = []
    values: dict[str, tuple[str, ...] | str] = {}
    for action in parser()._actions:
        options += action.option_strings
        if action.nargs != 0:
            values.update({option: known.get(option, ()) for option in action.option_strings})
    calls = {"ledger": ledger_call, "memory": memory_call, "sessions": sessions_call}
    return Tables(
        options=tuple(options),
        values=values,
        verbs={name: tuple(call.SHAPES) for name, call in calls.items()},
        verb_options={name: call.OPTIONS for name, call in calls.items()},
        slash=tuple(f"/{command.name}" for command in COMMANDS if not command.screen_only),
    )


def script(shell: str) -> str:
    """Give the script that teaches a shell to complete paitui's command line.

    Args:
        shell: ``bash``, ``zsh`` or ``fish``.
    """
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](tables())


def _words(words: Sequence[str]) -> str:
    return " ".join(map(shlex.quote, words))


def _cases(found: Tables, words: str, sessions: str, folders: str) -> str:
    """Write a branch for each option that takes a value, with the shell's ways to offer words, ids and folders."""
    lines = []
    for option, values in found.values.items():
        if option in ("-p", "--print"):
            lines.append(f"    {option}) {words.format(_words(found.slash))}; return ;;")
        elif values == SESSIONS:
            lines.append(f"    {option}) {sessions}; return ;;")
        elif values == FOLDERS:
            lines.append(f"    {option}) {folders}; return ;;")
        else:
            lines.append(f"    {option}) {words.format(_words(values)) if values else ':'}; return ;;")
    return "\n".join(lines)


def _skip(found: Tables) -> str:
    """Pass over options and their values, in a loop over the words of a line."""
    return f"""    if [[ -n $value ]]; then value=; continue; fi
    case $word in {"|".join(found.values)}) value=1; continue ;; -*) continue ;; esac"""


def _bash(found: Tables) -> str:
    words = 'COMPREPLY=($(compgen -W "{}" -- "$cur"))'
    sessions = f'COMPREPLY=($(compgen -W "$({_LIST})" -- "$cur"))'
    subs = "\n".join(
        f"    {name})\n"
        f"      if [[ $cur == -* ]]; then {words.format(_words(found.verb_options[name]))}\n"
        f"      elif [[ -z $verb ]]; then {words.format(_words(verbs))}\n"
        f"      else {sessions if name in ('ledger', 'sessions') else ':'}; fi ;;"
        for name, verbs in found.verbs.items()
    )
    return f"""# Completion of paitui for bash; source it in ~/.bashrc.
_paitui() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} sub= verb= word value=
  COMPREPLY=()
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
{_skip(found)}
    if [[ -z $sub ]]; then sub=$word; elif [[ -z $verb ]]; then verb=$word; fi
  done
  case $prev in
{_cases(found, words, sessions, 'COMPREPLY=($(compgen -d -- "$cur"))')}
  esac
  case $sub in
{subs}
    replay) COMPREPLY=($(compgen -f -- "$cur")) ;;
    *)
      if [[ $cur == -* ]]; then {words.format(_words(found.options))}
      else {words.format(_words(SUBCOMMANDS))}; fi ;;
  esac
}}
complete -o default -F _paitui paitui"""


def _zsh(found: Tables) -> str:
    words = "compadd -- {}"
    sessions = f'compadd -- ${{(f)"$({_LIST})"}}'
    subs = "\n".join(
        f"    {name})\n"
        f"      if [[ $cur == -* ]]; then {words.format(_words(found.verb_options[name]))}\n"
        f"      elif [[ -z $verb ]]; then {words.format(_words(verbs))}\n"
        f"      else {sessions if name in ('ledger', 'sessions') else '_files'}; fi ;;"
        for name, verbs in found.verbs.items()
    )
    return f"""#compdef paitui
# Completion of paitui for zsh; source it in ~/.zshrc after compinit, or save it as _paitui in $fpath.
_paitui() {{
  local cur=${{words[CURRENT]}} prev=${{words[CURRENT-1]}} sub= verb= word value=
  for word in "${{(@)words[2,CURRENT-1]}}"; do
{_skip(found)}
    if [[ -z $sub ]]; then sub=$word; elif [[ -z $verb ]]; then verb=$word; fi
  done
  case $prev in
{_cases(found, words, sessions, "_files -/")}
  esac
  case $sub in
{subs}
    replay) _files ;;
    *)
      if [[ $cur == -* ]]; then {words.format(_words(found.options))}
      else {words.format(_words(SUBCOMMANDS))}; fi ;;
  esac
}}
if [[ ${{funcstack[1]}} == _paitui ]]; then _paitui "$@"; else compdef _paitui paitui; fi"""


def _fish(found: Tables) -> str:
    first = "not __fish_seen_subcommand_from " + " ".join(SUBCOMMANDS)
    sessions = f"({_LIST.replace('${PAITUI_HOME:-$HOME/.paitui}', '$__paitui_home')})"
    lines = [
        "# Completion of paitui for fish.",
        "set -q PAITUI_HOME; and set -g __paitui_home $PAITUI_HOME; or set -g __paitui_home $HOME/.paitui",
        "complete -c paitui -f",
        f"complete -c paitui -n '{first}' -a '{' '.join(SUBCOMMANDS)}'",
    ]
    for option in found.options:
        name = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
        values = found.values.get(option)
        if option in ("-p", "--print"):
            rest = f" -x -a '{' '.join(found.slash)}'"
        elif values == SESSIONS:
            rest = f" -x -a '{sessions}'"
        elif values == FOLDERS:
            rest = " -x -a '(__fish_complete_directories)'"
        else:
            rest = "" if values is None else f" -x -a '{' '.join(values)}'" if values else " -x"
        lines.append(f"complete -c paitui {name}{rest}")
    for sub, verbs in found.verbs.items():
        seen = f"__fish_seen_subcommand_from {sub}"
        none = f"{seen}; and not __fish_seen_subcommand_from {' '.join(verbs)}"
        lines.append(f"complete -c paitui -n '{none}' -a '{' '.join(verbs)}'")
        lines += [
            f"complete -c paitui -n '{seen}' -l {option[2:]}"
            for option in found.verb_options[sub]
            if option.startswith("--") and option not in found.options
        ]
    for sub, taking in (("sessions", "show export fork delete"), ("ledger", "tail show check export")):
        lines.append(
            f"complete -c paitui -n '__fish_seen_subcommand_from {sub}; "
            f"and __fish_seen_subcommand_from {taking}' -a '{sessions}'"
        )
    lines.append("complete -c paitui -n '__fish_seen_subcommand_from replay' -F")
    return "\n".join(lines)
