"""The one folder a program may write to, and how it is made new for the next one.

With an own root it is a file system in memory, replaced whenever a program has left a trace. Elsewhere it is a folder
whose contents are removed by a way that no tree can defeat: never deeper than two levels, with few descriptors, and
whatever the permissions.
"""

import itertools
import os
import shutil
import stat
import tempfile

import kernel

FOLDER = "/tmp"
MOST_FILES = 1024


class MountedScratch:
    def __init__(self, size):
        self.path = FOLDER
        self.options = "size=%d,nr_inodes=%d,mode=1777" % (size, MOST_FILES)
        self.mount()
        os.chdir(FOLDER)

    def mount(self):
        flags = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
        kernel.mount("tmpfs", FOLDER, "tmpfs", flags, self.options)
        self.fresh = fingerprint(FOLDER)

    def clean(self):
        """True if it is another folder now. A fresh mount costs the same however much was left."""
        # The owner can change the folder itself (mode, times) and leave it empty, so its contents are not enough.
        if fingerprint(FOLDER) == self.fresh and not os.listdir(FOLDER):
            return False
        os.chdir("/")
        kernel.unmount(FOLDER, kernel.MNT_DETACH)
        self.mount()
        os.chdir(FOLDER)
        return True

    def remove(self):
        pass  # it goes with the namespace


class FolderScratch:
    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="sparring-")
        os.chmod(self.path, 0o777)
        self.fresh = os.stat(self.path).st_mode
        os.chdir(self.path)

    def clean(self):
        if os.stat(self.path).st_mode != self.fresh:
            os.chmod(self.path, stat.S_IMODE(self.fresh))
        empty(self.path)
        return False

    def remove(self):
        os.chdir("/")
        try:
            self.clean()
        except OSError:
            pass
        shutil.rmtree(self.path, ignore_errors=True)


def fingerprint(path):
    status = os.stat(path)
    return status.st_mode, status.st_uid, status.st_gid, status.st_mtime_ns, status.st_ctime_ns


def empty(folder):
    """Removes everything in ``folder``. What the fast way leaves is moved up piece by piece, so depth does not matter."""
    for entry in list(os.scandir(folder)):
        if entry.is_dir(follow_symlinks=False):
            try:
                shutil.rmtree(entry.path, ignore_errors=True)
            except RecursionError:
                pass
    fresh_names = (".emptied-%d" % number for number in itertools.count())
    while True:
        entries = list(os.scandir(folder))
        if not entries:
            return
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                os.unlink(entry.path)
                continue
            os.chmod(entry.path, 0o700)
            for inner in list(os.scandir(entry.path)):
                if inner.is_dir(follow_symlinks=False):
                    os.chmod(inner.path, 0o700)  # moving a folder rewrites its way up, which needs permission
                    os.rename(inner.path, unused(folder, fresh_names))
                else:
                    os.unlink(inner.path)
            os.rmdir(entry.path)


def unused(folder, names):
    return next(path for path in (os.path.join(folder, name) for name in names) if not os.path.lexists(path))
