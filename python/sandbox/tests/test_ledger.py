"""The memory in which a program leaves its answers, with a program that lies in it."""

import os
import struct
import tempfile
import unittest

import support  # noqa: F401
import ledger

HEADER = struct.Struct("<IIII")


def frames_in(data):
    frames, at = [], 0
    while at < len(data):
        (length,) = struct.unpack_from("<I", data, at)
        frames.append(bytes(data[at + 4 : at + 4 + length]))
        at += 4 + length
    return frames


class LedgerTest(unittest.TestCase):
    def setUp(self):
        self.ledger = ledger.Ledger(1024, 4096)

    def tearDown(self):
        self.ledger.close()

    def set_used(self, used):
        struct.pack_into("<I", self.ledger.memory, 0, used)

    def handed_over(self):
        with tempfile.TemporaryFile() as file:
            self.ledger.hand_over(file.fileno(), HEADER, b"{}")
            file.seek(0)
            lengths = HEADER.unpack(file.read(HEADER.size))
            return [file.read(length) for length in lengths]

    def test_frames_arrive_in_order(self):
        self.ledger.add_frame('{"k":"loaded"}')
        self.ledger.add_frame('{"k":"returned","v":1}')
        description, frames, out, error = self.handed_over()
        self.assertEqual(description, b"{}")
        self.assertEqual(frames_in(frames), [b'{"k":"loaded"}', b'{"k":"returned","v":1}'])
        self.assertEqual((out, error), (b"", b""))

    def test_moving_on_is_seen_once_for_each_new_frame(self):
        self.assertFalse(self.ledger.has_moved_on())
        self.ledger.add_frame("one")
        self.assertTrue(self.ledger.has_moved_on())
        self.assertFalse(self.ledger.has_moved_on())
        self.ledger.add_frame("two")
        self.ledger.add_frame("three")
        self.assertTrue(self.ledger.has_moved_on())
        self.assertFalse(self.ledger.has_moved_on())
        self.assertTrue(self.ledger.is_intact())

    def test_a_frame_that_is_not_complete_is_no_step(self):
        self.set_used(3)
        self.assertFalse(self.ledger.has_moved_on())
        struct.pack_into("<I", self.ledger.memory, ledger.FRAMES_AT, 100)
        self.set_used(50)
        self.assertFalse(self.ledger.has_moved_on())
        self.assertTrue(self.ledger.is_intact())

    def test_what_was_seen_cannot_be_changed(self):
        self.ledger.add_frame("answer")
        self.assertTrue(self.ledger.has_moved_on())
        self.ledger.memory[ledger.FRAMES_AT + 5] ^= 1
        self.assertFalse(self.ledger.is_intact())
        self.ledger.memory[ledger.FRAMES_AT + 5] ^= 1
        self.assertTrue(self.ledger.is_intact())

    def test_what_was_seen_cannot_be_taken_back(self):
        self.ledger.add_frame("answer")
        self.assertTrue(self.ledger.has_moved_on())
        self.set_used(0)
        self.assertFalse(self.ledger.is_intact())

    def test_what_nobody_saw_may_change(self):
        self.ledger.add_frame("answer")
        self.ledger.memory[ledger.FRAMES_AT + 5] ^= 1
        self.assertTrue(self.ledger.is_intact())

    def test_no_number_leads_out_of_the_memory(self):
        for used in (0xFFFFFFFF, self.ledger.frames_room + 1, self.ledger.size):
            self.set_used(used)
            struct.pack_into("<I", self.ledger.memory, ledger.FRAMES_AT, 0xFFFFFFFF)
            self.ledger.has_moved_on()
            self.ledger.is_intact()
            self.assertEqual(len(self.handed_over()[1]), self.ledger.frames_room)

    def test_a_frame_without_room_ends_the_child(self):
        child = os.fork()
        if child == 0:
            try:
                while True:
                    self.ledger.add_frame("x" * 100000)
            finally:
                os._exit(9)
        _, status = os.waitpid(child, 0)
        self.assertEqual(status, 0)
        frames = frames_in(self.handed_over()[1])
        self.assertEqual(frames[-1], ledger.FULL)
        self.assertEqual(set(frames[:-1]), {b"x" * 100000})

    def test_output_is_kept_up_to_its_room(self):
        reader, writer = os.pipe()
        os.write(writer, b"o" * 3000)
        self.assertEqual(self.ledger.take_output(reader, 0), 3000)
        os.write(writer, b"e" * 3000)
        self.assertEqual(self.ledger.take_output(reader, 1), 1096)
        self.assertIsNone(self.ledger.take_output(reader, 1))
        self.assertEqual(self.handed_over()[2:], [b"o" * 3000, b"e" * 1096])
        os.close(reader)
        os.close(writer)


if __name__ == "__main__":
    unittest.main()
