"""What the files that describe a project say: which versions, which tools."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from paitui.memory.lexicon import lexicon

_MOST = 400_000
"""Characters of a file that are looked at."""
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)*")


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that a file says."""

    value: str
    """A version, with ``+`` for this or later, or the name of a tool."""
    file: str
    """Path relative to the project."""
    line: int
    """Line number from 1; 0 where it is the file as such."""
    says: str
    """What stands there."""


_Read = Callable[[str], str | None]
_Rule = tuple[str, str]
"""A file and a pattern; its group ``v`` is what the file says."""

_GRADLE = ("build.gradle", "build.gradle.kts", "app/build.gradle", "app/build.gradle.kts")
_GRADLE_JAVA = (
    r"JavaLanguageVersion\.of\(\s*[\"']?(?P<v>[0-9]+)|jvmToolchain\(\s*(?P<v2>[0-9]+)"
    r"|(?:source|target)Compatibility\s*=?\s*(?:JavaVersion\.VERSION_|[\"'])?(?P<v3>[0-9][0-9_.]*)"
)
_POM_JAVA = (
    r"<(?:maven\.compiler\.(?:release|source|target)|java\.version|release|source|target|jdk\.version)>\s*"
    r"(?P<v>[0-9][0-9.]*)\s*<"
)
_TOOL_VERSIONS = ".tool-versions"
_VERSIONS: Mapping[str, tuple[_Rule, ...]] = {
    "java": (
        ("pom.xml", _POM_JAVA),
        *((file, _GRADLE_JAVA) for file in _GRADLE),
        (".java-version", r"^(?:\w+-)?(?P<v>[0-9][0-9.]*)"),
        (".sdkmanrc", r"^java\s*=\s*(?P<v>[0-9][0-9.]*)"),
        (_TOOL_VERSIONS, r"^java\s+(?:[a-z]+-)?(?P<v>[0-9][0-9.]*)"),
    ),
    "python": (
        (".python-version", r"^(?:python-|pypy|cpython-)?(?P<v>[0-9][0-9.]*)"),
        ("pyproject.toml", r"^\s*(?:requires-python|python)\s*=\s*[\"'](?P<v>[^\"']+)[\"']"),
        ("setup.cfg", r"^\s*python_requires\s*=\s*(?P<v>\S+)"),
        ("runtime.txt", r"^python-(?P<v>[0-9.]+)"),
        (_TOOL_VERSIONS, r"^python\s+(?P<v>[0-9][0-9.]*)"),
    ),
    "node": (
        (".nvmrc", r"^v?(?P<v>[0-9][0-9.]*)"),
        (".node-version", r"^v?(?P<v>[0-9][0-9.]*)"),
        (_TOOL_VERSIONS, r"^nodejs\s+(?P<v>[0-9][0-9.]*)"),
    ),
    "go": (("go.mod", r"^go\s+(?P<v>[0-9][0-9.]*)"), (_TOOL_VERSIONS, r"^golang\s+(?P<v>[0-9][0-9.]*)")),
    "rust": (
        ("Cargo.toml", r"^\s*rust-version\s*=\s*[\"'](?P<v>[0-9][0-9.]*)"),
        ("rust-toolchain.toml", r"^\s*channel\s*=\s*[\"'](?P<v>[0-9][0-9.]*)"),
        ("rust-toolchain", r"^(?P<v>[0-9][0-9.]*)"),
        (_TOOL_VERSIONS, r"^rust\s+(?P<v>[0-9][0-9.]*)"),
    ),
    "ruby": ((".ruby-version", r"^(?:ruby-)?(?P<v>[0-9][0-9.]*)"), ("Gemfile", r"^\s*ruby\s+[\"'](?P<v>[0-9.]+)")),
    "spring_boot": (
        ("pom.xml", r"<artifactId>spring-boot-starter-parent</artifactId>\s*<version>(?P<v>[0-9][0-9.]*)"),
        ("pom.xml", r"<spring-boot\.version>\s*(?P<v>[0-9][0-9.]*)"),
        *((file, r"org\.springframework\.boot[\"']\)?\s*version\s*[\"'](?P<v>[0-9][0-9.]*)") for file in _GRADLE),
    ),
    "gradle": (("gradle/wrapper/gradle-wrapper.properties", r"gradle-(?P<v>[0-9][0-9.]*)-(?:bin|all)\.zip"),),
    "maven": ((".mvn/wrapper/maven-wrapper.properties", r"apache-maven-(?P<v>[0-9][0-9.]*)-bin"),),
    "kotlin": tuple(
        (file, r"(?:kotlin\(\"jvm\"\)|org\.jetbrains\.kotlin\.jvm[\"']\)?)\s*version\s*[\"'](?P<v>[0-9][0-9.]*)")
        for file in _GRADLE
    ),
    "django": (
        ("pyproject.toml", r"[\"']django\s*(?P<v>[=~><^][^\"',]*)"),
        ("requirements.txt", r"^django\s*(?P<v>[=~><]=?[0-9.]+)"),
    ),
    "pydantic": (("pyproject.toml", r"[\"']pydantic\s*(?P<v>[=~><^][^\"',]*)"),),
}
_NPM_NAMES = {"next": "next", "vue": "vue", "angular": "@angular/core", "tailwind": "tailwindcss"}

_TRACES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "js_packages": (
        ("pnpm-lock.yaml", "pnpm"),
        ("yarn.lock", "yarn"),
        ("package-lock.json", "npm"),
        ("bun.lock", "bun"),
        ("bun.lockb", "bun"),
    ),
    "python_packages": (
        ("uv.lock", "uv"),
        ("poetry.lock", "poetry"),
        ("Pipfile.lock", "pipenv"),
        ("pdm.lock", "pdm"),
        ("environment.yml", "conda"),
    ),
    "jvm_build": (
        ("pom.xml", "maven"),
        ("build.gradle", "gradle"),
        ("build.gradle.kts", "gradle"),
        ("build.sbt", "sbt"),
        ("build.xml", "ant"),
    ),
    "ci": (
        (".gitlab-ci.yml", "gitlab"),
        ("Jenkinsfile", "jenkins"),
        (".circleci/config.yml", "circleci"),
        (".travis.yml", "travis"),
    ),
    "docs_tool": (("mkdocs.yml", "mkdocs"), ("docs/conf.py", "sphinx"), ("docusaurus.config.js", "docusaurus")),
}
"""Files whose being there says which tool is in use."""
_NPM_SLOTS = frozenset({
    "js_tests", "bundler", "frontend", "meta_framework", "js_lint", "formatter", "state", "browser_tests", "js_orm",
    "node_web", "css", "components", "http_client",
})  # fmt: skip
_NPM_TOOLS = {
    "react": "react", "vue": "vue", "@angular/core": "angular", "svelte": "svelte", "preact": "preact",
    "jquery": "jquery", "solid-js": "solid", "next": "next", "nuxt": "nuxt", "gatsby": "gatsby", "astro": "astro",
    "jest": "jest", "vitest": "vitest", "mocha": "mocha", "jasmine": "jasmine", "karma": "karma", "ava": "ava",
    "webpack": "webpack", "vite": "vite", "rollup": "rollup", "esbuild": "esbuild", "parcel": "parcel",
    "eslint": "eslint", "@biomejs/biome": "biome", "tslint": "tslint", "prettier": "prettier", "redux": "redux",
    "@reduxjs/toolkit": "redux", "zustand": "zustand", "mobx": "mobx", "pinia": "pinia", "vuex": "vuex",
    "@playwright/test": "playwright", "cypress": "cypress", "puppeteer": "puppeteer", "prisma": "prisma",
    "typeorm": "typeorm", "sequelize": "sequelize", "drizzle-orm": "drizzle", "express": "express", "koa": "koa",
    "fastify": "fastify", "@nestjs/core": "nestjs", "hono": "hono", "tailwindcss": "tailwind", "antd": "antd",
    "@mui/material": "mui", "element-plus": "element", "axios": "axios",
}  # fmt: skip


def version_facts(product: str, read: _Read) -> Iterator[Fact]:
    """Find what the files say about the version of a product.

    Args:
        product: Its name in the lexicon.
        read: Reads a file of the project.

    Yields:
        One fact for each place that names a version.
    """
    for file, pattern in _VERSIONS.get(product, ()):
        if (text := _text(file, read)) is None:
            continue
        for match in re.finditer(pattern, text, re.MULTILINE | re.IGNORECASE):
            group = next(name for name, value in match.groupdict().items() if value)
            says = match[group].strip().rstrip(".")
            if value := _version(product, says):
                yield Fact(value, file, _line(text, match.start(group)), says.replace("_", "."))
    yield from _npm_versions(product, read)


def tool_facts(slot: str, read: _Read) -> Iterator[Fact]:
    """Find what the files say about the choice of a tool.

    Args:
        slot: What it is a choice of, by its name in the lexicon.
        read: Reads a file of the project.

    Yields:
        One fact for each trace of a tool.
    """
    for file, tool in _TRACES.get(slot, ()):
        if read(file) is not None:
            yield Fact(tool, file, 0, tool)
    if slot != "js_packages" and slot not in _NPM_SLOTS:
        return
    if (text := read("package.json")) is None or not (package := _object(text)):
        return
    if slot == "js_packages":
        said = package.get("packageManager")
        if isinstance(said, str) and (name := said.partition("@")[0]):
            yield Fact(name, "package.json", _key_line(text, "packageManager"), said)
        return
    for name, _ in _dependencies(package):
        tool = _NPM_TOOLS.get(name, "")
        if tool and any(meaning.slot == slot for meaning in lexicon().meanings.get(tool, ())):
            yield Fact(tool, "package.json", _key_line(text, name), name)


def _npm_versions(product: str, read: _Read) -> Iterator[Fact]:
    if (text := read("package.json")) is None or not (package := _object(text)):
        return
    engines = package.get("engines")
    said = engines.get(product) if isinstance(engines, dict) else None
    if isinstance(said, str) and (value := _version(product, said)):
        yield Fact(value, "package.json", _key_line(text, product, text.find('"engines"')), said)
    manager = package.get("packageManager")
    if isinstance(manager, str) and manager.startswith(f"{product}@") and (value := _version(product, manager)):
        yield Fact(value.split("+")[0], "package.json", _key_line(text, "packageManager"), manager)
    wanted = _NPM_NAMES.get(product, product)
    for name, said in _dependencies(package):
        if name == wanted and (value := _version(product, said)):
            yield Fact(value, "package.json", _key_line(text, name), said)


def _dependencies(package: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for kind in ("dependencies", "devDependencies", "peerDependencies"):
        table = package.get(kind)
        if isinstance(table, dict):
            yield from ((name, said) for name, said in table.items() if isinstance(said, str))


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text[:_MOST])
    except (ValueError, RecursionError):
        return {}  # a file that is being edited says nothing for now
    return value if isinstance(value, dict) else {}


def _version(product: str, said: str) -> str:
    """A version or a range of them, as `versions.compatible` takes it; empty if it names none."""
    match = _NUMBER.search(said.replace("_", "."))
    if match is None:
        return ""
    number = match[0]
    if product == "java" and number.startswith("1.") and len(number) > 2:
        number = number[2:]
    before = said[: match.start()]
    if ">" in before:
        return f"{number}+"
    if "^" in before:
        return number.split(".")[0] if not number.startswith("0.") and product != "python" else f"{number}+"
    if "~" in before:
        return ".".join(number.split(".")[:2])
    return number


def _text(file: str, read: _Read) -> str | None:
    text = read(file)
    if text is None:
        return None
    text = text[:_MOST]
    if file.endswith(".xml"):
        return _blanked(r"<!--.*?(?:-->|\Z)", text)
    if file.endswith((".gradle", ".kts")):
        return _blanked(r"/\*.*?(?:\*/|\Z)|(?<![:\"'])//[^\n]*", text)
    return _blanked(r"^\s*#[^\n]*", text)


def _blanked(pattern: str, text: str) -> str:
    """Blank out comments, so that line numbers stay."""
    return re.sub(pattern, lambda match: re.sub(r"[^\n]", " ", match[0]), text, flags=re.DOTALL | re.MULTILINE)


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _key_line(text: str, key: str, start: int = 0) -> int:
    match = re.compile(rf'"{re.escape(key)}"\s*:').search(text, max(start, 0))
    return _line(text, match.start()) if match else 0
