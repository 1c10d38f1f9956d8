"""The fence: files are opened inside one folder, judged on what is really opened."""

import contextlib
import errno
import functools
import os
import stat
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Literal

from paitui.locale import Phrase, phrase
from paitui.paths import Paths
from paitui.trust import walk
from paitui.trust.at import closing, identities_upwards, identity, read_link, write_and_rename
from paitui.trust.openat2 import (
    RESOLVE_BENEATH,
    RESOLVE_NO_MAGICLINKS,
    RESOLVE_NO_SYMLINKS,
    available,
    is_kernel_file,
    openat2,
)

FenceFault = Literal["outside", "missing", "special", "folder", "denied", "exists", "failed"]
"""Why access was refused: leads out; is not there; no regular file; a folder where a file is meant, or the
other way round; paitui's own configuration; is there already; the system said no."""

_NONBLOCK = getattr(os, "O_NONBLOCK", 0)
_NOCTTY = getattr(os, "O_NOCTTY", 0)
_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_PATH = getattr(os, "O_PATH", os.O_RDONLY | _NONBLOCK)
_LINK_LIMIT = 40
_PATH_BYTES = 4_095
"""As in the Linux kernel; component by component one could go deeper, to where no other program gets."""


def project_fence(paths: Paths) -> "Fence":
    """Give the fence around a project, in which paitui's own configuration is closed to writing.

    Closed are the home with all that is kept there (settings, servers, trusted projects, memory, sessions, ledgers),
    also where it lies in the project or elsewhere; and what a project's own files set once they are trusted.

    Args:
        paths: Home, project and the folder of long-term memory.
    """
    own = paths.project / ".paitui"
    return Fence(paths.project, (paths.home, paths.memory.parent, own / "settings.toml", own / "mcp.json"))


class FenceError(Exception):
    """A path may not or cannot be used.

    Attributes:
        fault: What kind of refusal.
        phrase: What happened and what to do, for the user and the model.
    """

    def __init__(self, fault: FenceFault, what: Phrase) -> None:
        super().__init__(what.key)
        self.fault: FenceFault = fault
        self.phrase = what


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a folder."""

    name: str
    kind: Literal["file", "folder", "link", "other"]
    size: int
    """Bytes of a file, else 0."""
    target: str = ""
    """Where a link points."""


@dataclass(frozen=True, slots=True)
class Fence:
    """Access to files inside one folder.

    Symbolic links that stay inside are followed; absolute ones, and whatever leads out, are refused. Both ways of
    opening (`openat2`, and the walk component by component) behave alike.
    """

    root: Path
    """The folder, resolved."""
    denied: tuple[Path, ...] = ()
    """Absolute files and folders that are never written."""
    portable: bool = False
    """Use the walk even where `openat2` exists."""

    def relative(self, path_text: str) -> str:
        """Give a path as it reads inside the folder.

        Args:
            path_text: A relative path, or an absolute one that lies inside.

        Returns:
            The path relative to the folder with `/`, without `.` and `..`; ``.`` for the folder itself.

        Raises:
            FenceError: It lies outside by its very name, or is no path.
        """
        try:
            os.fsencode(path_text)
        except UnicodeEncodeError as error:
            raise FenceError("failed", phrase("trust.bad_path")) from error
        if "\0" in path_text or not path_text:
            raise FenceError("failed", phrase("trust.bad_path"))
        path = os.path.normpath(path_text)
        if path_text == "~" or path_text.startswith("~/"):
            raise self._outside(path_text)
        if os.path.isabs(path):
            try:
                path = str(Path(path).relative_to(self.root))
            except ValueError as error:
                raise self._outside(path_text) from error
        relative = PurePosixPath(Path(path).as_posix())
        if ".." in relative.parts:
            raise self._outside(path_text)
        if len(os.fsencode(relative)) > _PATH_BYTES:
            raise self._refusal(OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG)), path_text)
        return str(relative)

    def resolved(self, path_text: str) -> str:
        """Give the path relative to the folder with links resolved, for rules about folders.

        The answer may be outdated at once; what is opened is judged again when it is opened.

        Raises:
            FenceError: It lies outside.
        """
        real = Path(os.path.realpath(self.root / self.relative(path_text)))
        try:
            return real.relative_to(os.path.realpath(self.root)).as_posix()
        except ValueError as error:
            raise self._outside(path_text) from error

    def open_read(self, path_text: str, links: bool = True) -> BinaryIO:
        """Open a regular file for reading.

        Args:
            path_text: The file.
            links: Whether links that stay inside are followed; else a path with any link in it is refused.

        Raises:
            FenceError: It leads out, is missing, or is anything but a regular file.
        """
        path = self.relative(path_text)
        with self._faults(path):
            # Non-blocking: a FIFO without a writer must not hold us before we see what it is.
            fd = self._open(path, os.O_RDONLY | _NONBLOCK | _NOCTTY, links)
        try:
            with self._faults(path):
                self._check_regular(fd, path)
            return os.fdopen(fd, "rb")
        except BaseException:
            os.close(fd)
            raise

    def stat(self, path_text: str) -> os.stat_result:
        """Give what is known of the target of a path.

        Raises:
            FenceError: It leads out or is missing.
        """
        path = self.relative(path_text)
        with self._faults(path), closing(self._open(path, _PATH)) as fd:
            return os.fstat(fd)

    def list_dir(self, path_text: str) -> list[Entry]:
        """List a folder, sorted by name.

        Raises:
            FenceError: It leads out, is missing or is no folder.
        """
        path = self.relative(path_text)
        with self._faults(path), closing(self._open(path, os.O_RDONLY | _DIRECTORY)) as fd:
            if is_kernel_file(fd):
                raise FenceError("special", phrase("trust.special", path=path))
            with os.scandir(fd) as entries:
                return sorted((_entry(entry, fd) for entry in entries), key=lambda entry: entry.name)

    def replace(self, path_text: str, data: bytes) -> bool:
        """Write a whole file so that it is either the old or the new one at any moment.

        A temporary file in the same folder is filled, synced and renamed over the target. Missing folders are
        made. The mode of an existing file is kept. A link to a file inside is followed, not replaced.

        Args:
            path_text: The file.
            data: Its new content.

        Returns:
            Whether the file is new.

        Raises:
            FenceError: It may not be written, or the system refused; then the old file is untouched.
        """
        path = self.relative(path_text)
        self._check_name(path)
        with self._faults(path), self._parent(path) as (folder, name):
            self._check_denied(folder, name, path)
            try:
                old = os.stat(name, dir_fd=folder, follow_symlinks=False)
            except FileNotFoundError:
                old = None
            if old is not None and stat.S_ISDIR(old.st_mode):
                raise FenceError("folder", phrase("trust.is_folder", path=path))
            if old is not None and not stat.S_ISREG(old.st_mode):
                raise FenceError("special", phrase("trust.special", path=path))
            write_and_rename(folder, name, data, old)
            return old is None

    def check_writable(self, path_text: str) -> None:
        """Say beforehand, as far as it can be known, that a file may not be written; makes nothing.

        Raises:
            FenceError: It leads out, belongs to paitui's own configuration, or is no regular file.
        """
        path = self.relative(path_text)
        self._check_name(path)
        self._check_name(self.resolved(path))
        try:
            facts = self.stat(path)
        except FenceError as error:
            if error.fault == "missing":
                return
            raise
        if stat.S_ISDIR(facts.st_mode):
            raise FenceError("folder", phrase("trust.is_folder", path=path))
        if not stat.S_ISREG(facts.st_mode):
            raise FenceError("special", phrase("trust.special", path=path))

    def create_exclusive(self, path_text: str) -> BinaryIO:
        """Make a new private file (0600) and the folders above it (0700), following no link at all.

        Raises:
            FenceError: It is there already, a component is a link, or the system refused.
        """
        path = self.relative(path_text)
        with self._faults(path), self._parent(path, links=False, folder_mode=0o700) as (folder, name):
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW | _CLOEXEC
            return os.fdopen(os.open(name, flags, 0o600, dir_fd=folder), "wb")

    # How it is done.

    def _open(self, path: str, flags: int, links: bool = True) -> int:
        with closing(self._open_root()) as root:
            if not self.portable and _has_openat2():
                resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | (0 if links else RESOLVE_NO_SYMLINKS)
                return openat2(root, path, flags, resolve)
            return walk.open_beneath(root, path, flags, links)

    def _open_root(self) -> int:
        if not walk.SUPPORTED:
            raise FenceError("failed", phrase("trust.no_fence"))
        return os.open(self.root, _PATH | _DIRECTORY | _CLOEXEC)

    @contextlib.contextmanager
    def _parent(self, path: str, links: bool = True, folder_mode: int = 0o777) -> Iterator[tuple[int, str]]:
        """The folder that holds the target of a path, made if need be, and the target's name in it."""
        folder_path, _, name = path.rpartition("/")
        if name in ("", "."):
            raise FenceError("folder", phrase("trust.is_folder", path=path))
        folder = self._make_folders(folder_path, links, folder_mode)
        try:
            for _ in range(_LINK_LIMIT):
                target = read_link(name, folder) if links else None
                if target is None:
                    yield folder, name
                    return
                if target.startswith("/"):
                    raise self._outside(path)
                # Joined as text on purpose: the lookup itself resolves `..` after links, as the kernel does.
                folder_path = "/".join(filter(None, (folder_path, target.rpartition("/")[0])))
                name = target.rpartition("/")[2]
                if name in ("", ".", ".."):
                    raise FenceError("folder", phrase("trust.is_folder", path=path))
                following = self._open(folder_path or ".", _PATH | _DIRECTORY)
                os.close(folder)
                folder = following
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
        finally:
            os.close(folder)

    def _make_folders(self, path: str, links: bool, mode: int) -> int:
        try:
            return self._open(path or ".", _PATH | _DIRECTORY, links)
        except FileNotFoundError:
            pass
        folder = self._open(".", _PATH | _DIRECTORY)
        made = ""
        for part in path.split("/"):
            made = f"{made}/{part}" if made else part
            try:
                try:
                    following = self._step(folder, part)
                except FileNotFoundError:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(part, mode, dir_fd=folder)
                    following = self._step(folder, part)
                except OSError:  # A link, judged by where the whole path leads; or no folder, which is found again.
                    following = self._open(made, _PATH | _DIRECTORY, links)
            finally:
                os.close(folder)
            folder = following
        return folder

    @staticmethod
    def _step(folder: int, part: str) -> int:
        """Open a folder in a folder; no link, so it cannot lead anywhere else."""
        return os.open(part, _PATH | _DIRECTORY | _NOFOLLOW | _CLOEXEC, dir_fd=folder)

    def _check_regular(self, fd: int, path: str) -> None:
        mode = os.fstat(fd).st_mode
        if stat.S_ISDIR(mode):
            raise FenceError("folder", phrase("trust.is_folder", path=path))
        if not stat.S_ISREG(mode) or is_kernel_file(fd):
            raise FenceError("special", phrase("trust.special", path=path))

    def _check_name(self, path: str) -> None:
        """Refuse by name what is not there yet; what is there is judged by identity."""
        wanted = _folded(str(self.root / path))
        for denied in self.denied:
            name = _folded(str(denied))
            if wanted == name or wanted.startswith(name.rstrip("/") + "/"):
                raise FenceError("denied", phrase("trust.denied", path=path))

    def _check_denied(self, folder: int, name: str, path: str) -> None:
        places = identities_upwards(folder, self.root) if self.denied else []
        if places and is_kernel_file(folder):
            raise FenceError("special", phrase("trust.special", path=path))
        for denied in self.denied:
            if identity(denied) in places:
                raise FenceError("denied", phrase("trust.denied", path=path))
            # Some file systems would take another spelling for the same file.
            if _folded(name) == _folded(denied.name) and identity(denied.parent) == places[0]:
                raise FenceError("denied", phrase("trust.denied", path=path))
            try:
                target = os.stat(name, dir_fd=folder, follow_symlinks=False)
            except FileNotFoundError:
                continue
            if identity(denied) == (target.st_dev, target.st_ino):
                raise FenceError("denied", phrase("trust.denied", path=path))

    def _outside(self, path: str) -> FenceError:
        return FenceError("outside", phrase("trust.outside", path=path, root=str(self.root)))

    @contextlib.contextmanager
    def _faults(self, path: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise self._refusal(error, path) from error

    def _refusal(self, error: OSError, path: str) -> FenceError:
        match error.errno:
            case errno.EXDEV:
                return self._outside(path)
            case errno.ENOENT:
                return FenceError("missing", phrase("trust.missing", path=path))
            case errno.ELOOP | errno.EMLINK:
                return FenceError("outside", phrase("trust.loop", path=path))
            case errno.ENOTDIR:
                return FenceError("folder", phrase("trust.not_a_folder", path=path))
            case errno.EISDIR:
                return FenceError("folder", phrase("trust.is_folder", path=path))
            case errno.ENXIO | errno.ENODEV:
                return FenceError("special", phrase("trust.special", path=path))
            case errno.EEXIST:
                return FenceError("exists", phrase("trust.exists", path=path))
            case errno.EACCES | errno.EPERM:
                return FenceError("failed", phrase("trust.no_permission", path=path))
            case errno.EROFS:
                return FenceError("failed", phrase("trust.read_only", path=path))
            case errno.ENOSPC | errno.EDQUOT:
                return FenceError("failed", phrase("trust.disk_full", path=path))
        return FenceError("failed", phrase("trust.failed", path=path, why=error.strerror or str(error)))


def _folded(name: str) -> str:
    """Give a name as the least strict file system sees it: letter case, composition and invisible signs aside."""
    if name.isascii():
        return name.casefold()
    visible = "".join(sign for sign in name if unicodedata.category(sign) != "Cf")
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", visible).casefold())


@functools.cache
def _has_openat2() -> bool:
    return available()


def _entry(entry: os.DirEntry[str], folder: int) -> Entry:
    if entry.is_symlink():
        return Entry(entry.name, "link", 0, read_link(entry.name, folder) or "")
    if entry.is_dir(follow_symlinks=False):
        return Entry(entry.name, "folder", 0)
    if not entry.is_file(follow_symlinks=False):
        return Entry(entry.name, "other", 0)
    try:
        return Entry(entry.name, "file", entry.stat(follow_symlinks=False).st_size)
    except FileNotFoundError:  # It went away while we looked.
        return Entry(entry.name, "file", 0)
