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
        self.empty(self.outside)
        os.chdir(self.home)
        for folder in (self.folder, self.outside):
            os.rmdir(folder)

    def empty(self, path):
        folder = os.open(path, os.O_RDONLY)
        scratch.empty(folder)
        os.close(folder)

    def assert_emptied(self):
        self.empty(self.folder)
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


class FolderScratchTest(unittest.TestCase):
    def setUp(self):
        self.home = os.getcwd()
        self.scratch = scratch.FolderScratch()

    def tearDown(self):
        path = self.scratch.path
        self.scratch.remove()
        os.chdir(self.home)
        self.assertFalse(os.path.exists(path))

    def test_it_is_the_same_folder_with_its_permissions_back(self):
        path = self.scratch.path
        os.makedirs("a/b")
        os.chmod(path, 0)
        self.assertFalse(self.scratch.clean())
        self.assertEqual((self.scratch.path, os.listdir(path), os.stat(path).st_mode & 0o777), (path, [], 0o777))

    def test_a_folder_that_was_taken_away_is_replaced(self):
        before = self.scratch.path
        os.rmdir(before)
        self.assertTrue(self.scratch.clean())
        self.assertNotEqual(self.scratch.path, before)
        self.assertEqual(os.getcwd(), os.path.realpath(self.scratch.path))

    def test_nothing_is_removed_through_a_link_in_its_place(self):
        victim = tempfile.mkdtemp()
        kept = os.path.join(victim, "kept")
        open(kept, "w").close()
        before = self.scratch.path
        os.rmdir(before)
        os.symlink(victim, before)
        self.assertTrue(self.scratch.clean())
        self.assertTrue(os.path.exists(kept))
        os.unlink(before)
        os.unlink(kept)
        os.rmdir(victim)


if __name__ == "__main__":
    unittest.main()
