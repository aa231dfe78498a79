"""Takes the machine away from a worker process, step by step, and says which steps this kernel allowed.

    full      own process, network, mount, IPC and host-name namespaces; a root folder that holds nothing but the
              Python library and a small scratch; Landlock where the kernel has it; system-call filter; no privileges
    filtered  Landlock and system-call filter
    limits    resource limits and an unprivileged user where possible

As root the programs run under a user id of their own; an ordinary user gets a user namespace instead. Whatever is
missing lowers the level and is reported, never silently ignored.
"""

import os
import resource
import signal
import socket
import struct
import sys

import kernel
import landlock
import scratch
import seccomp
import strays
import syscalls

DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/share/zoneinfo")
# Mounted over while the new root is built; anything that exists and holds no part of Python will do.
STAGING = ("/sys", "/mnt", "/media", "/srv", "/opt", "/tmp")
NAMESPACES = (
    kernel.CLONE_NEWPID
    | kernel.CLONE_NEWNET
    | kernel.CLONE_NEWNS
    | kernel.CLONE_NEWIPC
    | kernel.CLONE_NEWUTS
    | kernel.CLONE_NEWCGROUP
)
OPEN_FILES = 64
# While the listener is handed over. The kernel counts descriptors under way per user, and would refuse ours when a
# neighbour's program has as many of them under way as it may.
OPEN_FILES_AT_START = 4096
THREADS = 128
# Where the user has other processes, they count too.
THREADS_OF_SHARED_USER = 256
PENDING_SIGNALS = 1024
# Older file rules let a file be emptied that may not be written.
OLDEST_LANDLOCK = 3
STACK_BYTES = 16 * 1024 * 1024


class Isolation:
    def __init__(self, wanted, scratch_bytes):
        self.wanted = wanted
        self.scratch_bytes = scratch_bytes
        self.numbers = syscalls.NUMBERS.get(kernel.MACHINE, {})
        self.layers = []
        self.own_processes = False
        self.own_root = False
        self.ruleset = None
        self.program_filter = None
        self.user_namespace = False
        # A user id of its own for each worker, from the range that systemd keeps for short-lived services.
        self.sandbox_user = 61184 + os.getpid() % 4000
        self.is_root = os.geteuid() == 0
        # Root of a small user namespace cannot become anybody else.
        self.own_user = self.is_root and can_become(self.sandbox_user)
        self.scratch = None

    def note(self, name, active, detail=""):
        self.layers.append({"name": name, "active": active, "detail": detail})

    def enter(self):
        """Isolates this process. With namespaces it forks and returns only in the inner process (process id 1)."""
        kernel.die_with_parent()
        if self.wanted != "full":
            self.note("namespaces", False, "not asked for")
        elif not self.numbers:
            self.note("namespaces", False, "no table for " + kernel.MACHINE)
        else:
            self.enter_namespaces()
        if not self.own_processes:
            self.end_politely()
        self.scratch = scratch.MountedScratch(self.scratch_bytes) if self.own_root else scratch.FolderScratch()
        self.set_limits()
        self.drop_groups()
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        kernel.prctl(kernel.PR_SET_THP_DISABLE, 1)
        kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
        self.set_up_landlock()
        self.set_up_filter()
        self.note("user", self.own_user or self.user_namespace, self.user_detail())

    def end_politely(self):
        """No namespace takes processes and files away with us, so being ended must leave time to do it ourselves."""
        signal.signal(signal.SIGTERM, leave)
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGTERM)

    def level(self):
        active = {layer["name"] for layer in self.layers if layer["active"]}
        if {"namespaces", "own root", "system-call filter"} <= active:
            return "full"
        if {"landlock", "system-call filter"} <= active:
            return "filtered"
        return "limits"

    def user_detail(self):
        if self.own_user:
            return "programs run as user " + str(self.sandbox_user)
        return "own user namespace, no capabilities" if self.user_namespace else "same user as the caller"

    def enter_namespaces(self):
        try:
            self.unshare_all()
        except OSError as error:
            self.note("namespaces", False, str(error))
            return
        inner = os.fork()
        if inner:
            # The outer process only waits: when it dies the inner one is killed, and with it all of its namespace.
            for descriptor in (0, 1):
                os.close(descriptor)
            _, status = os.waitpid(inner, 0)
            os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
        kernel.die_with_parent()
        self.own_processes = True
        self.note("namespaces", True, "process, network, mount, IPC, host name")
        try:
            self.build_root()
            self.own_root = True
            self.note("own root", True, "Python's library read-only, scratch of its own, no /proc")
        except OSError as error:
            self.note("own root", False, str(error))

    def unshare_all(self):
        if self.own_user:
            try:
                kernel.unshare(NAMESPACES)
                return
            except OSError:
                pass  # root of a container without CAP_SYS_ADMIN: try as an ordinary user would
        user, group = os.geteuid(), os.getegid()
        kernel.unshare(kernel.CLONE_NEWUSER | NAMESPACES)
        self.user_namespace = True
        self.own_user = False
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", "%d %d 1" % (user, user)),
            ("gid_map", "%d %d 1" % (group, group)),
        ):
            with open("/proc/self/" + name, "w") as file:
                file.write(text)

    def build_root(self):
        visible = python_folders()
        kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
        base = next(
            path for path in STAGING if os.path.isdir(path) and not any(is_below(item, path) for item in visible)
        )
        kernel.mount("tmpfs", base, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "size=1m,mode=755")
        for path in visible:
            bind_read_only(path, base + path)
        for device in DEVICES:
            if os.path.exists(device):
                bind_device(device, base + device)
        os.makedirs(base + scratch.FOLDER, exist_ok=True)
        os.chdir(base)
        kernel.syscall(self.numbers["pivot_root"], b".", b".")
        kernel.unmount(".", kernel.MNT_DETACH)
        os.chdir("/")
        read_only = kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NODEV
        kernel.mount(None, "/", None, kernel.MS_REMOUNT | kernel.MS_BIND | read_only)

    def kill_strays(self):
        if self.own_processes:
            strays.kill_all_in_namespace()
        elif self.own_user:
            strays.kill_all_of_user(self.sandbox_user)
        else:
            strays.kill_descendants()

    def take_down(self):
        if not self.own_processes:
            self.kill_strays()
        self.scratch.remove()

    def set_limits(self):
        for limit, amount in (
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_NOFILE, OPEN_FILES_AT_START),
            (resource.RLIMIT_SIGPENDING, PENDING_SIGNALS),
            (resource.RLIMIT_STACK, STACK_BYTES),
            (resource.RLIMIT_MEMLOCK, 0),
        ):
            lower_limit(limit, amount)
        private = self.own_user or self.user_namespace
        lower_limit(resource.RLIMIT_NPROC, THREADS if private else threads_of_this_user() + THREADS_OF_SHARED_USER)
        self.note("limits", True, "CPU time, memory, output, file size, open files, threads")

    def drop_groups(self):
        if self.own_user:
            os.setgroups([])

    def set_up_landlock(self):
        version = landlock.supported_version(self.numbers) if self.wanted != "limits" and self.numbers else 0
        if version < 1:
            self.note("landlock", False, "not asked for" if self.wanted == "limits" else "this kernel has none")
            return
        self.landlock_version = version
        self.ruleset = self.create_ruleset()
        self.note("landlock", version >= OLDEST_LANDLOCK, "version %d" % version)

    def create_ruleset(self):
        readable = python_folders() + list(DEVICES)
        return landlock.create_ruleset(self.numbers, self.landlock_version, readable, [self.scratch.path, "/dev/null"])

    def clean_scratch(self):
        if not self.scratch.clean():
            return
        os.environ.update(HOME=self.scratch.path, TMPDIR=self.scratch.path)
        if self.ruleset is not None:
            # The rules hold for the folder they were made for, not for another one at the same place.
            os.close(self.ruleset)
            self.ruleset = self.create_ruleset()

    def set_up_filter(self):
        if self.wanted == "limits" or not self.numbers:
            reason = "not asked for" if self.wanted == "limits" else "no table for " + kernel.MACHINE
            self.note("system-call filter", False, reason)
            return
        try:
            seccomp.load_filter(self.numbers["seccomp"], seccomp.base_filter(self.numbers))
        except OSError as error:
            self.note("system-call filter", False, str(error))
            return
        refused = syscalls.COUNTED + ["tkill"] + ([] if self.own_root else syscalls.ATTRIBUTES)
        self.program_filter = seccomp.ProgramFilter(self.numbers, seccomp.NOTIFY, refused)
        self.note("system-call filter", True, "refused calls are counted")

    def become_program(self, ready):
        """In the child: everything that cannot be undone. Says so on ``ready``, with the listener for refused calls."""
        if self.own_user:
            os.setresgid(self.sandbox_user, self.sandbox_user, self.sandbox_user)
            os.setresuid(self.sandbox_user, self.sandbox_user, self.sandbox_user)
        elif self.is_root or self.user_namespace:
            kernel.drop_capabilities()
        if not self.own_processes:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            # Only now: the kernel forgets this wish when the user changes.
            kernel.die_with_parent()
        if self.ruleset is not None:
            landlock.restrict(self.numbers, self.ruleset)
        listener = self.program_filter.load(os.getpid()) if self.program_filter else 0
        extra = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack("i", listener))] if listener > 0 else []
        ready.sendmsg([b"!"], extra)
        lower_limit(resource.RLIMIT_NOFILE, OPEN_FILES)


def leave(number, _):
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)


def lower_limit(limit, amount):
    _, hard = resource.getrlimit(limit)
    allowed = amount if hard == resource.RLIM_INFINITY else min(amount, hard)
    resource.setrlimit(limit, (allowed, allowed))


def can_become(user):
    """Whether this process, which is root, could run programs as another user."""
    try:
        with open("/proc/self/setgroups") as file:
            if file.read().strip() != "allow":
                return False
        return all(is_mapped(user, "/proc/self/" + name) for name in ("uid_map", "gid_map"))
    except OSError:
        return True  # a kernel without user namespaces


def is_mapped(user, table):
    with open(table) as file:
        ranges = [tuple(map(int, line.split())) for line in file]
    return any(first <= user < first + count for first, _, count in ranges)


def threads_of_this_user():
    count = 0
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.stat("/proc/" + process).st_uid == os.getuid():
                count += len(os.listdir("/proc/" + process + "/task"))
        except OSError:
            pass  # it has ended meanwhile
    return count


def python_folders():
    folders = [os.path.join(sys.base_prefix, "lib"), *LIBRARIES]
    found = []
    for folder in folders:
        if os.path.isdir(folder) and folder not in found:
            found.append(folder)
    return found


def is_below(path, folder):
    return os.path.realpath(path) == folder or os.path.realpath(path).startswith(folder + "/")


def bind_read_only(source, target):
    os.makedirs(target, mode=0o755, exist_ok=True)
    kernel.mount(source, target, None, kernel.MS_BIND | kernel.MS_REC)
    # In a user namespace the flags the source already has must be kept, or the kernel refuses.
    kept = os.statvfs(target).f_flag & (kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)
    kernel.mount(None, target, None, kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY | kept)


def bind_device(source, target):
    os.makedirs(os.path.dirname(target), mode=0o755, exist_ok=True)
    os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o666))
    kernel.mount(source, target, None, kernel.MS_BIND)
