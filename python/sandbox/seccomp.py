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
OFFSET_NUMBER, OFFSET_ARCHITECTURE = 0, 4
OFFSET_ARGUMENT_0, OFFSET_ARGUMENT_1 = 16, 24  # little-endian low halves

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32_BIT = 0x40000000

SET_MODE_FILTER = 1
FLAG_NEW_LISTENER = 8

THREAD_FLAGS = 0x00010000 | 0x00000100  # CLONE_THREAD | CLONE_VM
NAMESPACE_FLAGS = 0x7E020000
HARMLESS_PRCTL = (15, 16)  # set and get the thread's name
# Who gets signals about a descriptor (it may be the worker), and leases, which hold up other processes' writes.
SIGNALLING_FCNTL = (8, 10, 15, 1024)
SIGNALLING_IOCTL = (0x8901, 0x8902)
# Datagram sockets could send to any address without connecting.
SOCKET_TYPE_MASK, STREAM = 0xF, 1

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


def choose(load, values, listed, otherwise):
    """Instructions that return ``listed`` if what ``load`` loads is one of ``values``."""
    tests = [instruction(JUMP_EQUAL, value, len(values) - index) for index, value in enumerate(values)]
    return load + tests + [instruction(RETURN, otherwise), instruction(RETURN, listed)]


def blocks_for(numbers, blocks):
    """``blocks`` maps a call's name to what decides it; the number is already loaded, and stays so for what follows."""
    program = []
    for name, block in blocks.items():
        program += [instruction(JUMP_EQUAL, numbers[name], 0, len(block))] + block
    return program


def base_filter(numbers):
    refuse = ERRNO | errno.ENOSYS
    forbid = ERRNO | errno.EPERM
    actions = {numbers[name]: ALLOW for name in syscalls.ALLOWED + syscalls.COUNTED if name in numbers}
    actions.update({numbers[name]: ALLOW for name in syscalls.CONDITIONAL if name in numbers})
    actions.update({numbers[name]: KILL for name in syscalls.DEADLY if name in numbers})
    # glibc falls back to clone, whose flags a filter can read; clone3 hides them behind a pointer.
    actions[numbers["clone3"]] = refuse
    argument_1 = [instruction(LOAD, OFFSET_ARGUMENT_1)]
    kind_of_socket = argument_1 + [instruction(AND, SOCKET_TYPE_MASK)]
    blocks = {
        "fcntl": choose(argument_1, SIGNALLING_FCNTL, forbid, ALLOW),
        "ioctl": choose(argument_1, SIGNALLING_IOCTL, forbid, ALLOW),
        "socketpair": choose(kind_of_socket, (STREAM,), ALLOW, forbid),
    }
    program = [
        instruction(LOAD, OFFSET_ARCHITECTURE),
        instruction(JUMP_EQUAL, ARCHITECTURES[kernel.MACHINE], 1, 0),
        instruction(RETURN, KILL),
        instruction(LOAD, OFFSET_NUMBER),
        instruction(JUMP_GREATER_EQUAL, X32_BIT, 0, 1),
        instruction(RETURN, KILL),
    ]
    return program + blocks_for(numbers, blocks) + decision_tree(actions, refuse)


class ProgramFilter:
    """The filter loaded in each child. Only the process id differs, so it is assembled once and patched."""

    def __init__(self, numbers, refusal, refused_names):
        self.number = numbers["seccomp"]
        argument_0 = [instruction(LOAD, OFFSET_ARGUMENT_0)]
        thread_flags = argument_0 + [instruction(AND, THREAD_FLAGS | NAMESPACE_FLAGS)]
        own_process = choose(argument_0, (0,), ALLOW, refusal)  # 0 stands for the process id
        blocks = {
            "kill": own_process,
            "tgkill": own_process,
            # Whoever shares the user id could otherwise take the worker's limits away.
            "prlimit64": choose(argument_0, (0,), ALLOW, refusal),
            "clone": choose(thread_flags, (THREAD_FLAGS,), ALLOW, refusal),
            "prctl": choose(argument_0, HARMLESS_PRCTL, ALLOW, refusal),
        }
        program = [instruction(LOAD, OFFSET_NUMBER)] + blocks_for(numbers, blocks)
        # The first two blocks: after the load of the number, each is a jump, a load and the test to patch.
        first = 1 + 2
        self.process_id_at = [at * 8 + 4 for at in (first, first + 1 + len(own_process))]
        refused = {numbers[name]: refusal for name in refused_names if name in numbers}
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
        """True if a call was refused, False if there is none: a signal may have called its caller away."""
        ctypes.memset(self.notification, 0, NOTIFICATION_SIZE)
        request = ctypes.c_ulong(IOCTL_RECEIVE)
        if kernel.libc.ioctl(listener, request, self.notification) < 0:
            return False
        (identity,) = struct.unpack_from("Q", self.notification, 0)
        struct.pack_into("Qqii", self.response, 0, identity, 0, -errno.EPERM, 0)
        kernel.libc.ioctl(listener, ctypes.c_ulong(IOCTL_SEND), self.response)
        return True
