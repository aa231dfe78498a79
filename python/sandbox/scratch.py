"""The one folder a program may write to, and how it is made new for the next one.

With an own root it is a file system in memory, replaced whenever a program has left a trace. Elsewhere it is a folder
whose contents are removed by a way that no tree can defeat: without recursion, without long paths, with one descriptor
at a time, and whatever the permissions.
"""

import os
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
        self.make()

    def make(self):
        self.path = tempfile.mkdtemp(prefix="sparring-")
        os.chmod(self.path, 0o777)
        # By descriptor and not by name: a program of the same user could put something else in its place.
        self.folder = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        self.fresh = os.fstat(self.folder)
        os.fchdir(self.folder)

    def clean(self):
        """True if it is another folder now."""
        if not self.is_in_place():
            os.close(self.folder)
            self.make()
            return True
        if os.fstat(self.folder).st_mode != self.fresh.st_mode:
            os.fchmod(self.folder, stat.S_IMODE(self.fresh.st_mode))
        empty(self.folder)
        return False

    def is_in_place(self):
        try:
            return os.path.samestat(os.lstat(self.path), self.fresh)
        except OSError:
            return False

    def remove(self):
        try:
            self.clean()
            os.chdir("/")
            os.rmdir(self.path)
        except OSError:
            pass  # we are leaving: there is nobody to tell


def fingerprint(path):
    status = os.stat(path)
    return status.st_mode, status.st_uid, status.st_gid, status.st_mtime_ns, status.st_ctime_ns


def empty(folder):
    """Removes everything in ``folder``, an open one, and stays in it.

    Step by step: a tree may be deeper than any path is long.
    """
    os.fchdir(folder)
    ways_down = [remove_files()]
    names = []
    while True:
        if ways_down[-1]:
            names.append(ways_down[-1].pop())
            os.chmod(names[-1], 0o700)
            os.chdir(names[-1])
            ways_down.append(remove_files())
        elif names:
            ways_down.pop()
            os.chdir("..")
            os.rmdir(names.pop())
        else:
            return


def remove_files():
    """Removes what is no folder from the current one; the names of the folders."""
    folders = []
    for entry in list(os.scandir(".")):
        if entry.is_dir(follow_symlinks=False):
            folders.append(entry.name)
        else:
            os.unlink(entry.name)
    return folders
