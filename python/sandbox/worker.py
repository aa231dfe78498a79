"""The native sandbox's warm worker: takes jobs on standard input, forks one locked-down child per program.

A job is a header (see HEADER), a JSON body and the program's input. The *child* reads the last two: the worker, whose
memory every later program inherits, must never have held another program's text. When the child is gone one record
(see ledger.py) goes to the parent, and the parent decides what it means.
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
import ledger
import seccomp
import watch

# Modules that programs like to import: loaded once here, inherited by every child.
PRELOADED = """abc array bisect collections.abc copy dataclasses datetime decimal enum fractions functools heapq io
itertools math operator random re statistics string typing"""

# Bytes of the body and of the standard input after it, seconds of CPU and wall per case and of CPU and wall in all,
# then KiB of memory, output and value.
HEADER = struct.Struct("<IIddddIII")
RECORD = struct.Struct("<IIII")  # bytes of: description, channel, standard output, standard error
OWN_MODULES = """harness isolation kernel landlock ledger scratch seccomp strays syscalls watch wire""".split()
# The job is in the program's memory too: as bytes, as text and as what was read from it.
MEMORY_PER_JOB_BYTE = 4

# Programs replace what they find in os.
leave = os._exit

Limits = collections.namedtuple(
    "Limits",
    "body_bytes input_bytes case_cpu case_wall program_cpu program_wall memory_bytes output_bytes value_bytes",
)


class Worker:
    def __init__(self, jobs, records, walls, base_memory):
        self.jobs = jobs
        self.records = records
        self.walls = walls
        self.base_memory = base_memory
        self.refusals = seccomp.RefusalCounter()

    def serve(self):
        while True:
            header = read_exactly(self.jobs, HEADER.size)
            if header is None:
                return
            *rest, memory, output, value = HEADER.unpack(header)
            self.run_one(Limits(*rest, memory * 1024, output * 1024, value * 1024))

    def run_one(self, limits):
        answers = ledger.Ledger(limits.value_bytes, limits.output_bytes)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        out_read, out_write = os.pipe()
        error_read, error_write = os.pipe()
        memory = self.base_memory + answers.size + limits.memory_bytes
        memory += MEMORY_PER_JOB_BYTE * (limits.body_bytes + limits.input_bytes)
        cpu = int(limits.program_cpu) + 2
        refuse_low_limit(resource.RLIMIT_AS, memory, "ulimit -v", "bytes of memory")
        refuse_low_limit(resource.RLIMIT_CPU, cpu, "ulimit -t", "seconds of CPU time")
        child = os.fork()
        if child == 0:
            self.be_program(limits, answers, theirs, out_write, error_write, (memory, cpu))
        theirs.close()
        os.close(out_write)
        os.close(error_write)
        watched = watch.Watch(child, ours, (out_read, error_read), limits, answers, self.refusals)
        watched.follow()
        if not watched.body_taken:
            # Nobody knows how much of the body is left in the pipe: only a new worker is safe.
            sys.exit("a program's process ended before it was ready")
        self.reap_strays()
        self.walls.clean_scratch()
        answers.hand_over(self.records, RECORD, json.dumps(watched.describe()).encode())
        answers.close()

    def be_program(self, limits, answers, ready, out_write, error_write, kernel_limits):
        """In the child; never returns."""
        code = 1
        try:
            job = json.loads(read_exactly(self.jobs, limits.body_bytes))
            if job["style"] == "stdio":
                put_on_standard_input(read_exactly(self.jobs, limits.input_bytes))
            os.dup2(out_write, 1)
            os.dup2(error_write, 2)
            os.setpgid(0, 0)
            memory, cpu = kernel_limits
            isolation.lower_limit(resource.RLIMIT_AS, memory)
            # The kernel's own, uncatchable end, in whole seconds. The worker measures each case from outside and is
            # first, unless it is itself starved.
            isolation.lower_limit(resource.RLIMIT_CPU, cpu)
            # After the input, which may be larger, has become a file.
            isolation.lower_limit(resource.RLIMIT_FSIZE, self.walls.scratch_bytes)
            self.walls.become_program(ready)
            # Nothing but the standard streams stays open: not the listener, through which refusals could be undone.
            os.closerange(3, isolation.OPEN_FILES)
            gc.enable()
            harness.run(job, answers.add_frame)
            code = 0
        finally:
            leave(code)

    def reap_strays(self):
        while True:
            try:
                if os.waitpid(-1, os.WNOHANG) == (0, 0):
                    self.walls.kill_strays()
                    os.waitpid(-1, 0)
            except ChildProcessError:
                return

    def greet(self):
        description = {
            "level": self.walls.level(),
            "layers": self.walls.layers,
            "python": sys.version.split()[0],
        }
        text = json.dumps(description).encode()
        ledger.write_all(self.records, RECORD.pack(len(text), 0, 0, 0) + text)


def read_exactly(descriptor, count):
    """``count`` bytes and not one more: what follows belongs to the next reader. None at the end of the stream."""
    pieces = []
    while count > 0:
        piece = os.read(descriptor, count)
        if not piece:
            return None
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)


def put_on_standard_input(data):
    descriptor = os.memfd_create("input")
    ledger.write_all(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.dup2(descriptor, 0)


def refuse_low_limit(limit, needed, command, unit):
    """A limit that this machine's user has lowered must not pass for a failure of the program."""
    _, hard = resource.getrlimit(limit)
    if hard != resource.RLIM_INFINITY and hard < needed:
        sys.exit("cannot give a program %d %s: %s allows %d" % (needed, unit, command, hard))


def own_address_space():
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 64 * 1024 * 1024


def forget_ourselves(home):
    """A program that imports ``wire`` or asks for ``__main__`` must not meet the worker."""
    for name in OWN_MODULES:
        sys.modules.pop(name, None)
    sys.modules["__main__"] = types.ModuleType("__main__")
    sys.path[:] = [folder for folder in sys.path if folder != os.path.dirname(os.path.abspath(__file__))]
    sys.argv[:] = ["program"]
    os.environ.clear()
    os.environ.update(HOME=home, TMPDIR=home, LANG="C.UTF-8")


def preload():
    # The random module would seed itself anew in every child; programs must get the same numbers every time. One that
    # is already here has arranged for that, so programs get another.
    sys.modules.pop("random", None)
    register_at_fork, os.register_at_fork = os.register_at_fork, lambda **_: None
    for name in PRELOADED.split():
        __import__(name)
    os.register_at_fork = register_at_fork
    sys.modules["random"].seed(0)


def close_inherited_descriptors():
    """Whoever started our parent may have left some open, and every program would have them too."""
    for name in os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else map(str, range(4096)):
        if int(name) > 2:
            try:
                os.close(int(name))
            except OSError:
                pass  # the one that the list was read from, or none


def main():
    wanted, scratch_bytes = sys.argv[1], int(sys.argv[2])
    close_inherited_descriptors()
    preload()
    base_memory = own_address_space()
    refuse_low_limit(resource.RLIMIT_NOFILE, isolation.OPEN_FILES, "ulimit -n", "open files")
    refuse_low_limit(resource.RLIMIT_NPROC, isolation.THREADS, "ulimit -u", "threads")
    refuse_low_limit(resource.RLIMIT_STACK, isolation.STACK_BYTES, "ulimit -s", "bytes of stack")
    refuse_low_limit(resource.RLIMIT_FSIZE, scratch_bytes, "ulimit -f", "bytes in a file")
    walls = isolation.Isolation(wanted, scratch_bytes)
    try:
        walls.enter()
    except OSError as error:
        sys.exit("cannot be isolated here: " + str(error))
    jobs, records = os.dup(0), os.dup(1)
    quiet = os.open("/dev/null", os.O_RDWR)
    os.dup2(quiet, 0)
    os.dup2(quiet, 1)
    os.close(quiet)
    worker = Worker(jobs, records, walls, base_memory)
    forget_ourselves(walls.scratch.path)
    worker.greet()
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        worker.serve()
    finally:
        walls.take_down()


main()
