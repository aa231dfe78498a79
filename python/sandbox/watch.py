"""Follows one untrusted child from outside until it is gone: time, output and refused calls.

Nothing here trusts the child. Its CPU time is read from the kernel; that it moves on from case to case is read off its
ledger, where a lie can at most spend the whole program's budget on one case.
"""

import os
import select
import signal
import socket
import time

import kernel

MOST_REFUSALS = 5000
# A case is looked at this often within its limit: it may overrun by that fraction, and is never cut short.
LOOKS_PER_LIMIT = 8
LONGEST_SLEEP = 1.0


class Watch:
    def __init__(self, child, ready_socket, output_pipes, limits, ledger, refusals):
        self.child = child
        self.process = os.pidfd_open(child)
        self.socket = ready_socket
        self.socket_fd = ready_socket.fileno()
        self.pipes = output_pipes
        self.limits = limits
        self.ledger = ledger
        self.refusals = refusals
        self.listener = None
        self.denied = 0
        self.killed_for = None
        self.body_taken = False
        self.poller = select.poll()
        for descriptor in (self.process, self.socket_fd, *output_pipes):
            self.poller.register(descriptor, select.POLLIN)
        for descriptor in output_pipes:
            os.set_blocking(descriptor, False)

    def follow(self):
        clock = kernel.cpu_clock_of(self.child)
        started = case_started = time.monotonic()
        case_cpu = 0.0
        frames = 0
        interval = min(self.limits.case_cpu / LOOKS_PER_LIMIT, LONGEST_SLEEP)
        while True:
            events = self.poller.poll(interval * 1000)
            if any(descriptor == self.process for descriptor, _ in events):
                break
            for descriptor, _ in events:
                self.take(descriptor)
            now, used = time.monotonic(), time.clock_gettime(clock)
            if self.ledger.frames() != frames:
                frames, case_cpu, case_started = self.ledger.frames(), used, now
            self.enforce_time(used, used - case_cpu, now - case_started)
        self.finish()
        self.wall = time.monotonic() - started

    def enforce_time(self, used, case_used, case_wall):
        limits = self.limits
        if case_used >= limits.case_cpu:
            self.kill("cpu")
        elif used >= limits.program_cpu:
            self.kill("program")
        elif case_wall >= limits.case_wall:
            self.kill("wall")

    def take(self, descriptor):
        """Takes what one descriptor has to say; False when there is nothing more to read."""
        if descriptor == self.listener:
            return self.take_refusal()
        if descriptor == self.socket_fd:
            return self.take_ready()
        try:
            count = self.ledger.take_output(descriptor, 0 if descriptor == self.pipes[0] else 1)
        except BlockingIOError:
            return False
        if count is None:
            self.kill("output")
        if not count:
            self.forget(descriptor)
        return bool(count)

    def take_ready(self):
        """One byte says that the job was read, and carries the listener for refused calls."""
        try:
            piece, descriptors, _, _ = socket.recv_fds(self.socket, 1, 1)
        except OSError:
            piece, descriptors = b"", []
        self.body_taken = self.body_taken or bool(piece)
        self.forget(self.socket_fd)
        if descriptors:
            self.listener = descriptors[0]
            self.poller.register(self.listener, select.POLLIN)
        return False

    def take_refusal(self):
        if not self.refusals.answer(self.listener):
            self.forget(self.listener)
            return False
        self.denied += 1
        if self.denied > MOST_REFUSALS:
            self.kill("refused")
        return True

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
        if not self.body_taken:
            self.take_ready()
        for descriptor in self.pipes:
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
            self.killed_for = "program"  # by the kernel's own limit: this worker was too starved to be first
        return {
            "killedFor": self.killed_for,
            "signal": signal_number,
            "code": os.WEXITSTATUS(self.status) if os.WIFEXITED(self.status) else None,
            "cpu": cpu,
            "wall": self.wall,
            # A call from the kill list is not announced; the signal it dies of is the evidence.
            "denied": self.denied + (1 if signal_number == signal.SIGSYS else 0),
        }
