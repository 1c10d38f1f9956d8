"""The fence, in both its forms: with `openat2`, and component by component."""

import errno
import os
import socket
import stat
import threading
import time
from pathlib import Path

import pytest

from paitui.paths import Paths
from paitui.trust import fence as fence_module
from paitui.trust import openat2
from paitui.trust.fence import Fence, FenceError, project_fence

SECRET = b"the key outside"


@pytest.fixture(params=[False, True], ids=["openat2", "walk"])
def fence(request: pytest.FixtureRequest, tmp_path: Path) -> Fence:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.txt").write_bytes(b"inside")
    (tmp_path / "project-two").mkdir()
    (tmp_path / "project-two" / "key").write_bytes(SECRET)
    (tmp_path / "key").write_bytes(SECRET)
    home = root / "home"
    home.mkdir()
    (home / "memory.json").write_bytes(b"{}")
    own = root / ".paitui"
    return Fence(root, (home, own / "settings.toml", own / "mcp.json"), portable=request.param)


def fault_of(call: object, *arguments: object) -> str:
    with pytest.raises(FenceError) as caught:
        call(*arguments)  # type: ignore[operator]
    return caught.value.fault


def read(fence: Fence, path: str) -> bytes:
    with fence.open_read(path) as file:
        return file.read()


def test_openat2_is_what_is_used_where_it_exists(fence: Fence, monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[str] = []
    monkeypatch.setattr(fence_module, "openat2", lambda *a: used.append(a[1]) or openat2.openat2(*a))
    read(fence, "src/a.txt")
    assert used == ([] if fence.portable or not openat2.available() else ["src/a.txt"])


@pytest.mark.parametrize("path", ["src/a.txt", "./src/a.txt", "src/../src/a.txt", "src//a.txt"])
def test_paths_inside_are_read(fence: Fence, path: str) -> None:
    assert read(fence, path) == b"inside"
    assert fence.relative(path) == "src/a.txt"


def test_an_absolute_path_inside_is_read(fence: Fence) -> None:
    assert fence.relative(str(fence.root / "src/a.txt")) == "src/a.txt"
    assert read(fence, str(fence.root / "src/a.txt")) == b"inside"
    assert fence.relative(str(fence.root)) == "."


@pytest.mark.parametrize(
    "path",
    [
        "../key",
        "src/../../key",
        "/etc/passwd",
        "../project-two/key",
        "~/x",
        "/proc/self/environ",
        "/dev/zero",
        "//etc/passwd",
    ],
)
def test_paths_out_are_refused_by_name(fence: Fence, path: str) -> None:
    for call in (fence.open_read, fence.stat, fence.list_dir, fence.create_exclusive, fence.relative, fence.resolved):
        assert fault_of(call, path) == "outside"
    assert fault_of(fence.replace, path, b"x") == "outside"


def test_a_sibling_with_the_projects_name_as_prefix_is_outside(fence: Fence) -> None:
    assert fault_of(fence.open_read, str(fence.root) + "-two/key") == "outside"


@pytest.mark.parametrize("path", ["", "a\0b", "\ud800"])
def test_what_is_no_path_is_refused(fence: Fence, path: str) -> None:
    assert fault_of(fence.open_read, path) == "failed"


def test_links_that_stay_inside_are_followed(fence: Fence) -> None:
    (fence.root / "link").symlink_to("src/a.txt")
    (fence.root / "folder").symlink_to("src")
    (fence.root / "src" / "up").symlink_to("../src/../link")
    assert read(fence, "link") == read(fence, "folder/a.txt") == read(fence, "src/up") == b"inside"
    assert fence.resolved("folder/new.txt") == "src/new.txt"
    assert [entry.name for entry in fence.list_dir("folder")] == ["a.txt", "up"]


@pytest.mark.parametrize(
    "target", ["../key", "../../../../../../../etc/passwd", "src/../../key", "../project-two/key"]
)
def test_links_that_lead_out_are_refused(fence: Fence, target: str) -> None:
    (fence.root / "link").symlink_to(target)
    assert fault_of(fence.open_read, "link") == "outside"
    assert fault_of(fence.stat, "link") == "outside"
    assert fault_of(fence.replace, "link", b"x") in ("outside", "folder")
    assert (fence.root.parent / "key").read_bytes() == SECRET


def test_absolute_links_are_refused_even_if_they_stay_inside(fence: Fence) -> None:
    (fence.root / "in").symlink_to(fence.root / "src" / "a.txt")
    (fence.root / "dir").symlink_to(fence.root / "src")
    (fence.root / "proc").symlink_to("/proc")
    for path in ("in", "dir/a.txt", "proc/self/environ"):
        assert fault_of(fence.open_read, path) == "outside"
    assert fault_of(fence.replace, "dir/new.txt", b"x") == "outside"
    assert fault_of(fence.replace, "in", b"x") == "outside"
    assert not (fence.root / "src" / "new.txt").exists()


def test_a_folder_link_that_leads_out_is_refused(fence: Fence) -> None:
    (fence.root / "out").symlink_to("..")
    for call in (fence.open_read, fence.create_exclusive):
        assert fault_of(call, "out/key") in ("outside",)
    assert fault_of(fence.list_dir, "out") == "outside"
    assert fault_of(fence.replace, "out/made/new", b"x") == "outside"
    assert not (fence.root.parent / "made").exists()


def test_a_loop_of_links_ends(fence: Fence) -> None:
    (fence.root / "one").symlink_to("two")
    (fence.root / "two").symlink_to("one")
    (fence.root / "self").symlink_to("self/self")
    for path in ("one", "self", "one/x"):
        assert fault_of(fence.open_read, path) == "outside"
        assert fault_of(fence.replace, path, b"x") == "outside"


def test_a_pipe_is_refused_at_once(fence: Fence) -> None:
    os.mkfifo(fence.root / "pipe")
    begin = time.monotonic()
    assert fault_of(fence.open_read, "pipe") == "special"
    assert fault_of(fence.replace, "pipe", b"x") == "special"
    assert time.monotonic() - begin < 1
    assert stat.S_ISFIFO((fence.root / "pipe").lstat().st_mode)


def test_a_socket_and_a_folder_are_refused(fence: Fence, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(fence.root)  # socket paths are short
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("sock")
        assert fault_of(fence.open_read, "sock") == "special"
    assert fault_of(fence.open_read, "src") == "folder"
    assert fault_of(fence.replace, "src", b"x") == "folder"
    assert fault_of(fence.open_read, "src/a.txt/b") == "folder"
    assert fault_of(fence.list_dir, "src/a.txt") == "folder"
    assert fault_of(fence.open_read, "nothing") == "missing"


@pytest.mark.parametrize("portable", [False, True])
def test_devices_and_proc_are_refused_even_if_the_project_holds_them(portable: bool) -> None:
    everything = Fence(Path("/"), portable=portable)
    for path in (
        "dev/zero",
        "dev/null",
        "proc/self/environ",
        "proc/self/fd/0",
        "proc/version",
        "/sys/kernel/mm/ksm/run",
    ):
        if os.path.exists("/" + path):
            assert fault_of(everything.open_read, path) in ("special", "outside"), path
    assert fault_of(everything.replace, "proc/new", b"x") in ("special", "missing", "failed")
    assert fault_of(everything.list_dir, "proc/self") in ("special", "outside")


def test_a_link_swapped_between_check_and_open_never_leaks(fence: Fence) -> None:
    inside, swap = fence.root / "swap", fence.root / "other"
    inside.write_bytes(b"inside")
    stop = threading.Event()
    swaps = 0

    def swapping() -> None:
        nonlocal swaps
        while not stop.is_set():
            swap.unlink(missing_ok=True)
            swap.symlink_to("../key" if swaps % 4 else str(fence.root.parent / "key"))
            os.replace(swap, inside)
            swap.write_bytes(b"inside")
            os.replace(swap, inside)
            swaps += 1

    thread = threading.Thread(target=swapping)
    thread.start()
    seen: set[bytes] = set()
    refused = 0
    end = time.monotonic() + 1.0
    try:
        while time.monotonic() < end:
            try:
                seen.add(read(fence, "swap"))
            except FenceError as error:
                assert error.fault in ("outside", "missing")
                refused += 1
    finally:
        stop.set()
        thread.join()
    assert seen <= {b"inside", b""}
    assert refused and swaps > 50


def test_a_folder_swapped_for_a_link_never_takes_a_write_out(fence: Fence) -> None:
    target = fence.root.parent / "target"
    target.mkdir()
    folder, other = fence.root / "folder", fence.root / "other"
    folder.symlink_to("src")
    stop = threading.Event()

    def swapping() -> None:
        while not stop.is_set():
            for leads_to in ("../target", "src", str(target), "src"):
                other.symlink_to(leads_to)
                os.replace(other, folder)

    thread = threading.Thread(target=swapping)
    thread.start()
    written = refused = 0
    end = time.monotonic() + 1.0
    try:
        while time.monotonic() < end:
            try:
                fence.replace("folder/file", b"x")
                written += 1
            except FenceError as error:
                assert error.fault == "outside"
                refused += 1
    finally:
        stop.set()
        thread.join()
    assert list(target.iterdir()) == []
    assert written and refused


def test_a_write_is_whole_keeps_the_mode_and_makes_folders(fence: Fence) -> None:
    script = fence.root / "run.sh"
    script.write_bytes(b"old")
    script.chmod(0o750)
    assert fence.replace("run.sh", b"new") is False
    assert script.read_bytes() == b"new" and stat.S_IMODE(script.stat().st_mode) == 0o750
    assert fence.replace("deep/er/new.txt", b"data") is True
    assert (fence.root / "deep/er/new.txt").read_bytes() == b"data"
    assert sorted(p.name for p in (fence.root / "deep/er").iterdir()) == ["new.txt"]


def test_a_write_through_a_link_inside_changes_the_target(fence: Fence) -> None:
    (fence.root / "src" / "link").symlink_to("../src/a.txt")
    (fence.root / "dangling").symlink_to("src/made.txt")
    assert fence.replace("src/link", b"new") is False
    assert (fence.root / "src/a.txt").read_bytes() == b"new" and (fence.root / "src/link").is_symlink()
    assert fence.replace("dangling", b"made") is True
    assert (fence.root / "src/made.txt").read_bytes() == b"made"


@pytest.mark.parametrize("fails", ["write", "fsync", "rename"])
def test_a_failing_write_leaves_the_old_file(fence: Fence, monkeypatch: pytest.MonkeyPatch, fails: str) -> None:
    def full(*_: object, **__: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(fence_module.os, fails, full)
        with pytest.raises(FenceError) as caught:
            fence.replace("src/a.txt", b"new")
    assert caught.value.phrase.key == "trust.disk_full"
    assert (fence.root / "src/a.txt").read_bytes() == b"inside"
    assert [p.name for p in (fence.root / "src").iterdir()] == ["a.txt"]


def test_a_read_only_place_is_a_message(fence: Fence, monkeypatch: pytest.MonkeyPatch) -> None:
    for code, key in (
        (errno.EROFS, "trust.read_only"),
        (errno.EACCES, "trust.no_permission"),
        (errno.EIO, "trust.failed"),
    ):

        def refuse(*_: object, number: int = code, **__: object) -> int:
            raise OSError(number, os.strerror(number))

        with monkeypatch.context() as patched:
            patched.setattr(fence_module.os, "rename", refuse)
            with pytest.raises(FenceError) as caught:
                fence.replace("src/a.txt", b"new")
        assert caught.value.phrase.key == key


@pytest.mark.parametrize(
    "path",
    [
        ".paitui/settings.toml",
        ".paitui/mcp.json",
        ".paitui/Settings.TOML",
        "./.paitui/../.paitui/settings.toml",
        "home/memory.json",
        "home/sub/new.json",
        "home/settings.toml",
        "alias/settings.toml",
        "alias/mcp.json",
        "own/memory.json",
        "config",
        ".paitui/set\u200btings.toml",
        ".paitui/ｓettings.toml",
        ".paitui/\u017fettings.toml",
        ".PAITUI\u00ad/mcp.json",
        "HOME/new.json",
    ],
)
@pytest.mark.parametrize("exists", [True, False])
def test_own_configuration_is_never_written(fence: Fence, path: str, exists: bool) -> None:
    own = fence.root / ".paitui"
    own.mkdir()
    if exists:
        (own / "settings.toml").write_bytes(b"old")
    (fence.root / "alias").symlink_to(".paitui")
    (fence.root / "own").symlink_to("home")
    (fence.root / "config").symlink_to(".paitui/settings.toml")
    assert fault_of(fence.replace, path, b"x") == "denied"
    assert fault_of(fence.check_writable, path) == "denied"
    assert (own / "settings.toml").exists() == exists
    assert not (own / "mcp.json").exists() and sorted(p.name for p in (fence.root / "home").iterdir()) == [
        "memory.json"
    ]
    assert (fence.root / "home/memory.json").read_bytes() == b"{}"


def test_a_hard_link_to_the_configuration_is_replaced_and_what_it_led_to_stays(fence: Fence) -> None:
    os.link(fence.root / "home/memory.json", fence.root / "notes.json")
    fence.replace("notes.json", b"x")
    assert (fence.root / "home/memory.json").read_bytes() == b"{}"


def test_someone_in_the_folder_above_the_home_is_protected_too(tmp_path: Path) -> None:
    paths = Paths(tmp_path / ".paitui", tmp_path, tmp_path / "elsewhere")
    fence = project_fence(paths)
    for name in (
        "trusted.json",
        "settings.toml",
        "memory/x.json",
        "sessions/s/state",
        "history/raw/s.jsonl",
        "PAI.md",
    ):
        assert fault_of(fence.replace, f".paitui/{name}", b"x") == "denied"
    assert fault_of(fence.replace, "elsewhere/long_term_memory.json", b"x") == "denied"
    assert not paths.home.exists() and not (tmp_path / "elsewhere").exists()


def test_a_project_may_change_its_own_instructions(tmp_path: Path) -> None:
    fence = project_fence(Paths(tmp_path / "home", tmp_path))
    assert fence.replace(".paitui/PAI.md", b"x") and fence.replace("PAI.md", b"x")


def test_refused_configuration_makes_no_folder(fence: Fence) -> None:
    assert fault_of(fence.replace, ".paitui/settings.toml", b"x") == "denied"
    assert not (fence.root / ".paitui").exists()


def test_configuration_behind_a_linked_folder_is_never_written(fence: Fence) -> None:
    (fence.root / "shared").mkdir()
    (fence.root / ".paitui").symlink_to("shared")
    assert fault_of(fence.replace, "shared/settings.toml", b"x") == "denied"
    assert fence.replace("shared/notes.txt", b"x") is True


def test_exclusive_files_are_private_and_follow_no_link(fence: Fence) -> None:
    with fence.create_exclusive(".paitui/tool-outputs/s1/001-x.txt") as file:
        file.write(b"data")
    made = fence.root / ".paitui/tool-outputs/s1/001-x.txt"
    assert made.read_bytes() == b"data"
    assert stat.S_IMODE(made.stat().st_mode) == 0o600 and stat.S_IMODE(made.parent.stat().st_mode) == 0o700
    assert fault_of(fence.create_exclusive, ".paitui/tool-outputs/s1/001-x.txt") == "exists"
    (made.parent / "002-x.txt").symlink_to("../../../src/a.txt")
    assert fault_of(fence.create_exclusive, ".paitui/tool-outputs/s1/002-x.txt") == "exists"
    (made.parent.parent / "s2").symlink_to("../../src")
    assert fault_of(fence.create_exclusive, ".paitui/tool-outputs/s2/a.txt") in ("outside", "folder")
    (made.parent.parent / "s3").symlink_to("../../nowhere")
    assert fault_of(fence.create_exclusive, ".paitui/tool-outputs/s3/a.txt") in ("outside", "exists", "folder")
    assert sorted(p.name for p in (fence.root / "src").iterdir()) == ["a.txt"]
    assert (fence.root / "src/a.txt").read_bytes() == b"inside"


def test_a_huge_sparse_file_opens_at_once(fence: Fence) -> None:
    with open(fence.root / "sparse", "wb") as file:
        file.truncate(50 * 1024**3)
    with fence.open_read("sparse") as file:
        assert file.read(4) == b"\0\0\0\0"


def test_nothing_leaks_descriptors(fence: Fence) -> None:
    (fence.root / "out").symlink_to("../key")
    (fence.root / "in").symlink_to("src/a.txt")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        read(fence, "in")
        fence.replace("src/b.txt", b"x")
        fence.list_dir("src")
        fault_of(fence.open_read, "out")
        fault_of(fence.open_read, "src")
        fault_of(fence.replace, "out", b"x")
        fault_of(fence.create_exclusive, "src/b.txt")
    assert len(os.listdir("/proc/self/fd")) == before


def test_entries_tell_their_kind(fence: Fence) -> None:
    (fence.root / "src" / "link").symlink_to("a.txt")
    (fence.root / "src" / "sub").mkdir()
    os.mkfifo(fence.root / "src" / "pipe")
    found = {entry.name: (entry.kind, entry.size, entry.target) for entry in fence.list_dir("src")}
    assert found == {
        "a.txt": ("file", 6, ""),
        "link": ("link", 0, "a.txt"),
        "pipe": ("other", 0, ""),
        "sub": ("folder", 0, ""),
    }
