from datetime import UTC, datetime, timedelta

import pytest

from paitui.memory.describe import describe
from paitui.memory.entry import Entry
from paitui.memory.evidence import MISSING, Finding, findings
from paitui.memory.freshness import state

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
POM = """<?xml version="1.0"?>
<!DOCTYPE project [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<project>
  <!-- <java.version>17</java.version>
  -->
  <parent>
    <artifactId>spring-boot-starter-parent</artifactId>
    <version>3.2.1</version>
  </parent>
  <properties>
    <java.version>21</java.version>
    <maven.compiler.release>${java.version}</maven.compiler.release>
  </properties>
</project>
"""
PACKAGE = """{
  "name": "app",
  "packageManager": "pnpm@9.1.0",
  "engines": {"node": ">=18"},
  "dependencies": {
    "react": "^18.2.0"
  },
  "devDependencies": {"vitest": "1.0.0", "typescript": "~5.3.2"}
}
"""


def found(content: str, files: dict[str, str]) -> list[tuple[bool, str, int, str]]:
    return [(one.agrees, one.file, one.line, one.says) for one in findings(content, files.get)]


@pytest.mark.parametrize(
    ("content", "files", "expected"),
    [
        ("项目使用 Java 17", {"pom.xml": POM}, [(False, "pom.xml", 11, "21")]),
        ("JDK 可以保持 17", {"pom.xml": POM}, [(False, "pom.xml", 11, "21")]),
        ("We are on JDK 21", {"pom.xml": POM}, [(True, "pom.xml", 11, "21")]),
        ("Spring Boot 2.7", {"pom.xml": POM}, [(False, "pom.xml", 8, "3.2.1")]),
        ("We build with Gradle", {"pom.xml": POM}, [(False, "pom.xml", 0, "maven")]),
        ("不用 Maven", {"pom.xml": POM}, [(False, "pom.xml", 0, "maven")]),
        ("构建用 Maven", {"pom.xml": POM, "build.gradle": ""}, [(True, "pom.xml", 0, "maven")]),
        ("Java 1.8", {"build.gradle": "sourceCompatibility = '1.8'"}, [(True, "build.gradle", 1, "1.8")]),
        (
            "Java 17",
            {"build.gradle.kts": "// of(17)\njava { languageVersion = JavaLanguageVersion.of(21) }"},
            [(False, "build.gradle.kts", 2, "21")],
        ),
        (
            "Python 3.11",
            {"pyproject.toml": '[project]\nrequires-python = ">=3.11"\n'},
            [(True, "pyproject.toml", 2, ">=3.11")],
        ),
        (
            "Python 3.9",
            {"pyproject.toml": '[project]\nrequires-python = ">=3.11"\n'},
            [(False, "pyproject.toml", 2, ">=3.11")],
        ),
        ("Python 3.11", {".python-version": "3.12.1\n"}, [(False, ".python-version", 1, "3.12.1")]),
        ("Node 16", {"package.json": PACKAGE}, [(False, "package.json", 4, ">=18")]),
        (
            "Node 20",
            {"package.json": PACKAGE, ".nvmrc": "v20\n"},
            [(True, ".nvmrc", 1, "20"), (True, "package.json", 4, ">=18")],
        ),
        ("We use npm for packages", {"package.json": PACKAGE}, [(False, "package.json", 3, "pnpm@9.1.0")]),
        (
            "包管理器是 pnpm",
            {"package.json": PACKAGE, "pnpm-lock.yaml": ""},
            [(True, "pnpm-lock.yaml", 0, "pnpm"), (True, "package.json", 3, "pnpm@9.1.0")],
        ),
        ("Tests run with Jest", {"package.json": PACKAGE}, [(False, "package.json", 8, "vitest")]),
        (
            "React 17",
            {"package.json": PACKAGE},
            [(False, "package.json", 6, "^18.2.0"), (True, "package.json", 6, "react")],
        ),
        ("TypeScript 5.3", {"package.json": PACKAGE}, [(True, "package.json", 8, "~5.3.2")]),
        ("Go 1.21", {"go.mod": "module x\n\ngo 1.22\n"}, [(False, "go.mod", 3, "1.22")]),
        ("Rust 1.70", {"Cargo.toml": '[package]\nrust-version = "1.74"\n'}, [(False, "Cargo.toml", 2, "1.74")]),
        ("依赖用 poetry 管理", {"uv.lock": ""}, [(False, "uv.lock", 0, "uv")]),
        ("配置在 config/app.yaml", {}, [(False, "config/app.yaml", 0, MISSING)]),
        ("配置在 config/app.yaml", {"config/app.yaml": ""}, [(True, "config/app.yaml", 0, "config/app.yaml")]),
        ("config/app.yaml 已经删除", {}, []),
        ("see ../secrets/key.pem and /etc/hosts.conf and https://a.b/c.html", {}, []),
        ("Legacy scripts need Java 8", {"pom.xml": POM}, []),
        ("Reply in Chinese", {"pom.xml": POM, "package.json": PACKAGE}, []),
        ("Node 16", {"package.json": "{ not json"}, []),
        ("Node 16", {"package.json": "[" * 100_000}, []),
    ],
)
def test_a_memory_is_held_against_the_files(
    content: str, files: dict[str, str], expected: list[tuple[bool, str, int, str]]
) -> None:
    assert found(content, files) == expected


def test_only_files_that_can_say_something_are_read() -> None:
    asked: list[str] = []

    def read(path: str) -> str | None:
        asked.append(path)
        return None

    assert findings("Reply in Chinese, please", read) == ()
    assert asked == []


def entry(**changes: object) -> Entry:
    values = {"written": NOW - timedelta(days=2), "metadata": {"source": "typed"}, **changes}
    return Entry("fact-00000001", str(values.pop("content", "使用 Java 17")), **values)  # type: ignore[arg-type]


def test_a_line_carries_age_doubt_and_evidence() -> None:
    assert describe(entry(), NOW, (), "en") == "- [fact-00000001] 使用 Java 17 (written 2026-02-27)"
    against = (Finding(False, "pom.xml", 18, "21"), Finding(True, "pom.xml", 20, "17"))
    assert describe(entry(), NOW, against, "en").endswith(
        "(written 2026-02-27; the files disagree: pom.xml:18 says 21)"
    )
    assert "pom.xml:18 写的是 21" in describe(entry(), NOW, against, "zh")
    old = entry(written=NOW - timedelta(days=90), verified=NOW - timedelta(days=31))
    assert describe(old, NOW, (), "en").endswith(
        "(written 2025-12-01; last verified by the user 2026-01-29; possibly out of date)"
    )
    assert "unconfirmed" in describe(entry(metadata={"source": "extracted"}), NOW, (), "en")
    assert "date unknown" in describe(entry(written=None), NOW, (), "en")


def test_a_line_is_one_line_whatever_the_content_holds() -> None:
    for content in ("a\nb", "a\r\n\r\n# b", "a\u2028b", "a\x0bb", "{x} {0}"):
        line = describe(entry(content=content), NOW, (), "en")
        assert len(line.splitlines()) == 1 and "a" in line


@pytest.mark.parametrize(
    ("days", "verified", "confirmed", "expected"),
    [
        (0, None, True, "fresh"),
        (30, None, True, "fresh"),
        (31, None, True, "stale"),
        (400, 30, True, "fresh"),
        (400, 31, True, "stale"),
        (0, None, False, "unconfirmed"),
        (400, None, False, "unconfirmed"),
        (-5, None, True, "fresh"),
    ],
)
def test_freshness(days: int, verified: int | None, confirmed: bool, expected: str) -> None:
    when = None if verified is None else NOW - timedelta(days=verified)
    assert state(NOW - timedelta(days=days), when, confirmed, NOW) == expected


def test_a_second_over_thirty_days_is_stale_and_so_is_an_unknown_age() -> None:
    assert state(NOW - timedelta(days=30, seconds=1), None, True, NOW) == "stale"
    assert state(None, None, True, NOW) == "stale"
