"""The system-call filters, run in a small machine of our own: what is decided for every number there is."""

import errno
import struct
import unittest

import support  # noqa: F401
import kernel
import seccomp
import syscalls

ENOSYS = seccomp.ERRNO | errno.ENOSYS
EPERM = seccomp.ERRNO | errno.EPERM


def run(program, number, arguments=(), architecture=None):
    """Classic BPF, as far as the filters use it."""
    if architecture is None:
        architecture = seccomp.ARCHITECTURES[kernel.MACHINE]
    arguments = (list(arguments) + [0] * 6)[:6]
    data = struct.pack("<IIQ6Q", number, architecture, 0, *[value & (2**64 - 1) for value in arguments])
    at = accumulator = 0
    while True:
        code, if_true, if_false, value = struct.unpack("HBBI", program[at])
        at += 1
        if code == seccomp.LOAD:
            (accumulator,) = struct.unpack_from("<I", data, value)
        elif code == seccomp.AND:
            accumulator &= value
        elif code == seccomp.JUMP_EQUAL:
            at += if_true if accumulator == value else if_false
        elif code == seccomp.JUMP_GREATER_EQUAL:
            at += if_true if accumulator >= value else if_false
        elif code == seccomp.RETURN:
            return value
        else:
            raise AssertionError("unknown instruction")


def instructions(buffer):
    raw = buffer.raw[: len(buffer.raw) // 8 * 8]
    return [raw[at : at + 8] for at in range(0, len(raw), 8)]


@unittest.skipUnless(kernel.MACHINE in syscalls.NUMBERS, "no table of system calls for this machine")
class SeccompTest(unittest.TestCase):
    def setUp(self):
        self.numbers = syscalls.NUMBERS[kernel.MACHINE]
        self.base = seccomp.base_filter(self.numbers)

    def test_decision_tree_decides_every_number(self):
        for actions in ({0: 7}, {5: 7}, {1: 7, 2: 8, 3: 7, 9: 9}, {n: n % 3 for n in range(0, 90, 2)}):
            tree = [seccomp.instruction(seccomp.LOAD, 0)] + seccomp.decision_tree(actions, 99)
            for number in range(120):
                self.assertEqual(run(tree, number), actions.get(number, 99), (actions, number))

    def test_choose_knows_all_of_its_values(self):
        load = [seccomp.instruction(seccomp.LOAD, seccomp.OFFSET_ARGUMENT_0)]
        for values in ((3,), (3, 5), (3, 5, 8, 13)):
            block = seccomp.choose(load, values, 1, 2)
            for value in range(16):
                self.assertEqual(run(block, 0, [value]), 1 if value in values else 2)

    def test_base_filter_allows_only_what_is_listed(self):
        listed = set(syscalls.ALLOWED + syscalls.COUNTED + syscalls.CONDITIONAL) - {"clone3"}
        names = {number: name for name, number in self.numbers.items()}
        for number in range(600):
            name = names.get(number)
            expected = (
                seccomp.KILL if name in syscalls.DEADLY else seccomp.ALLOW if name in listed else ENOSYS
            )
            stream = [1, 1, 0] if name == "socketpair" else []
            self.assertEqual(run(self.base, number, stream), expected, (number, name))

    def test_other_doors_are_walled_up(self):
        for architecture in (0x40000003, 0xC000003D, 0):
            self.assertEqual(run(self.base, self.numbers["read"], architecture=architecture), seccomp.KILL)
        self.assertEqual(run(self.base, seccomp.X32_BIT | 1), seccomp.KILL)
        self.assertEqual(run(self.base, 0xFFFFFFFF), seccomp.KILL)

    def test_arguments_that_reach_others_are_refused(self):
        for name, refused, allowed in (
            ("fcntl", seccomp.SIGNALLING_FCNTL, (0, 1, 2, 3, 4, 1030, 1031)),
            ("ioctl", seccomp.SIGNALLING_IOCTL, (0x5401, 0x5421, 0x5452)),
        ):
            for value in refused:
                self.assertEqual(run(self.base, self.numbers[name], [3, value]), EPERM, (name, value))
            for value in allowed:
                self.assertEqual(run(self.base, self.numbers[name], [3, value]), seccomp.ALLOW, (name, value))
        for kind, action in ((1, seccomp.ALLOW), (1 | 0o2004000, seccomp.ALLOW), (2, EPERM), (5, EPERM), (3, EPERM)):
            self.assertEqual(run(self.base, self.numbers["socketpair"], [1, kind, 0]), action, kind)

    def test_program_filter_refuses_what_leaves_the_process(self):
        program_filter = seccomp.ProgramFilter(self.numbers, seccomp.NOTIFY, syscalls.COUNTED + ["tkill"])
        for offset in program_filter.process_id_at:
            struct.pack_into("I", program_filter.code, offset, 4321)
        program = instructions(program_filter.code)
        n = self.numbers
        thread = 0x3D0F00
        for name, arguments, action in (
            ("kill", [4321, 9], seccomp.ALLOW), ("kill", [1, 9], seccomp.NOTIFY), ("kill", [0, 9], seccomp.NOTIFY),
            ("kill", [-1, 9], seccomp.NOTIFY), ("kill", [-4321, 9], seccomp.NOTIFY),
            ("tgkill", [4321, 5, 9], seccomp.ALLOW), ("tgkill", [1, 1, 9], seccomp.NOTIFY),
            ("tkill", [4321, 9], seccomp.NOTIFY),
            ("prlimit64", [0, 7], seccomp.ALLOW), ("prlimit64", [1, 7], seccomp.NOTIFY),
            ("clone", [thread], seccomp.ALLOW), ("clone", [17], seccomp.NOTIFY), ("clone", [0x4111], seccomp.NOTIFY),
            ("clone", [thread | 0x10000000], seccomp.NOTIFY), ("clone", [thread | 0x00020000], seccomp.NOTIFY),
            ("prctl", [15], seccomp.ALLOW), ("prctl", [16], seccomp.ALLOW), ("prctl", [38], seccomp.NOTIFY),
            ("prctl", [1], seccomp.NOTIFY), ("read", [0], seccomp.ALLOW), ("execve", [], seccomp.NOTIFY),
            ("socket", [2, 1, 0], seccomp.NOTIFY), ("memfd_create", [], seccomp.NOTIFY), ("seccomp", [], seccomp.NOTIFY),
        ):  # fmt: skip
            self.assertEqual(run(program, n[name], arguments), action, (name, arguments))

    def test_both_tables_know_what_the_filters_need(self):
        needed = ["seccomp", "clone3", "clone", "kill", "tgkill", "prlimit64", "prctl", "fcntl", "ioctl", "socketpair", "pivot_root"]
        for machine, numbers in syscalls.NUMBERS.items():
            self.assertEqual([name for name in needed if name not in numbers], [], machine)
            self.assertEqual(len(set(numbers.values())), len(numbers), machine)

    def test_no_call_is_on_two_lists(self):
        lists = (syscalls.ALLOWED, syscalls.COUNTED, syscalls.CONDITIONAL, syscalls.DEADLY)
        names = [name for names in lists for name in names]
        self.assertEqual(sorted(names), sorted(set(names)))


if __name__ == "__main__":
    unittest.main()
