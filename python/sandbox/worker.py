"""The native sandbox's warm worker: takes jobs on standard input, forks one locked-down child per program.

A job is a header (see HEADER) and a JSON body. The *child* reads the body: the worker, whose memory every later
program inherits, must never have held another program's text. When the child is gone one record goes to the parent
(see send_record), and the parent decides what it means.
"""

import collections
import gc
import json
import os
import resource
import socket
import struct
import sys
import types

import harness
import isolation
import kernel
import seccomp
import watch

# Modules that programs like to import: loaded once here, inherited by every child.
PRELOADED = """abc array bisect collections.abc copy dataclasses datetime decimal enum fractions functools heapq io
itertools math operator random re statistics string typing"""

# Bytes of the body, number of cases, seconds of CPU and wall per case and of CPU in all, then KiB of memory, output
# and value.
HEADER = struct.Struct("<IIdddIII")
RECORD = struct.Struct("<IIII")  # bytes of: description, channel, standard output, standard error
CHANNEL_AT = 3
RULESET_AT = 4
OWN_MODULES = ("harness", "isolation", "kernel", "landlock", "seccomp", "syscalls", "watch", "wire")

Limits = collections.namedtuple(
    "Limits", "body_bytes cases case_cpu case_wall program_cpu memory_bytes output_bytes value_bytes"
)


class Worker:
    def __init__(self, jobs, records, walls, base_memory):
        self.jobs = jobs
        self.records = records
        self.walls = walls
        self.base_memory = base_memory
        self.refusals = seccomp.RefusalCounter()
        self.timer = kernel.CpuTimer(walls.numbers) if walls.numbers else None

    def serve(self):
        while True:
            header = read_exactly(self.jobs, HEADER.size)
            if header is None:
                return
            *rest, memory, output, value = HEADER.unpack(header)
            self.run_one(Limits(*rest, memory * 1024, output * 1024, value * 1024))

    def run_one(self, limits):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        out_read, out_write = os.pipe()
        error_read, error_write = os.pipe()
        child = os.fork()
        if child == 0:
            self.be_program(limits, theirs.fileno(), out_write, error_write)
        theirs.close()
        os.close(out_write)
        os.close(error_write)
        watched = watch.Watch(child, ours, (out_read, error_read), limits, self.refusals)
        watched.follow()
        if not watched.body_taken:
            # Nobody knows how much of the body is left in the pipe: only a new worker is safe.
            os._exit(3)
        self.reap_strays()
        self.walls.clean_scratch()
        self.send_record(watched.describe(), watched.channel.data, *watched.outputs)

    def be_program(self, limits, channel, out_write, error_write):
        """In the child; never returns."""
        try:
            job = json.loads(read_exactly(self.jobs, limits.body_bytes))
            if job["style"] == "stdio":
                put_on_standard_input(job.pop("input"))
            self.arrange_descriptors(channel, out_write, error_write)
            os.setpgid(0, 0)
            if not self.walls.own_root:
                kernel.die_with_parent()
            self.set_limits(limits)
            listener = self.walls.become_program()
            announce_ready(listener)
            gc.enable()
            harness.run(job, send_frame)
        finally:
            os._exit(0)

    def arrange_descriptors(self, channel, out_write, error_write):
        """Standard streams, the channel at 3, the Landlock rules at 4, nothing else."""
        os.dup2(out_write, 1)
        os.dup2(error_write, 2)
        # The worker keeps 3 and 4 free, so nothing that is still needed is overwritten here.
        os.dup2(channel, CHANNEL_AT)
        if self.walls.ruleset is not None:
            os.dup2(self.walls.ruleset, RULESET_AT)
            self.walls.ruleset = RULESET_AT
        os.closerange(RULESET_AT + 1, isolation.OPEN_FILES)

    def set_limits(self, limits):
        memory = self.base_memory + limits.memory_bytes
        isolation.lower_limit(resource.RLIMIT_AS, memory)
        isolation.lower_limit(resource.RLIMIT_FSIZE, self.walls.scratch_bytes)
        # Backstops: the worker measures each case from outside and is first, unless it is itself starved.
        isolation.lower_limit(resource.RLIMIT_CPU, int(limits.program_cpu) + 2)
        if self.timer:
            self.timer.start(limits.program_cpu + 1)

    def reap_strays(self):
        while True:
            try:
                if os.waitpid(-1, os.WNOHANG) == (0, 0):
                    self.walls.kill_strays()
                    os.waitpid(-1, 0)
            except ChildProcessError:
                return

    def send_record(self, description, *parts):
        parts = (json.dumps(description).encode(), *parts)
        data = RECORD.pack(*map(len, parts)) + b"".join(parts)
        while data:
            data = data[os.write(self.records, data) :]


def read_exactly(descriptor, count):
    """``count`` bytes and not one more: what follows belongs to the next reader. None at the end of the stream."""
    pieces = []
    while count:
        piece = os.read(descriptor, count)
        if not piece:
            return None
        pieces.append(piece)
        count -= len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def put_on_standard_input(text):
    data = text.encode("utf-8", "surrogatepass")
    descriptor = os.memfd_create("input")
    while data:
        data = data[os.write(descriptor, data) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.dup2(descriptor, 0)


def announce_ready(listener):
    channel = socket.socket(fileno=CHANNEL_AT)
    if listener > 0:
        socket.send_fds(channel, [b"!"], [listener])
        os.close(listener)
    else:
        channel.send(b"!")
    channel.detach()


def send_frame(text):
    body = text.encode("ascii")
    data = watch.FRAME_LENGTH.pack(len(body)) + body
    while data:
        data = data[os.write(CHANNEL_AT, data) :]


def own_address_space():
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 64 * 1024 * 1024


def high_copy(descriptor):
    """A copy out of the way of the numbers that the child's channel and rules will take."""
    import fcntl

    copy = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 20)
    os.close(descriptor)
    return copy


def forget_ourselves():
    """A program that imports ``wire`` or asks for ``__main__`` must not meet the worker."""
    for name in OWN_MODULES:
        sys.modules.pop(name, None)
    sys.modules["__main__"] = types.ModuleType("__main__")
    sys.path[:] = [folder for folder in sys.path if folder != os.path.dirname(os.path.abspath(__file__))]
    sys.argv[:] = ["program"]
    os.environ.clear()
    os.environ.update(HOME=isolation.SCRATCH, TMPDIR=isolation.SCRATCH, LANG="C.UTF-8")


def main():
    wanted, scratch_bytes = sys.argv[1], int(sys.argv[2])
    for name in PRELOADED.split():
        __import__(name)
    base_memory = own_address_space()
    walls = isolation.Isolation(wanted, scratch_bytes)
    walls.enter()
    jobs, records = high_copy(0), high_copy(1)
    quiet = os.open("/dev/null", os.O_RDWR)
    os.dup2(quiet, 1)
    if quiet != 0:
        os.dup2(quiet, 0)
    os.open("/dev/null", os.O_RDWR)  # keeps 3 and 4 taken until a child puts its own there
    os.open("/dev/null", os.O_RDWR)
    if walls.ruleset is not None:
        walls.ruleset = high_copy(walls.ruleset)
    worker = Worker(jobs, records, walls, base_memory)
    forget_ourselves()
    sys.modules["random"].seed(0)
    worker.send_record(
        {"level": walls.level(), "layers": walls.layers, "python": sys.version.split()[0]}, b"", b"", b""
    )
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        worker.serve()
    finally:
        walls.leave()


main()
