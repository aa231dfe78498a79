"""Emptying a folder that a program has done its worst to."""

import os
import tempfile
import unittest

import support  # noqa: F401
import scratch


class EmptyTest(unittest.TestCase):
    def setUp(self):
        self.home = os.getcwd()
        # In memory where there is such a place: thousands of folders take a disk a while.
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.folder = tempfile.mkdtemp(dir=memory)
        self.outside = tempfile.mkdtemp(dir=memory)
        with open(os.path.join(self.outside, "kept"), "w") as file:
            file.write("kept")

    def tearDown(self):
        scratch.empty(self.outside)
        os.chdir(self.home)
        for folder in (self.folder, self.outside):
            os.rmdir(folder)

    def assert_emptied(self):
        scratch.empty(self.folder)
        self.assertEqual(os.getcwd(), os.path.realpath(self.folder))
        self.assertEqual(os.listdir(self.folder), [])
        self.assertEqual(os.listdir(self.outside), ["kept"])

    def test_nothing(self):
        self.assert_emptied()

    def test_files_links_and_folders(self):
        os.chdir(self.folder)
        os.makedirs("a/b/c")
        for name in ("x", "a/x", "a/b/c/x"):
            open(name, "w").close()
        os.symlink(self.outside, "link")
        os.symlink(self.outside, "a/b/link")
        os.link(os.path.join(self.outside, "kept"), "hard")
        os.mkfifo("a/pipe")
        self.assert_emptied()

    def test_a_tree_that_is_too_deep_for_recursion_and_for_paths(self):
        os.chdir(self.folder)
        for level in range(1200):
            os.mkdir("d")
            if level % 7 == 0:
                open("f", "w").close()
                os.mkdir("e")
            os.chdir("d")
        self.assert_emptied()

    def test_a_folder_of_many_folders(self):
        os.chdir(self.folder)
        for number in range(500):
            os.makedirs("d%d/inner" % number)
        self.assert_emptied()

    def test_folders_without_permissions(self):
        os.chdir(self.folder)
        os.makedirs("a/b/c")
        open("a/b/f", "w").close()
        for name in ("a/b/c", "a/b", "a"):
            os.chmod(name, 0)
        self.assert_emptied()


if __name__ == "__main__":
    unittest.main()
