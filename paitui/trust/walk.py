"""Opening beneath a folder without `openat2`: one component at a time, never following a link blindly.

Every step is relative to the descriptor of a folder that was itself reached so, with O_NOFOLLOW; what a link
says is read and walked by hand, and `..` goes back to a descriptor that is still open. Swapping a component
for a link between two steps therefore leads nowhere: the step fails, or the link is judged like any other.
"""

import contextlib
import errno
import os

_LINK_LIMIT = 40
"""As in the Linux kernel."""

_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_PATH = getattr(os, "O_PATH", os.O_RDONLY)

SUPPORTED = os.open in os.supports_dir_fd and os.readlink in os.supports_dir_fd and bool(_NOFOLLOW)
"""Whether this system can open relative to a folder at all (Windows cannot)."""


def open_beneath(root_fd: int, path: str, flags: int, links: bool) -> int:
    """Open a path that must stay beneath a folder.

    Args:
        root_fd: Descriptor of the folder.
        path: Relative path; `..` is judged on what it really leads to.
        flags: As for `os.open`; nothing is created.
        links: Whether symbolic links that stay beneath are followed.

    Returns:
        A descriptor.

    Raises:
        OSError: EXDEV if the path leads out, ELOOP for a loop or a refused link, else as `os.open`.
    """
    todo = [part for part in reversed(path.split("/")) if part not in ("", ".")]
    with contextlib.ExitStack() as cleanup:
        folders = [root_fd]
        seen = 0
        while todo:
            part = todo.pop()
            if part == "..":
                if len(folders) == 1:
                    raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), path)
                folders.pop()
                continue
            how = flags if not todo else _PATH | _DIRECTORY
            try:
                fd = os.open(part, how | _NOFOLLOW | _CLOEXEC, dir_fd=folders[-1])
            except OSError as error:
                target = _link_target(error, part, folders[-1])
                if target is None:
                    raise
            else:
                target = _opened_link(fd, how)
                if target is None:
                    if not todo:
                        return fd
                    cleanup.callback(os.close, fd)
                    folders.append(fd)
                    continue
                os.close(fd)
            seen += 1
            if not links or seen > _LINK_LIMIT:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
            if target.startswith("/"):
                raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), path)
            todo += [piece for piece in reversed(target.split("/")) if piece not in ("", ".")]
        # The path ended in "." or "..": the folder reached is meant.
        return os.open(".", flags | _CLOEXEC, dir_fd=folders[-1])


def _link_target(error: OSError, part: str, folder: int) -> str | None:
    """What a component that could not be opened points to; None if it is no link."""
    # Systems disagree on the code for "is a link": ELOOP, EMLINK, or ENOTDIR where a folder was asked for.
    if error.errno not in (errno.ELOOP, errno.EMLINK, errno.ENOTDIR):
        return None
    try:
        return os.readlink(part, dir_fd=folder)
    except OSError as second:
        if second.errno == errno.EINVAL:
            return None
        raise


def _opened_link(fd: int, how: int) -> str | None:
    """With O_PATH a link is opened itself; then its target."""
    if not hasattr(os, "O_PATH") or not how & os.O_PATH or how & _DIRECTORY:
        return None
    try:
        return os.readlink("", dir_fd=fd)
    except OSError as error:
        # ENOENT: an empty path on something that is no link.
        if error.errno in (errno.ENOENT, errno.EINVAL, errno.ENOTDIR):
            return None
        raise
