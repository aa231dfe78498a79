import { describe, expect, it } from "vitest";
import { FileTree } from "./file-tree.ts";

const newTree = (scratchBytes = 1000) =>
  new FileTree({
    library: new Map([["/lib/python/os.py", Uint8Array.from([1, 2, 3])]]),
    scratchBytes,
    now: () => 5000,
  });

function fileAt(tree: FileTree, path: string, size = 0) {
  const file = tree.createFile(tree.find(path, "follow"), 0o644);
  tree.resize(file, size);
  return file;
}

describe("FileTree", () => {
  it("holds the library, devices and an empty scratch folder", () => {
    const tree = newTree();
    expect([...tree.root.entries.keys()].sort()).toEqual(["dev", "lib", "tmp"]);
    expect(tree.get("/lib/python/os.py")).toMatchObject({ kind: "file", size: 3, writable: false });
    expect(tree.get("/dev/urandom")).toMatchObject({ kind: "device", device: "random" });
    expect(tree.get("/tmp")).toMatchObject({ kind: "directory", writable: true });
  });

  it("resolves dots, doubled slashes and parents, and stops at the root", () => {
    const tree = newTree();
    expect(tree.find("/lib//./python/../python/os.py", "follow").path).toBe("/lib/python/os.py");
    expect(tree.find("/../../lib", "follow").path).toBe("/lib");
    expect(tree.find("/", "follow").node).toBe(tree.root);
    expect(tree.find("/lib/python/..", "follow")).toMatchObject({ name: "lib", path: "/lib" });
  });

  it.each([
    ["", "ENOENT"],
    ["/nowhere/file", "ENOENT"],
    ["/lib/python/os.py/deeper", "ENOTDIR"],
    ["/lib/python/os.py/", "ENOTDIR"],
    [`/tmp/${"x".repeat(256)}`, "ENAMETOOLONG"],
  ])("refuses the path %j with %s", (path, error) => {
    expect(() => newTree().find(path, "follow")).toThrow(error);
  });

  it("follows links, keeps the last one when asked, and gives up on loops", () => {
    const tree = newTree();
    tree.createDirectory("/tmp/folder", 0o755);
    const file = fileAt(tree, "/tmp/folder/file");
    tree.createLink("folder", "/tmp/relative");
    tree.createLink("/tmp/folder/file", "/tmp/absolute");
    expect(tree.get("/tmp/relative/file")).toBe(file);
    expect(tree.get("/tmp/absolute")).toBe(file);
    expect(tree.find("/tmp/relative/file", "follow").path).toBe("/tmp/folder/file");
    expect(tree.get("/tmp/absolute", "keep").kind).toBe("link");
    expect(tree.get("/tmp/relative/", "keep").kind).toBe("directory");
    tree.createLink("/tmp/b", "/tmp/a");
    tree.createLink("/tmp/a", "/tmp/b");
    expect(() => tree.get("/tmp/a")).toThrow("ELOOP");
  });

  it("lets nothing be changed outside the scratch folder", () => {
    const tree = newTree();
    const library = tree.get("/lib/python/os.py");
    expect(() => fileAt(tree, "/lib/new")).toThrow("EROFS");
    expect(() => tree.createDirectory("/new", 0o755)).toThrow("EROFS");
    expect(() => tree.createLink("x", "/dev/x")).toThrow("EROFS");
    expect(() => tree.remove("/lib/python/os.py", "file")).toThrow("EROFS");
    expect(() => tree.remove("/tmp", "directory")).toThrow("EROFS");
    expect(() => tree.rename("/lib/python", "/tmp/python")).toThrow("EROFS");
    expect(() => library.kind === "file" && tree.resize(library, 0)).toThrow("EROFS");
  });

  it("bounds the bytes of all files together and gives back those of removed ones", () => {
    const tree = newTree(1000);
    const first = fileAt(tree, "/tmp/first", 600);
    const second = fileAt(tree, "/tmp/second", 400);
    expect(() => tree.resize(second, 401)).toThrow("ENOSPC");
    expect(() => tree.resize(second, 1001)).toThrow("EFBIG");
    first.references++; // still open
    tree.remove("/tmp/first", "file");
    expect(tree.bytesLeft).toBe(0);
    tree.dropReference(first);
    expect(tree.bytesLeft).toBe(600);
    tree.resize(second, 1000);
    expect(tree.bytesLeft).toBe(0);
  });

  it("bounds the number of files", () => {
    const tree = newTree();
    let made = 0;
    expect(() => {
      for (; made < 5000; made++) fileAt(tree, `/tmp/${made}`);
    }).toThrow("ENOSPC");
    expect(made).toBe(1024);
    tree.remove("/tmp/7", "file");
    fileAt(tree, "/tmp/again");
  });

  it("reads as zeros what a file grows by, also after it shrank", () => {
    const tree = newTree();
    const file = fileAt(tree, "/tmp/file", 4);
    file.data.set([1, 2, 3, 4]);
    tree.resize(file, 2);
    tree.resize(file, 6);
    expect([...file.data.subarray(0, 6)]).toEqual([1, 2, 0, 0, 0, 0]);
  });

  it("renames files over files and folders over empty folders, but nothing into itself", () => {
    const tree = newTree();
    tree.createDirectory("/tmp/full", 0o755);
    tree.createDirectory("/tmp/empty", 0o755);
    const file = fileAt(tree, "/tmp/full/file", 10);
    fileAt(tree, "/tmp/other", 20);
    expect(() => tree.rename("/tmp/full", "/tmp/full/inside")).toThrow("EINVAL");
    expect(() => tree.rename("/tmp/empty", "/tmp/full")).toThrow("ENOTEMPTY");
    expect(() => tree.rename("/tmp/full", "/tmp/other")).toThrow("ENOTDIR");
    expect(() => tree.rename("/tmp/other", "/tmp/empty")).toThrow("EISDIR");
    tree.rename("/tmp/full", "/tmp/empty");
    tree.rename("/tmp/empty/file", "/tmp/other");
    expect(tree.get("/tmp/other")).toBe(file);
    expect(tree.bytesLeft).toBe(990);
    tree.rename("/tmp/other", "/tmp/other");
    expect(tree.get("/tmp/other")).toBe(file);
  });

  it("removes files as files and folders as folders", () => {
    const tree = newTree();
    tree.createDirectory("/tmp/folder", 0o755);
    fileAt(tree, "/tmp/folder/file");
    expect(() => tree.remove("/tmp/folder", "file")).toThrow("EISDIR");
    expect(() => tree.remove("/tmp/folder", "directory")).toThrow("ENOTEMPTY");
    expect(() => tree.remove("/tmp/folder/file", "directory")).toThrow("ENOTDIR");
    tree.remove("/tmp/folder/file", "file");
    tree.remove("/tmp/folder", "directory");
    expect(() => tree.remove("/tmp/folder", "directory")).toThrow("ENOENT");
    expect(() => tree.createDirectory("/tmp", 0o755)).toThrow("EEXIST");
  });
});
