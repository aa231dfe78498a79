"""The few kernel calls that Python's standard library does not offer, through ctypes: no compiler, no package."""

import ctypes
import os
import platform
import struct

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long

MACHINE = platform.machine()

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = (
    1, 2, 4, 8, 32, 4096, 16384, 1 << 18,
)  # fmt: skip
MNT_DETACH = 2

PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38
PR_SET_CHILD_SUBREAPER = 36
PR_SET_THP_DISABLE = 41

CAPABILITY_VERSION_3 = 0x20080522
SIGKILL = 9


def check(result, what):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, what + ": " + os.strerror(number))
    return result


def syscall(number, *args):
    return check(libc.syscall(ctypes.c_long(number), *args), "system call " + str(number))


def unshare(flags):
    check(libc.unshare(ctypes.c_int(flags)), "unshare")


def mount(source, target, kind, flags, data=None):
    encode = lambda text: None if text is None else os.fsencode(text)  # noqa: E731
    check(
        libc.mount(encode(source), encode(target), encode(kind), ctypes.c_ulong(flags), encode(data)),
        "mount " + target,
    )


def unmount(target, flags):
    check(libc.umount2(os.fsencode(target), ctypes.c_int(flags)), "umount " + target)


def prctl(option, value):
    check(libc.prctl(ctypes.c_int(option), ctypes.c_ulong(value), 0, 0, 0), "prctl")


def die_with_parent():
    prctl(PR_SET_PDEATHSIG, SIGKILL)


def drop_capabilities():
    header = ctypes.create_string_buffer(struct.pack("Ii", CAPABILITY_VERSION_3, 0))
    nothing = ctypes.create_string_buffer(24)
    check(libc.capset(header, nothing), "capset")


def cpu_clock_of(pid):
    """The clock id of another process's CPU time, for time.clock_gettime."""
    return (~pid << 3) | 2
