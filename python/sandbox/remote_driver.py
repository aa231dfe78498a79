"""Runs the harness on a machine that offers nothing but "run this script": any SandboxFusion host.

The caller sends this file, wire.py, harness.py and the job as one script, never an expected answer. What happens is
told in records on standard output, one per line, each with a marker that is new for every request:

    MARKER begin                    the script has started; the program has not
    MARKER frame CPU-SECONDS JSON   a frame of the harness
    MARKER out BASE64, err BASE64   what a stdio program printed
    MARKER stop REASON              the program went over a limit and was ended here
    MARKER spill                    the records from here on are in the file that the caller named

What the program itself prints goes elsewhere, so it cannot even try to write records without searching this process
for the marker, and all it could gain is to report another value of its own. The file is there because SandboxFusion
hangs when a script prints more than about 190 KB.
"""

import binascii
import io
import json
import os
import sys
import time

ROOM_ON_STANDARD_OUTPUT = 60000  # the caller's probe has seen that as much gets through whole
MOST_RECORD_BYTES = 64 * 1024 * 1024


class Records:
    def __init__(self, marker, spill):
        self.marker = marker
        self.spill = spill
        self.descriptor = os.dup(1)
        self.room = ROOM_ON_STANDARD_OUTPUT
        self.written = 0

    def put(self, *words):
        line = ("\n" + " ".join((self.marker,) + words) + "\n").encode("ascii")
        self.written += len(line)
        if self.spill and len(line) > self.room:
            write_all(self.descriptor, ("\n" + self.marker + " spill\n").encode("ascii"))
            self.descriptor = os.open(self.spill, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
            self.spill = None
            self.room = MOST_RECORD_BYTES
        self.room -= len(line)
        write_all(self.descriptor, line)


class CountedOutput(io.FileIO):
    """Standard output or error of the program; ``count`` hears of every write before it happens."""

    def __init__(self, descriptor, count):
        super().__init__(descriptor, "wb", closefd=False)
        self.count = count

    def write(self, data):
        self.count(memoryview(data).nbytes)
        return super().write(data)


class Driver:
    def __init__(self, parcel):
        self.limits = parcel["limits"]
        self.style = parcel["job"]["style"]
        self.records = Records(parcel["marker"], parcel["spill"])
        self.outputs = []
        self.printed = 0
        self.started = time.process_time()  # the process may be older than this script
        self.leave = os._exit

    def run(self, job, harness):
        self.redirect_output()
        self.limit_memory()
        # Only now: whatever fails before this is the host's failure, whatever comes after it the program's.
        self.records.put("begin")
        self.start_clocks()
        if self.style == "stdio":
            os._exit = self.exit_of_program
        try:
            harness.run(job, self.send)
        finally:
            # Nothing that a program leaves behind may reach the host's own error handling.
            self.leave(0)

    def redirect_output(self):
        for descriptor, name in ((1, "stdout"), (2, "stderr")):
            file = nameless_file()
            os.dup2(file, descriptor)
            self.outputs.append(file)
            raw = CountedOutput(descriptor, self.count_output)
            stream = io.TextIOWrapper(io.BufferedWriter(raw), "utf-8", "surrogateescape", write_through=descriptor == 2)
            setattr(sys, name, stream)
            setattr(sys, "__" + name + "__", stream)

    def count_output(self, size):
        self.printed += size
        if self.printed > self.limits["outputBytes"]:
            self.stop_clocks()
            self.stop("output")

    def limit_memory(self):
        try:
            import resource

            memory = own_address_space(resource.getpagesize()) + self.limits["memoryBytes"]
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        except (ImportError, OSError, ValueError):
            pass  # the host's own limit is left

    def limit_files(self, size):
        """For what is printed past Python's own streams: a signal ends it at ``size``. None lifts it for our records."""
        try:
            import resource
            import signal

            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard if size is None else size, hard))
        except (ImportError, AttributeError, OSError, ValueError):
            pass

    def start_clocks(self):
        """The default action of both signals ends the process; C code cannot ignore it."""
        self.limit_files(self.limits["outputBytes"])
        try:
            import signal

            signal.setitimer(signal.ITIMER_PROF, self.limits["caseCpuSeconds"])
            signal.setitimer(signal.ITIMER_REAL, self.limits["caseWallSeconds"])
        except (ImportError, AttributeError, OSError):
            pass  # the host's own time limit is left

    def stop_clocks(self):
        self.limit_files(None)
        try:
            import signal

            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
        except (ImportError, AttributeError, OSError):
            pass

    def send(self, frame):
        self.stop_clocks()
        printed = sum(os.fstat(file).st_size for file in self.outputs)
        if printed > self.limits["outputBytes"]:
            self.stop("output")
        if self.records.written + len(frame) > MOST_RECORD_BYTES:
            self.stop("value")
        if self.style == "stdio":
            for name, file in zip(("out", "err"), self.outputs):
                self.records.put(name, binascii.b2a_base64(read_all(file), newline=False).decode("ascii"))
        self.records.put("frame", "%.6f" % (time.process_time() - self.started), frame)
        self.start_clocks()

    def stop(self, reason):
        self.records.put("stop", reason)
        self.leave(0)

    def exit_of_program(self, code):
        """``os._exit`` is a legal way to end a program: what it printed until then counts."""
        self.send('{"k":"exited","c":' + str(int(code) & 0xFF) + "}")
        self.leave(int(code) & 0xFF)


def write_all(descriptor, data):
    while data:
        data = data[os.write(descriptor, data) :]


def read_all(descriptor):
    os.lseek(descriptor, 0, os.SEEK_SET)
    pieces = []
    while True:
        piece = os.read(descriptor, 1 << 20)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)


def nameless_file():
    """As tempfile.TemporaryFile, without the dozen modules that it imports."""
    for folder in (os.environ.get("TMPDIR", "."), "/tmp", "."):
        path = os.path.join(folder, "output-" + os.urandom(8).hex())
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError:
            continue
        os.unlink(path)
        return descriptor
    raise OSError("there is no folder to write to")


def own_address_space(page):
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * page
    except OSError:
        return 64 * 1024 * 1024


def probe(parcel):
    """Shows the caller what gets through: a full standard output, a file, the time limits, and which Python."""
    records = Records(parcel["marker"], None)
    text = json.dumps({"python": sys.version.split()[0], "padding": "x" * (ROOM_ON_STANDARD_OUTPUT - 200)})
    records.put("probe", text)
    with open(parcel["spill"], "w") as file:
        file.write("\n" + parcel["marker"] + " spilled\n")


def run(parcel):
    if parcel["job"] is None:
        probe(parcel)
        return
    harness = sys.modules["harness"]
    for name in ("wire", "harness", "remote_driver"):
        sys.modules.pop(name)
    sys.argv[:] = ["program"]
    import random

    random.seed(0)
    Driver(parcel).run(parcel["job"], harness)
