"""Where a program's answers and output go on their way out: memory shared by one child and the worker.

Why not a pipe that the worker reads? Two reasons. The worker's memory is inherited by every later program, so answers
of the reference must never pass through it; this memory is mapped anew for each child, handed to the parent from where
it lies, and unmapped before the next fork. And a child that finishes a case makes no system call, so that the worker
sleeps until something needs it.

The child can write anything here at any time. The worker reads nothing of it but how long its frames are, to see
whether the program has moved on to another case. So that nobody can move on and come back, what has been seen once is
sealed by a digest and must still be there at the end.
"""

import mmap
import os
import struct

try:
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

FRAMES_AT = 8  # after how many bytes of frames there are, and padding
LENGTH = struct.Struct("<I")
FULL = b'{"k":"full"}'
# Room for the last word when everything else is taken.
RESERVE = LENGTH.size + len(FULL)
SMALLEST_FRAMES_AREA = 1024 * 1024


class Ledger:
    def __init__(self, value_bytes, output_bytes):
        self.frames_room = max(2 * value_bytes, SMALLEST_FRAMES_AREA)
        self.output_at = FRAMES_AT + self.frames_room
        self.output_room = output_bytes
        self.size = self.output_at + 2 * output_bytes
        self.memory = mmap.mmap(-1, self.size)
        # One store changes it as a whole: the child may be stopped or looked at anywhere.
        self.count = memoryview(self.memory)[:4].cast("I")
        self.printed = [0, 0]
        self.sealed = 0
        self.seal = b""

    def add_frame(self, text):
        """In the child. A frame that does not fit ends the child; the parent goes on from there with a new one."""
        body = text.encode("ascii")
        used = self.count[0]
        fits = used + LENGTH.size + len(body) + RESERVE <= self.frames_room
        body = body if fits else FULL
        at = FRAMES_AT + used
        LENGTH.pack_into(self.memory, at, len(body))
        self.memory[at + LENGTH.size : at + LENGTH.size + len(body)] = body
        # Last: the worker must not see a frame that is not there yet.
        self.count[0] = used + LENGTH.size + len(body)
        if not fits:
            os._exit(0)

    def has_moved_on(self):
        """Whether there are new complete frames since the last look; they are sealed."""
        used = self.used()
        at = self.sealed
        while used - at >= LENGTH.size:
            (length,) = LENGTH.unpack_from(self.memory, FRAMES_AT + at)
            if used - at - LENGTH.size < length:
                break
            at += LENGTH.size + length
        if at == self.sealed:
            return False
        self.sealed = at
        self.seal = self.digest()
        return True

    def is_intact(self):
        """Whether everything that was sealed is still as it was."""
        return self.sealed == 0 or (self.used() >= self.sealed and self.digest() == self.seal)

    def digest(self):
        with memoryview(self.memory) as view, view[FRAMES_AT : FRAMES_AT + self.sealed] as sealed:
            return blake2b(sealed).digest()

    def used(self):
        return min(self.count[0], self.frames_room)

    def take_output(self, descriptor, stream):
        """Reads from a pipe straight into this memory. The bytes read: 0 at the end, None once the room is used up."""
        room = self.output_room - self.printed[0] - self.printed[1]
        if room <= 0:
            return None
        start = self.output_at + stream * self.output_room + self.printed[stream]
        with memoryview(self.memory) as view, view[start : start + min(room, 65536)] as target:
            count = os.readv(descriptor, [target])
        self.printed[stream] += count
        return count

    def hand_over(self, descriptor, header, description):
        """Writes one record (see worker.py) to the parent, from where the bytes lie."""
        used = self.used()
        lengths = header.pack(len(description), used, *self.printed)
        with memoryview(self.memory) as view:
            parts = [(FRAMES_AT, used)]
            parts += [(self.output_at + stream * self.output_room, self.printed[stream]) for stream in (0, 1)]
            write_all(descriptor, lengths + description)
            for start, length in parts:
                if length:
                    with view[start : start + length] as piece:
                        write_all(descriptor, piece)

    def close(self):
        self.count.release()
        self.memory.close()


def write_all(descriptor, data):
    with memoryview(data) as view:
        done = 0
        while done < len(view):
            with view[done:] as rest:
                done += os.write(descriptor, rest)
