"""Where a program's answers and output go on their way out: memory shared by one child and the worker.

Why not a pipe that the worker reads? Two reasons. The worker's memory is inherited by every later program, so answers
of the reference must never pass through it; this memory is mapped anew for each child, handed to the parent from where
it lies, and unmapped before the next fork. And a child that finishes a case makes no system call, so that the worker
sleeps until something needs it.

The child can write anything here at any time. The worker uses nothing of it but two numbers, clamped: how many frames
there are, which only says whether the program moves on, and how many bytes to hand over.
"""

import mmap
import os
import struct

COUNTS = struct.Struct("<II")  # frames, bytes of frames
LENGTH = struct.Struct("<I")
FULL = b'{"k":"full"}'
# Room for the last word when everything else is taken.
RESERVE = LENGTH.size + len(FULL)
SMALLEST_FRAMES_AREA = 1024 * 1024


class Ledger:
    def __init__(self, value_bytes, output_bytes):
        self.frames_room = max(2 * value_bytes, SMALLEST_FRAMES_AREA)
        self.output_at = COUNTS.size + self.frames_room
        self.output_room = output_bytes
        self.memory = mmap.mmap(-1, self.output_at + 2 * output_bytes)
        self.printed = [0, 0]

    def add_frame(self, text):
        """In the child. A frame that does not fit ends the child; the parent goes on from there with a new one."""
        body = text.encode("ascii")
        frames, used = COUNTS.unpack_from(self.memory, 0)
        fits = used + LENGTH.size + len(body) + RESERVE <= self.frames_room
        body = body if fits else FULL
        at = COUNTS.size + used
        LENGTH.pack_into(self.memory, at, len(body))
        self.memory[at + LENGTH.size : at + LENGTH.size + len(body)] = body
        # The count comes last: the worker must not see a frame that is not there yet.
        COUNTS.pack_into(self.memory, 0, frames + 1, used + LENGTH.size + len(body))
        if not fits:
            os._exit(0)

    def frames(self):
        return COUNTS.unpack_from(self.memory, 0)[0]

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
        used = min(COUNTS.unpack_from(self.memory, 0)[1], self.frames_room)
        lengths = header.pack(len(description), used, *self.printed)
        with memoryview(self.memory) as view:
            parts = [(COUNTS.size, used)]
            parts += [(self.output_at + stream * self.output_room, self.printed[stream]) for stream in (0, 1)]
            write_all(descriptor, lengths + description)
            for start, length in parts:
                if length:
                    with view[start : start + length] as piece:
                        write_all(descriptor, piece)

    def close(self):
        self.memory.close()


def write_all(descriptor, data):
    with memoryview(data) as view:
        done = 0
        while done < len(view):
            with view[done:] as rest:
                done += os.write(descriptor, rest)
