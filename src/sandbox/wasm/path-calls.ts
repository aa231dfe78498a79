/**
 * The guest's system calls that name files, answered from the tree in memory. Numbers are those of the guest's C
 * library (musl as built by Emscripten).
 */
import { SystemCallError } from "./errno.ts";
import {
  absolutePath,
  type FileState,
  flagKeepLink,
  pathAt,
  writeFileSystemStatus,
  writeStatus,
} from "./file-state.ts";
import type { TreeNode } from "./file-tree.ts";
import { answerOf, type GuestMemory } from "./guest-memory.ts";
import { OpenDevice, OpenDirectory, type OpenFile, OpenRegularFile } from "./open-files.ts";

const open = {
  write: 0o1,
  readWrite: 0o2,
  create: 0o100,
  exclusive: 0o200,
  truncate: 0o1000,
  append: 0o2000,
  directory: 0o200000,
  noFollow: 0o400000,
};
const removeDirectory = 0x200;
const accessWrite = 2;
const timeNow = 0x3fffffff;
const timeOmitted = 0x3ffffffe;

/** `state` gives the running program's files. */
export function pathCalls(memory: GuestMemory, state: () => FileState) {
  /** The calls answer 0 unless they throw; paths come as addresses. */
  const done = (work: () => void) =>
    answerOf(() => {
      work();
      return 0;
    });
  const absolute = (path: number) => absolutePath(state(), memory.path(path));
  const at = (folder: number, path: number, flags = 0) =>
    pathAt(state(), { folder, path: memory.path(path), flags });
  const followOrKeep = (flags: number) => (flags & flagKeepLink ? "keep" : "follow");

  function openPath(path: string, flags: number, mode: number): number {
    const { tree, descriptors } = state();
    const place = tree.find(path, flags & open.noFollow ? "keep" : "follow");
    const exclusive = flags & open.create && flags & open.exclusive;
    if (place.node && exclusive) throw new SystemCallError("EEXIST");
    if (!place.node && !(flags & open.create)) throw new SystemCallError("ENOENT");
    const node = place.node ?? tree.createFile(place, mode);
    const opened = openNode(node, place.path, flags);
    opened.flags = flags;
    return descriptors.add(opened);
  }

  function openNode(node: TreeNode, path: string, flags: number): OpenFile {
    const writes = (flags & (open.write | open.readWrite)) !== 0;
    if (node.kind === "link") throw new SystemCallError("ELOOP");
    if (node.kind === "directory") {
      if (writes) throw new SystemCallError("EISDIR");
      return new OpenDirectory(path, node);
    }
    if (flags & open.directory) throw new SystemCallError("ENOTDIR");
    if (node.kind === "device") return new OpenDevice(node);
    if (writes && !node.writable) throw new SystemCallError("EROFS");
    if (writes && flags & open.truncate) state().tree.resize(node, 0);
    const access = { reads: !(flags & open.write), writes, appends: (flags & open.append) !== 0 };
    return new OpenRegularFile(state().tree, node, access);
  }

  function changeTime(node: TreeNode, times: number): void {
    const nanoseconds = times ? memory.u32(times + 24) : timeNow;
    if (nanoseconds === timeOmitted) return;
    node.attributes.modified =
      nanoseconds === timeNow ? Date.now() : Number(memory.i64(times + 16)) * 1000 + nanoseconds / 1e6;
  }

  function changeFolder(path: string): void {
    const { node, path: resolved } = state().tree.find(path, "follow");
    if (!node) throw new SystemCallError("ENOENT");
    if (node.kind !== "directory") throw new SystemCallError("ENOTDIR");
    state().folder = resolved;
  }

  const env = {
    __syscall_openat: (folder: number, path: number, flags: number, rest: number) =>
      answerOf(() => openPath(at(folder, path), flags, rest ? memory.u32(rest) : 0)),
    __syscall_stat64: (path: number, address: number) =>
      answerOf(() => writeStatus(memory, state().tree.get(absolute(path)), address)),
    __syscall_lstat64: (path: number, address: number) =>
      answerOf(() => writeStatus(memory, state().tree.get(absolute(path), "keep"), address)),
    __syscall_newfstatat: (folder: number, path: number, address: number, flags: number) =>
      answerOf(() => {
        const node = state().tree.get(at(folder, path, flags), followOrKeep(flags));
        return writeStatus(memory, node, address);
      }),
    __syscall_statfs64: (path: number, _size: number, address: number) =>
      answerOf(() => {
        state().tree.get(absolute(path));
        return writeFileSystemStatus(memory, state().tree, address);
      }),
    __syscall_faccessat: (folder: number, path: number, mode: number) =>
      done(() => {
        const node = state().tree.get(at(folder, path));
        const readOnly = "writable" in node && !node.writable;
        if (mode & accessWrite && readOnly) throw new SystemCallError("EROFS");
      }),
    __syscall_readlinkat: (folder: number, path: number, address: number, room: number) =>
      answerOf(() => {
        const node = state().tree.get(at(folder, path), "keep");
        if (node.kind !== "link") throw new SystemCallError("EINVAL");
        const target = Buffer.from(node.target, "latin1").subarray(0, room);
        memory.slice(address, target.length).set(target);
        return target.length;
      }),
    __syscall_mkdirat: (folder: number, path: number, mode: number) =>
      done(() => state().tree.createDirectory(at(folder, path), mode)),
    __syscall_symlinkat: (target: number, folder: number, path: number) =>
      done(() => state().tree.createLink(memory.path(target), at(folder, path))),
    __syscall_unlinkat: (folder: number, path: number, flags: number) =>
      done(() => state().tree.remove(at(folder, path), flags & removeDirectory ? "directory" : "file")),
    __syscall_rmdir: (path: number) => done(() => state().tree.remove(absolute(path), "directory")),
    __syscall_renameat: (fromFolder: number, from: number, toFolder: number, to: number) =>
      done(() => state().tree.rename(at(fromFolder, from), at(toFolder, to))),
    __syscall_truncate64: (path: number, size: bigint) =>
      done(() => {
        const node = state().tree.get(absolute(path));
        if (node.kind !== "file" || size < 0n) throw new SystemCallError("EINVAL");
        state().tree.resize(node, Number(size));
      }),
    __syscall_getcwd: (address: number, room: number) =>
      answerOf(() => {
        const { folder } = state();
        if (folder.length + 1 > room >>> 0) throw new SystemCallError("ERANGE");
        memory.setText(address, folder);
        return folder.length + 1;
      }),
    __syscall_chdir: (path: number) => done(() => changeFolder(absolute(path))),
    __syscall_fchdir: (descriptor: number) =>
      done(() => {
        const folder = state().descriptors.get(descriptor);
        if (!(folder instanceof OpenDirectory)) throw new SystemCallError("ENOTDIR");
        changeFolder(folder.path);
      }),
    __syscall_chmod: (path: number, mode: number) =>
      done(() => {
        state().tree.get(absolute(path)).attributes.mode = mode & 0o7777;
      }),
    __syscall_fchmodat2: (folder: number, path: number, mode: number) =>
      done(() => {
        state().tree.get(at(folder, path)).attributes.mode = mode & 0o7777;
      }),
    __syscall_utimensat: (folder: number, path: number, times: number, flags: number) =>
      done(() => changeTime(state().tree.get(at(folder, path, flags), followOrKeep(flags)), times)),
  };
  return { env };
}
