/** Attacks on the walls: files, network, processes, the kernel. Each says what it could reach. */
import { type Attack, attack, raised, reaching } from "./attack.test.support.ts";

/** What the host offers as bait. */
export interface Bait {
  /** A file that anybody may read and write, in a folder where anybody may remove it. */
  readonly file: string;
  /** A server on the loopback that must never see anybody. */
  readonly port: number;
  /** A Unix socket that must never see anybody. */
  readonly socket: string;
}

export function escapeAttacks(bait: Bait): readonly Attack[] {
  const file = JSON.stringify(bait.file);
  return [
    reaching(
      "reads what is none of its business",
      "secrets of the machine",
      `
import os
for path in ("/etc/passwd", "/etc/hosts", "/proc/self/status", "/proc/1/environ", "/proc/self/mem", "/proc/cpuinfo",
             "/sys/kernel", "/root", "/home", "/var/log", "/dev/kmsg", "/dev/tty", "/dev/mem", ${file}):
    attempt(path, lambda: open(path, "rb").read(16))
    attempt("list " + path, lambda: os.listdir(path))
attempt("environment", lambda: os.environ["PATH"])
attempt("names of ours", lambda: [1 / 0 for name in os.environ if "SPAR" in name.upper()] or 1 / 0)`,
    ),
    reaching(
      "writes where it must not",
      "files of the machine",
      `
import os, sys
source = getattr(os, "__file__", "/lib/python.zip")
library = os.path.dirname(source)
for path in (${file}, "/etc/sparring-probe", "/usr/lib/sparring-probe", library + "/sparring.py", "/sparring", "/dev/shm/x"):
    attempt("write " + path, lambda: open(path, "w").write("forged"))
    attempt("append " + path, lambda: open(path, "a").write("forged"))
    attempt("remove " + path, lambda: os.unlink(path))
    attempt("rename " + path, lambda: os.rename(path, "stolen"))
    attempt("truncate " + path, lambda: os.truncate(path, 0))
    attempt("mode of " + path, lambda: os.chmod(path, 0o777))
    attempt("times of " + path, lambda: os.utime(path))
attempt("library's content", lambda: open(source, "r+").write("x"))`,
    ),
    reaching(
      "marks the library",
      "a sign for the next program, or for its owner",
      `
import os
attempt("mode", lambda: os.chmod(os.__file__, 0o777))
attempt("times", lambda: os.utime(os.__file__))
attempt("attribute", lambda: os.setxattr(os.__file__, "user.mark", b"x"))`,
      // Each program of the WebAssembly sandbox has a library of its own; see marks.test.ts.
      { wasm: "skip" },
    ),
    reaching(
      "goes round by links and dots",
      "files of the machine, by another name",
      `
import os
attempt("symbolic link", lambda: (os.symlink("/etc/passwd", "l1"), open("l1").read()))
attempt("link to a folder", lambda: (os.symlink("/", "l2"), open("l2/etc/passwd").read()))
attempt("hard link", lambda: (os.link(${file}, "l3"), open("l3").read()))
attempt("dots", lambda: open("../../../../../../etc/passwd").read())
attempt("root of the process", lambda: open("/proc/self/root/etc/passwd").read())
attempt("folder descriptor", lambda: os.open("etc/passwd", os.O_RDONLY, dir_fd=os.open("/", os.O_RDONLY)))
attempt("path descriptor", lambda: os.open("passwd", os.O_RDONLY, dir_fd=os.open("/etc", os.O_PATH)))
attempt("device", lambda: os.mknod("disk", 0o60600, os.makedev(8, 0)))
attempt("root elsewhere", lambda: os.chroot("."))`,
    ),
    reaching(
      "calls home",
      "the network and the machine's other programs",
      `
import socket, urllib.request
def send(family, kind, address):
    with socket.socket(family, kind) as channel:
        channel.settimeout(0.2)
        channel.connect(address)
        channel.send(b"hello")
local = ("127.0.0.1", ${bait.port})
attempt("tcp", lambda: send(socket.AF_INET, socket.SOCK_STREAM, local))
attempt("tcp6", lambda: send(socket.AF_INET6, socket.SOCK_STREAM, ("::1", ${bait.port})))
attempt("udp", lambda: send(socket.AF_INET, socket.SOCK_DGRAM, local))
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
attempt("netlink", lambda: socket.socket(16, socket.SOCK_RAW, 0))
attempt("packet", lambda: socket.socket(17, socket.SOCK_RAW, 0))
attempt("virtual machine", lambda: socket.socket(40, socket.SOCK_STREAM))
attempt("crypto", lambda: socket.socket(38, socket.SOCK_SEQPACKET))
attempt("unix", lambda: send(socket.AF_UNIX, socket.SOCK_STREAM, ${JSON.stringify(bait.socket)}))
attempt("abstract", lambda: send(socket.AF_UNIX, socket.SOCK_STREAM, "\\0sparring"))
attempt("listen", lambda: socket.create_server(("127.0.0.1", 0)))
attempt("name", lambda: socket.getaddrinfo("example.com", 80))
attempt("page", lambda: urllib.request.urlopen("http://127.0.0.1:${bait.port}/", timeout=0.2))
attempt("datagram pair", lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b"x", "/dev/log"))`,
      { limits: { caseCpuSeconds: 8, caseWallSeconds: 20 } },
    ),
    reaching(
      "starts other programs",
      "a shell",
      `
import os, subprocess
attempt("system", lambda: os.system("true") == 0 or 1 / 0)
attempt("popen", lambda: os.popen("echo x").read() or 1 / 0)
attempt("subprocess", lambda: subprocess.run(["/bin/true"]))
attempt("spawn", lambda: os.posix_spawn("/bin/true", ["true"], {}))
attempt("exec", lambda: os.execv("/bin/true", ["true"]))
attempt("fork", lambda: os._exit(0) if os.fork() == 0 else None)
attempt("terminal", lambda: os._exit(0) if os.forkpty()[0] == 0 else None)
def from_memory():
    descriptor = os.memfd_create("program")
    os.write(descriptor, b"#!/bin/sh\\ntrue\\n")
    os.execve(descriptor, ["program"], {})
attempt("program in memory", from_memory)`,
      { limits: { caseCpuSeconds: 5 } },
    ),
    reaching(
      "uses a pool of processes",
      "a process by way of the library",
      `
import concurrent.futures, multiprocessing
attempt("process", lambda: multiprocessing.Process(target=int).start())
attempt("pool", lambda: concurrent.futures.ProcessPoolExecutor(1).submit(int).result(1))`,
      { limits: { caseCpuSeconds: 8, caseWallSeconds: 20 } },
    ),
    reaching(
      "signals everybody",
      "the death of the worker, which is taken for our failure",
      `
import os, signal
parent = os.getppid()
attempt("parent", lambda: os.kill(parent, signal.SIGKILL))
attempt("init", lambda: os.kill(1, signal.SIGKILL))
attempt("all", lambda: os.kill(-1, signal.SIGKILL))
attempt("own group", lambda: os.kill(0, signal.SIGCONT))
attempt("group", lambda: os.killpg(os.getpgid(parent), signal.SIGKILL))
attempt("descriptor", lambda: signal.pidfd_send_signal(os.pidfd_open(parent), signal.SIGKILL))
attempt("pause", lambda: os.kill(parent, signal.SIGSTOP))`,
      { reachesNothingFrom: "filtered", wasm: "skip" },
    ),
    reaching(
      "has others send the signals",
      "the death of the worker, by the kernel's own hand",
      `
import fcntl, os, signal, socket
def by_input(owner):
    ours, theirs = socket.socketpair()
    fcntl.fcntl(ours, 10, signal.SIGINT)
    fcntl.fcntl(ours, 8, owner)
    fcntl.fcntl(ours, fcntl.F_SETFL, 0o20000)
    theirs.send(b"x")
attempt("owner is the parent", lambda: by_input(os.getppid()))
attempt("owner is its group", lambda: by_input(-os.getpgid(os.getppid())))
def lease():
    fcntl.fcntl(os.open(os.__file__, os.O_RDONLY), 1024, fcntl.F_RDLCK)
attempt("lease on the library", lease)`,
      { wasm: "skip" },
    ),
    reaching(
      "asks for more",
      "more than it was given",
      `
import os, resource
for name in ("RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_NOFILE", "RLIMIT_FSIZE", "RLIMIT_NPROC", "RLIMIT_STACK"):
    limit = getattr(resource, name)
    attempt(name, lambda: resource.setrlimit(limit, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)))
attempt("parent's limits", lambda: resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (3, 3)))
attempt("init's limits", lambda: resource.prlimit(1, resource.RLIMIT_CPU, (1, 1)))
attempt("priority", lambda: os.nice(-10))
attempt("processor", lambda: os.sched_setaffinity(0, [0]))
attempt("schedule", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
attempt("user", lambda: os.setuid(0) if os.getuid() else os.setuid(1))
attempt("group", lambda: os.setgid(0) if os.getgid() else os.setgid(1))
attempt("groups", lambda: os.setgroups([0]))
attempt("session", lambda: os.setsid())`,
      { reachesNothingFrom: "full", wasm: "skip" },
    ),
    reaching(
      "finds open descriptors",
      "the worker's own channels",
      `
import os
for descriptor in range(3, 256):
    attempt(str(descriptor), lambda: os.fstat(descriptor))`,
      // The WebAssembly harness speaks through descriptor 3; what can be said there is another attack.
      { reachesNothingFrom: "filtered", wasm: "skip" },
    ),
    reaching(
      "asks the kernel directly",
      "anything that Python does not offer",
      `
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    if libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments)) < 0: raise OSError(ctypes.get_errno())
for name, number, *arguments in (
    ("clone", 56, 17, 0, 0, 0, 0), ("clone with a new user", 56, 0x10000000 | 0x10900, 0, 0, 0, 0), ("clone3", 435, 0, 0),
    ("setns", 308, 0, 0), ("unshare", 272, 0x10000000), ("mount", 165, 0, 0, 0, 0, 0), ("pivot_root", 155, 0, 0),
    ("seccomp", 317, 1, 0, 0), ("prctl", 157, 38, 0, 0, 0, 0), ("dumpable", 157, 4, 1, 0, 0, 0), ("capset", 126, 0, 0),
    ("timer_create", 222, 2, 0, 0), ("timer_delete", 226, 0), ("landlock", 444, 0, 0, 1), ("memfd", 319, 0, 0),
    ("message queue", 68, 0, 0o1666), ("shared memory", 29, 0, 4096, 0o1666), ("semaphore", 64, 0, 1, 0o1666),
    ("inotify", 253), ("sync", 162), ("openat2", 437, 0, 0, 0, 0), ("setpriority", 141, 0, 0, -10),
):
    attempt(name, lambda: call(number, *arguments))`,
      { reachesNothingFrom: "filtered", wasm: "skip" },
    ),
    ...deadlyCalls,
    attack(
      "comes in by the old door",
      "system calls by their 32-bit numbers, which a filter may not know",
      `
import ctypes, mmap
def f(n):
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3")
    address = ctypes.addressof(ctypes.c_char.from_buffer(code))
    return ctypes.CFUNCTYPE(ctypes.c_int)(address)()`,
      raised,
      { cases: 1 },
    ),
  ];
}

/** Calls that no program has a reason to make. Numbers of x86-64; on other machines they are other harmless failures. */
const deadlyCalls: readonly Attack[] = (
  [
    ["ptrace", 101, "16, parent, 0, 0"],
    ["process_vm_readv", 310, "parent, 0, 0, 0, 0, 0"],
    ["process_vm_writev", 311, "parent, 0, 0, 0, 0, 0"],
    ["io_uring_setup", 425, "8, 0"],
    ["bpf", 321, "0, 0, 0"],
    ["userfaultfd", 323, "0"],
    ["keyctl", 250, "0, 0"],
    ["perf_event_open", 298, "0, 0, -1, -1, 0"],
    ["open_by_handle_at", 304, "0, 0, 0"],
    ["kexec_load", 246, "0, 0, 0, 0"],
    ["personality", 135, "0x0040000"],
  ] as const
).map(([name, number, parameters]) =>
  attack(
    `calls ${name}`,
    "the kernel, the parent or the memory of another process",
    `
import ctypes, os
def f(n):
    parent = os.getppid()
    ctypes.CDLL(None).syscall(*map(ctypes.c_long, (${number}, ${parameters})))
    return "survived"`,
    raised,
    { cases: 1 },
  ),
);
