"""Follows one untrusted child from outside until it is gone: time, output, frames and refused calls.

Nothing here trusts the child. Its CPU time is read from the kernel; its frames are counted, not read; a frame that
never ends, a flood, or a call storm ends it.
"""

import os
import select
import signal
import socket
import struct
import time

import kernel

FRAME_LENGTH = struct.Struct("<I")
MOST_REFUSALS = 5000
MOST_CHANNEL_BYTES = 64 * 1024 * 1024
# Woken a little after the limit, so that the first look already sees it passed.
CLOCK_SLACK = 0.002


class Channel:
    """Bytes of the child's channel and how many complete frames they hold."""

    def __init__(self, most_frame_bytes):
        self.data = bytearray()
        self.most_frame_bytes = most_frame_bytes
        self.frames = 0
        self.next_frame = 0

    def add(self, piece):
        """False when a frame claims to be larger than any value may be."""
        self.data += piece
        while len(self.data) - self.next_frame >= 4:
            (length,) = FRAME_LENGTH.unpack_from(self.data, self.next_frame)
            if length > self.most_frame_bytes:
                return False
            if len(self.data) - self.next_frame < 4 + length:
                break
            self.next_frame += 4 + length
            self.frames += 1
        return len(self.data) <= MOST_CHANNEL_BYTES


class Watch:
    def __init__(self, child, channel_socket, output_pipes, limits, refusals):
        self.child = child
        self.process = os.pidfd_open(child)
        self.socket = channel_socket
        self.socket_fd = channel_socket.fileno()
        self.pipes = output_pipes
        self.limits = limits
        self.refusals = refusals
        self.channel = Channel(limits.value_bytes + 4096)
        self.outputs = (bytearray(), bytearray())
        self.listener = None
        self.denied = 0
        self.killed_for = None
        self.body_taken = False
        self.poller = select.poll()
        self.poller.register(self.process, select.POLLIN)
        for descriptor in (self.socket_fd, *output_pipes):
            os.set_blocking(descriptor, False)
            self.poller.register(descriptor, select.POLLIN)

    def follow(self):
        clock = kernel.cpu_clock_of(self.child)
        started = frame_wall = time.monotonic()
        frame_cpu = 0.0
        frames = 0
        ended = False
        while not ended:
            now, used = time.monotonic(), time.clock_gettime(clock)
            if self.channel.frames != frames:
                frames, frame_cpu, frame_wall = self.channel.frames, used, now
            wait = self.enforce_time(used, used - frame_cpu, now - frame_wall)
            for descriptor, _ in self.poller.poll(wait * 1000):
                if descriptor == self.process:
                    ended = True
                else:
                    self.take(descriptor)
            # One frame says whether the program loaded, then one for each case: nothing is left to wait for.
            if self.channel.frames > self.limits.cases and not ended:
                self.kill("done")
        self.finish()
        self.wall = time.monotonic() - started

    def enforce_time(self, used, case_used, case_wall):
        """Ends the child if a limit has passed; the seconds until the next look are returned."""
        limits = self.limits
        if self.killed_for is not None:
            return 1.0
        if case_used >= limits.case_cpu:
            self.kill("cpu")
        elif used >= limits.program_cpu:
            self.kill("program")
        elif case_wall >= limits.case_wall:
            self.kill("wall")
        left = min(limits.case_cpu - case_used, limits.program_cpu - used, limits.case_wall - case_wall)
        return max(left, 0) + CLOCK_SLACK

    def take(self, descriptor):
        """Takes what one descriptor has to say; False when there is nothing more to read."""
        if descriptor == self.listener:
            return self.take_refusal()
        try:
            piece = self.read_channel() if descriptor == self.socket_fd else os.read(descriptor, 65536)
        except BlockingIOError:
            return False
        except OSError:
            piece = None
        if not piece:
            self.forget(descriptor)
            return False
        if descriptor != self.socket_fd:
            self.keep_output(descriptor, piece)
        elif not self.channel.add(piece[self.ready_bytes :]):
            self.kill("value")
        return True

    def read_channel(self):
        """The first byte says that the job was read, and carries the listener for refused calls."""
        self.ready_bytes = 0
        if self.body_taken:
            return os.read(self.socket_fd, 65536)
        piece, descriptors, _, _ = socket.recv_fds(self.socket, 65536, 1)
        if piece:
            self.body_taken = True
            self.ready_bytes = 1
        if descriptors:
            self.listener = descriptors[0]
            self.poller.register(self.listener, select.POLLIN)
        return piece

    def take_refusal(self):
        if not self.refusals.answer(self.listener):
            self.forget(self.listener)
            return False
        self.denied += 1
        if self.denied > MOST_REFUSALS:
            self.kill("refused")
        return True

    def keep_output(self, descriptor, piece):
        kept = self.outputs[0] if descriptor == self.pipes[0] else self.outputs[1]
        room = self.limits.output_bytes - len(self.outputs[0]) - len(self.outputs[1])
        kept += piece[:room]
        if len(piece) > room:
            self.kill("output")

    def forget(self, descriptor):
        try:
            self.poller.unregister(descriptor)
        except KeyError:
            pass  # already forgotten

    def kill(self, reason):
        if self.killed_for is None:
            self.killed_for = reason
            signal.pidfd_send_signal(self.process, signal.SIGKILL)

    def finish(self):
        """Reads what is left in the pipes: their writer is gone, so it is final."""
        for descriptor in (self.socket_fd, *self.pipes):
            while self.take(descriptor):
                pass
        _, self.status, self.usage = os.wait4(self.child, 0)
        self.socket.close()
        for descriptor in (self.process, *self.pipes, self.listener):
            if descriptor is not None:
                os.close(descriptor)

    def describe(self):
        signal_number = os.WTERMSIG(self.status) if os.WIFSIGNALED(self.status) else None
        cpu = self.usage.ru_utime + self.usage.ru_stime
        if self.killed_for is None and signal_number == signal.SIGKILL and cpu >= self.limits.program_cpu:
            self.killed_for = "program"  # by the kernel's timer: this worker was too starved to be first
        return {
            "killedFor": self.killed_for,
            "signal": signal_number,
            "code": os.WEXITSTATUS(self.status) if os.WIFEXITED(self.status) else None,
            "cpu": cpu,
            "wall": self.wall,
            # A call from the kill list is not announced; the signal it dies of is the evidence.
            "denied": self.denied + (1 if signal_number == signal.SIGSYS else 0),
        }
