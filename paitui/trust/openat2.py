"""Linux's `openat2`: the kernel itself keeps a lookup beneath a folder, with no race between check and open.

Python has no wrapper for it. See openat2(2); the call has the same number on every architecture that was added
to the kernel's common table (x86_64, aarch64, riscv64).
"""

import ctypes
import errno
import os
import sys

_NUMBER = 437
RESOLVE_NO_MAGICLINKS = 0x02
"""Refuse links such as `/proc/self/fd/3`, which lead anywhere."""
RESOLVE_NO_SYMLINKS = 0x04
"""Refuse every symbolic link."""
RESOLVE_BENEATH = 0x08
"""Refuse whatever leaves the folder that the lookup started from, absolute links included."""

_RETRIES = 64
"""The kernel answers EAGAIN when something was renamed during a lookup through `..`; trying again is right."""


class _How(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


class _StatFs(ctypes.Structure):
    # The type comes first, as a C long, on all 64-bit Linux systems but s390; the rest is not looked at.
    _fields_ = (("type", ctypes.c_long), ("rest", ctypes.c_char * 248))


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def openat2(dir_fd: int, path: str, flags: int, resolve: int) -> int:
    """Open a path relative to a folder, with rules for the lookup.

    Args:
        dir_fd: Descriptor of the folder.
        path: Relative path.
        flags: As for `os.open`; nothing is created.
        resolve: `RESOLVE_*` flags.

    Returns:
        A descriptor.

    Raises:
        OSError: EXDEV if the path leads out of the folder, ELOOP for a refused link, ENOSYS or EPERM where the
            call does not exist or a sandbox forbids it, else as `os.open`.
    """
    how = _How(flags | os.O_CLOEXEC, 0, resolve)
    encoded = os.fsencode(path)
    libc = _libc()
    code = errno.EAGAIN
    for _ in range(_RETRIES):
        fd = libc.syscall(
            ctypes.c_long(_NUMBER),
            ctypes.c_int(dir_fd),
            ctypes.c_char_p(encoded),
            ctypes.byref(how),
            ctypes.c_size_t(ctypes.sizeof(how)),
        )
        if fd >= 0:
            return int(fd)
        code = ctypes.get_errno()
        if code not in (errno.EAGAIN, errno.EINTR):
            break
    raise OSError(code, os.strerror(code), path)


def available() -> bool:
    """Whether this system has the call (kernels before 5.6, other systems and some sandboxes do not)."""
    if not sys.platform.startswith("linux") or sys.maxsize < 2**32:
        return False
    try:
        root = os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        os.close(openat2(root, ".", os.O_PATH, RESOLVE_BENEATH))
    except OSError:
        return False
    finally:
        os.close(root)
    return True


_PROC_MAGIC = 0x9FA0
_SYSFS_MAGIC = 0x62656572


def is_kernel_file(fd: int) -> bool:
    """Whether a descriptor belongs to /proc or /sys, whose files look regular and tell secrets."""
    if not sys.platform.startswith("linux"):
        return False
    facts = _StatFs()
    if _libc().fstatfs(ctypes.c_int(fd), ctypes.byref(facts)) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return facts.type in (_PROC_MAGIC, _SYSFS_MAGIC)
