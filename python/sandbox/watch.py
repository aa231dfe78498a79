"""Follows one untrusted child from outside until it is gone: time, output and refused calls.

Nothing here trusts the child. Its CPU time is read from the kernel. That it moves on from case to case is read off its
ledger, where it cannot pretend without giving the answer of a case away.
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
# Until the job has been read and the walls are up no program runs: only a stuck machine takes this long.
STARTING_SECONDS = 60.0


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
        self.clock = kernel.cpu_clock_of(child)
        self.poller = select.poll()
        for descriptor in (self.process, self.socket_fd, *output_pipes):
            self.poller.register(descriptor, select.POLLIN)
        for descriptor in output_pipes:
            os.set_blocking(descriptor, False)

    def follow(self):
        started = time.monotonic()
        interval = min(self.limits.case_cpu / LOOKS_PER_LIMIT, LONGEST_SLEEP)
        next_look = started + interval
        while True:
            events = self.poller.poll(max(next_look - time.monotonic(), 0) * 1000)
            if any(descriptor == self.process for descriptor, _ in events):
                break
            for descriptor, event in events:
                if event & select.POLLIN:
                    self.take(descriptor)
                else:
                    self.forget(descriptor)  # nobody is left at the other end
            now = time.monotonic()
            if now >= next_look:
                next_look = now + interval
                if self.body_taken:
                    self.look(now)
                elif now - started >= STARTING_SECONDS:
                    self.kill("wall")
        self.finish()
        self.wall = time.monotonic() - started

    def look(self, now):
        used = time.clock_gettime(self.clock)
        if not self.ledger.is_intact():
            self.kill("tampered")
        elif self.ledger.has_moved_on():
            self.case_cpu, self.case_wall = used, now
        limits = self.limits
        if used - self.case_cpu >= limits.case_cpu:
            self.kill("cpu")
        elif used - self.ready_cpu >= limits.program_cpu or now - self.ready_wall >= limits.program_wall:
            self.kill("program")
        elif now - self.case_wall >= limits.case_wall:
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
        self.forget(self.socket_fd)
        if piece and not self.body_taken:
            self.body_taken = True
            # From here on the program's own time runs.
            self.ready_cpu = self.case_cpu = time.clock_gettime(self.clock)
            self.ready_wall = self.case_wall = time.monotonic()
        if descriptors:
            self.listener = descriptors[0]
            self.poller.register(self.listener, select.POLLIN)
        return False

    def take_refusal(self):
        if not self.refusals.answer(self.listener):
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
        if not self.ledger.is_intact():
            self.killed_for = "tampered"
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
