"""File and network rules by Landlock: no privilege needed, inherited, and impossible to take back."""

import ctypes
import os
import struct

import kernel

CREATE_RULESET_VERSION = 1
RULE_PATH_BENEATH = 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
FIRST_ABI_RIGHTS = (1 << 13) - 1
REFER, TRUNCATE, IOCTL_DEVICE = 1 << 13, 1 << 14, 1 << 15
FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE
NETWORK_RIGHTS = 3  # bind and connect TCP
SCOPES = 3  # abstract sockets and signals


def supported_version(numbers):
    try:
        return kernel.syscall(
            numbers["landlock_create_ruleset"], None, ctypes.c_size_t(0), ctypes.c_uint(CREATE_RULESET_VERSION)
        )
    except OSError:
        return 0


def create_ruleset(numbers, version, readable, writable):
    """A descriptor of rules: ``readable`` paths can be read, ``writable`` folders used freely, all else is closed."""
    rights = FIRST_ABI_RIGHTS
    rights |= REFER if version >= 2 else 0
    rights |= TRUNCATE if version >= 3 else 0
    rights |= IOCTL_DEVICE if version >= 5 else 0
    attributes = struct.pack("QQQ", rights, NETWORK_RIGHTS, SCOPES)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = kernel.syscall(
        numbers["landlock_create_ruleset"], attributes[:size], ctypes.c_size_t(size), ctypes.c_uint(0)
    )
    for path in readable:
        add_path(numbers, ruleset, path, rights & (READ_FILE | READ_DIR))
    for path in writable:
        add_path(numbers, ruleset, path, rights & ~EXECUTE)
    return ruleset


def add_path(numbers, ruleset, path, rights):
    if not os.path.exists(path):
        return
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not os.path.isdir(path):
            rights &= FILE_RIGHTS
        rule = struct.pack("=Qi", rights, descriptor)
        kernel.syscall(
            numbers["landlock_add_rule"], ctypes.c_int(ruleset), ctypes.c_int(RULE_PATH_BENEATH), rule, ctypes.c_uint(0)
        )
    finally:
        os.close(descriptor)


def restrict(numbers, ruleset):
    kernel.syscall(numbers["landlock_restrict_self"], ctypes.c_int(ruleset), ctypes.c_uint(0))
