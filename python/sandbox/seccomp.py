"""System-call filters, assembled as classic BPF.

Two layers. The *base* filter is loaded once by the worker and inherited by every program: an allow list (everything
unknown answers ENOSYS, as on an older kernel, so that libraries fall back) and a kill list. The *program* filter is
small because it is loaded after every fork: it takes away what the worker itself still needs, and hands refused calls
to the worker through a notification descriptor, so that refusals are counted outside the program's reach.
"""

import ctypes
import errno
import struct

import kernel
import syscalls

ALLOW = 0x7FFF0000
NOTIFY = 0x7FC00000
ERRNO = 0x00050000
KILL = 0x80000000

LOAD, JUMP_EQUAL, JUMP_GREATER_EQUAL, AND, RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
OFFSET_NUMBER, OFFSET_ARCHITECTURE, OFFSET_ARGUMENT_0 = 0, 4, 16  # little-endian low halves

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32_BIT = 0x40000000

SET_MODE_FILTER = 1
FLAG_NEW_LISTENER = 8

THREAD_FLAGS = 0x00010000 | 0x00000100  # CLONE_THREAD | CLONE_VM
NAMESPACE_FLAGS = 0x7E020000
HARMLESS_PRCTL = (15, 16)  # set and get the thread's name

NOTIFICATION_SIZE = 80
RESPONSE_SIZE = 24
IOCTL_RECEIVE = 0xC0502100
IOCTL_SEND = 0xC0182101


def instruction(code, value, if_true=0, if_false=0):
    return struct.pack("HBBI", code, if_true, if_false, value & 0xFFFFFFFF)


def decision_tree(actions, default):
    """Instructions that look the loaded number up in ``actions`` (number -> return value) by binary search."""
    boundaries = []
    previous = None
    for number in range(0, max(actions) + 2):
        action = actions.get(number, default)
        if action != previous:
            boundaries.append((number, action))
            previous = action
    return search(boundaries)


def search(boundaries):
    if len(boundaries) == 1:
        return [instruction(RETURN, boundaries[0][1])]
    middle = len(boundaries) // 2
    low, high = search(boundaries[:middle]), search(boundaries[middle:])
    return [instruction(JUMP_GREATER_EQUAL, boundaries[middle][0], len(low), 0)] + low + high


def base_filter(numbers):
    refuse = ERRNO | errno.ENOSYS
    actions = {numbers[name]: ALLOW for name in syscalls.ALLOWED + syscalls.COUNTED if name in numbers}
    actions.update({numbers[name]: ALLOW for name in syscalls.CONDITIONAL if name in numbers})
    actions.update({numbers[name]: KILL for name in syscalls.DEADLY if name in numbers})
    # glibc falls back to clone, whose flags a filter can read; clone3 hides them behind a pointer.
    actions[numbers["clone3"]] = refuse
    # The worker signals and watches its children through descriptors.
    program = [
        instruction(LOAD, OFFSET_ARCHITECTURE),
        instruction(JUMP_EQUAL, ARCHITECTURES[kernel.MACHINE], 1, 0),
        instruction(RETURN, KILL),
        instruction(LOAD, OFFSET_NUMBER),
        instruction(JUMP_GREATER_EQUAL, X32_BIT, 0, 1),
        instruction(RETURN, KILL),
    ]
    return program + decision_tree(actions, refuse)


class ProgramFilter:
    """The filter loaded in each child. Only the process id differs, so it is assembled once and patched."""

    def __init__(self, numbers, refusal):
        self.number = numbers["seccomp"]
        own_process = [instruction(LOAD, OFFSET_ARGUMENT_0), instruction(JUMP_EQUAL, 0, 0, 1)]
        verdict = [instruction(RETURN, ALLOW), instruction(RETURN, refusal)]
        blocks = {
            "kill": own_process + verdict,
            "tgkill": own_process + verdict,
            # Whoever shares the user id could otherwise take the worker's limits away.
            "prlimit64": [instruction(LOAD, OFFSET_ARGUMENT_0), instruction(JUMP_EQUAL, 0, 0, 1)] + verdict,
            "clone": [
                instruction(LOAD, OFFSET_ARGUMENT_0),
                instruction(AND, THREAD_FLAGS | NAMESPACE_FLAGS),
                instruction(JUMP_EQUAL, THREAD_FLAGS, 0, 1),
            ]
            + verdict,
            "prctl": [instruction(LOAD, OFFSET_ARGUMENT_0)]
            + [
                instruction(JUMP_EQUAL, option, len(HARMLESS_PRCTL) - index - 1, 0 if index + 1 < len(HARMLESS_PRCTL) else 1)
                for index, option in enumerate(HARMLESS_PRCTL)
            ]
            + verdict,
        }
        program = [instruction(LOAD, OFFSET_NUMBER)]
        self.process_id_at = []
        for name, block in blocks.items():
            program.append(instruction(JUMP_EQUAL, numbers[name], 0, len(block)))
            if name in ("kill", "tgkill"):
                self.process_id_at.append((len(program) + 1) * 8 + 4)
            program += block
        refused = {numbers[name]: refusal for name in syscalls.COUNTED + ["tkill"] if name in numbers}
        program += decision_tree(refused, ALLOW)
        self.code = ctypes.create_string_buffer(b"".join(program))
        self.descriptor = ctypes.create_string_buffer(
            struct.pack("HxxxxxxQ", len(program), ctypes.addressof(self.code))
        )
        self.flags = FLAG_NEW_LISTENER if refusal == NOTIFY else 0

    def load(self, process_id):
        """Locks this process; the descriptor on which refused calls are announced, or 0 without one."""
        for offset in self.process_id_at:
            struct.pack_into("I", self.code, offset, process_id)
        return kernel.syscall(
            self.number, ctypes.c_uint(SET_MODE_FILTER), ctypes.c_uint(self.flags), self.descriptor
        )


def load_filter(number, program):
    code = ctypes.create_string_buffer(b"".join(program))
    descriptor = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(program), ctypes.addressof(code)))
    kernel.syscall(number, ctypes.c_uint(SET_MODE_FILTER), ctypes.c_uint(0), descriptor)


class RefusalCounter:
    """Answers announced calls with EPERM. One notification at a time, from the worker's poll loop."""

    def __init__(self):
        self.notification = ctypes.create_string_buffer(NOTIFICATION_SIZE)
        self.response = ctypes.create_string_buffer(RESPONSE_SIZE)

    def answer(self, listener):
        """True if a call was refused, False if the caller is gone."""
        ctypes.memset(self.notification, 0, NOTIFICATION_SIZE)
        request = ctypes.c_ulong(IOCTL_RECEIVE)
        if kernel.libc.ioctl(listener, request, self.notification) < 0:
            return False
        (identity,) = struct.unpack_from("Q", self.notification, 0)
        struct.pack_into("Qqii", self.response, 0, identity, 0, -errno.EPERM, 0)
        kernel.libc.ioctl(listener, ctypes.c_ulong(IOCTL_SEND), self.response)
        return True
