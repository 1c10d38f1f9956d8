"""What can be told of a text by rules: its kind, headings, definitions, first sentences, dependencies."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from types import MappingProxyType

import orjson

_DEFINITIONS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        ".py": re.compile(r"^(?:    )?(?:async )?(?:def|class)\s+(\w+)", re.MULTILINE),
        ".js": re.compile(
            r"^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:function\*?|class|interface|enum|type"
            r"|(?:const|let|var)(?=\s+\w+\s*=\s*(?:async\s*)?(?:\(|function|\w+\s*=>)))\s+(\w+)",
            re.MULTILINE,
        ),
        ".java": re.compile(
            r"^[ \t]*(?:(?:public|private|protected|static|final|abstract|sealed|override|open|data|suspend) +){0,6}"
            r"(?:(?:class|interface|enum|record|fun|object|@interface) +(\w+)"
            r"|[\w<>\[\],?]{1,60}(?: [\w<>\[\],?]{1,60}){0,3} +(\w+) ?"
            r"\([^;{}]{0,300}\)\s{0,40}(?:throws [\w, ]{1,200})?\{)",
            re.MULTILINE,
        ),
        ".go": re.compile(r"^(?:func\s+(?:\([^)]*\)\s*)?|type\s+)(\w+)", re.MULTILINE),
        ".rs": re.compile(
            r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+)?(?:fn|struct|enum|trait|mod|type)\s+(\w+)", re.MULTILINE
        ),
        ".c": re.compile(
            r"^(?:[A-Za-z_][\w*<>:]{0,60}(?: [\w*<>:]{1,60}){0,4}? \**(\w+) ?\([^;\n]{0,300}\) ?\{?"
            r"|(?:struct|enum|class) (\w+)) ?\{?$",
            re.MULTILINE,
        ),
        ".sh": re.compile(r"^(?:function\s+)?(\w+)\s*\(\)\s*\{?", re.MULTILINE),
        ".rb": re.compile(r"^\s*(?:def|class|module)\s+([\w.?!]+)", re.MULTILINE),
    }
)
_SAME: Mapping[str, str] = MappingProxyType(
    {
        ".pyi": ".py",
        ".jsx": ".js",
        ".ts": ".js",
        ".tsx": ".js",
        ".mjs": ".js",
        ".cjs": ".js",
        ".kt": ".java",
        ".scala": ".java",
        ".cs": ".java",
        ".cc": ".c",
        ".cpp": ".c",
        ".h": ".c",
        ".hpp": ".c",
        ".bash": ".sh",
    }
)
_HEADING = re.compile(r"^(#{1,4})[ \t]+(\S.{0,200})$", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[。！？])|(?<=[.!?])\s+")
_MARKDOWN = (".md", ".markdown", ".rst", ".txt", "")
_NOT_NAMES = frozenset({"if", "for", "while", "switch", "catch", "return", "else", "new", "try"})


def suffix_of(path: str) -> str:
    """The ending by which a file's kind is known, in small letters."""
    return PurePosixPath(path.partition("#")[0]).suffix.lower()


def is_prose(path: str) -> bool:
    """Whether a file is text for readers rather than code or data."""
    return suffix_of(path) in _MARKDOWN and not path.endswith(("Makefile", "Dockerfile"))


def definitions(path: str, text: str) -> list[str]:
    """Names that a source file defines, in order, each once."""
    suffix = suffix_of(path)
    pattern = _DEFINITIONS.get(_SAME.get(suffix, suffix))
    if pattern is None:
        return []
    names = (next(filter(None, match.groups()), "") for match in pattern.finditer(text))
    return [name for name in dict.fromkeys(names) if name and name not in _NOT_NAMES]


def headings(text: str) -> list[str]:
    """Headings of a Markdown text with their signs, code blocks left out."""
    return [f"{match[1]} {match[2].rstrip('# ')}" for match in _HEADING.finditer(_without_code(text))]


def _without_code(text: str) -> str:
    """Prose without its fenced code blocks; an unclosed one ends with the text."""
    kept: list[str] = []
    fence = ""
    for line in text.splitlines():
        mark = line[:3]
        if fence:
            fence = "" if mark == fence and not line.strip("`~ \t") else fence
        elif mark in ("```", "~~~"):
            fence = mark
        else:
            kept.append(line)
    return "\n".join(kept)


def names_in(path: str, text: str, limit: int = 4) -> list[str]:
    """The few names by which a file is remembered: definitions of code, headings of prose."""
    names = [heading.lstrip("# ") for heading in headings(text)] if is_prose(path) else definitions(path, text)
    clean = (re.sub(r"[()（）`:：;；,，]", " ", name).strip()[:40] for name in names)
    return [name for name in clean if name][:limit]


def extract(text: str, sections: int = 12, sentence_chars: int = 220) -> list[tuple[str, str]]:
    """Summarise prose by extraction: each heading with the first sentence under it.

    Args:
        text: Markdown or plain text.
        sections: Most headings.
        sentence_chars: Longest sentence, in characters.

    Returns:
        Pairs of heading (empty before the first) and sentence (empty where none follows).
    """
    bare = _without_code(text)
    found: list[tuple[str, str]] = []
    marks = list(_HEADING.finditer(bare))
    starts = [(0, "")] + [(mark.end(), mark[2].rstrip("# ")) for mark in marks]
    ends = [mark.start() for mark in marks] + [len(bare)]
    for (start, heading), end in zip(starts, ends, strict=True):
        sentence = first_sentence(bare[start:end], sentence_chars)
        if heading or sentence:
            found.append((heading, sentence))
    return found[:sections]


def first_sentence(text: str, limit: int = 220) -> str:
    """The first sentence of a text that is neither table, image, list mark nor markup."""
    for block in re.split(r"\n\s*\n", text):
        lines = [line.strip() for line in block.splitlines()]
        lines = [
            re.sub(r"^[-*>+]\s+|^\d+\.\s+", "", line)
            for line in lines
            if not line.startswith(("|", "<", "![", "[!", "==", "--"))
        ]
        joined = " ".join(filter(None, lines))
        if re.search(r"\w", joined):
            sentence = _SENTENCE.split(joined, maxsplit=1)[0].strip()
            return sentence if len(sentence) <= limit else sentence[: limit - 1].rstrip() + "…"
    return ""


def dependencies(path: str, text: str) -> list[str]:
    """Names of what a manifest depends on; empty if it is none, or cannot be read."""
    reader = _MANIFESTS.get(PurePosixPath(path).name)
    if reader is None:
        return []
    try:
        names = reader(text)
    except (ValueError, TypeError, AttributeError):
        return []  # a manifest cut short or broken tells nothing
    return list(dict.fromkeys(name for name in names if name))


def entry_points(path: str, text: str) -> list[str]:
    """Where a program starts, as far as one file tells."""
    name = PurePosixPath(path).name
    found: list[str] = []
    if name == "pyproject.toml":
        match = re.search(r"^\[project\.scripts\]\n((?:[^\[\n].*\n?)*)", text, re.MULTILINE)
        found += re.findall(r'=\s*"([^"]+)"', match[1]) if match else []
    elif name == "package.json":
        found += re.findall(r'"(?:main|bin)"\s*:\s*"([^"]+)"', text)
    elif name == "__main__.py" or re.search(
        r"__name__\s*==\s*['\"]__main__|static void main\s*\(|^func main\(\)|^fn main\(\)", text, re.MULTILINE
    ):
        found.append(path)
    return found


def _requirement(text: str) -> str:
    return re.split(r"[\s\[<>=!~;@(]", text.strip(), maxsplit=1)[0]


def _pyproject(text: str) -> list[str]:
    data = tomllib.loads(text)
    project = data.get("project", {})
    names = [_requirement(item) for item in project.get("dependencies", [])]
    poetry = data.get("tool", {}).get("poetry", {}).get("dependencies", {})
    return names + [name for name in poetry if name != "python"]


def _package_json(text: str) -> list[str]:
    data = orjson.loads(text)
    return [*data.get("dependencies", {}), *data.get("devDependencies", {})]


def _requirements(text: str) -> list[str]:
    return [_requirement(line) for line in text.splitlines() if line.strip() and not line.startswith(("#", "-"))]


def _pom(text: str) -> list[str]:
    blocks = re.findall(r"<dependency>(.*?)</dependency>", text, re.DOTALL)
    return [match[1].strip() for block in blocks if (match := re.search(r"<artifactId>(.*?)</artifactId>", block))]


def _go_mod(text: str) -> list[str]:
    return re.findall(r"^\s*(?:require\s+)?([\w.-]+\.[\w.-]+/\S+)\s+v", text, re.MULTILINE)


def _cargo(text: str) -> list[str]:
    return list(tomllib.loads(text).get("dependencies", {}))


def _gradle(text: str) -> list[str]:
    return re.findall(r"(?:implementation|api|testImplementation)[ (]+['\"]([^'\"]+)", text)


_MANIFESTS = MappingProxyType(
    {
        "pyproject.toml": _pyproject,
        "package.json": _package_json,
        "requirements.txt": _requirements,
        "pom.xml": _pom,
        "go.mod": _go_mod,
        "Cargo.toml": _cargo,
        "build.gradle": _gradle,
        "build.gradle.kts": _gradle,
    }
)
MANIFESTS: Sequence[str] = tuple(_MANIFESTS)
"""Files that name a project's dependencies."""
