/** What one program has of files, and how the C library's structures about files are laid out. */
import { SystemCallError } from "./errno.ts";
import { type FileTree, scratchFolder, type TreeNode } from "./file-tree.ts";
import { type GuestMemory, longestPath } from "./guest-memory.ts";
import { type DescriptorTable, OpenDirectory } from "./open-files.ts";

export interface FileState {
  readonly tree: FileTree;
  readonly descriptors: DescriptorTable;
  /** The current folder. */
  folder: string;
}

export function newFileState(tree: FileTree, descriptors: DescriptorTable): FileState {
  return { tree, descriptors, folder: scratchFolder };
}

const currentFolder = -100;
export const flagKeepLink = 0x100;
const flagEmptyPath = 0x1000;
const fileTypes = { directory: 0o040000, file: 0o100000, link: 0o120000, device: 0o020000 };
const pipeType = 0o010000;
const blockBytes = 4096;

export function absolutePath(state: FileState, path: string): string {
  return path.startsWith("/") ? path : joined(state.folder, path);
}

function joined(folder: string, path: string): string {
  if (folder.length + path.length >= longestPath) throw new SystemCallError("ENAMETOOLONG");
  return `${folder}/${path}`;
}

/** A path as the "at" calls mean it: relative to an open folder, or to the current one. */
export function pathAt(state: FileState, at: { folder: number; path: string; flags?: number }): string {
  const { folder, path, flags = 0 } = at;
  if (path === "" && !(flags & flagEmptyPath)) throw new SystemCallError("ENOENT");
  if (path.startsWith("/") || folder === currentFolder) return absolutePath(state, path);
  const base = state.descriptors.get(folder);
  if (!(base instanceof OpenDirectory)) throw new SystemCallError("ENOTDIR");
  return joined(base.path, path);
}

/** Writes a `struct stat`. What has no node is a pipe to us. */
export function writeStatus(memory: GuestMemory, node: TreeNode | undefined, address: number): number {
  memory.slice(address, 96).fill(0);
  const size = node?.kind === "file" ? node.size : 0;
  const modified = node?.attributes.modified ?? 0;
  memory.setU32(address, 1);
  memory.setU32(address + 4, node ? fileTypes[node.kind] | node.attributes.mode : pipeType | 0o600);
  memory.setU32(address + 8, 1);
  memory.setI64(address + 24, size);
  memory.setU32(address + 32, blockBytes);
  memory.setU32(address + 36, Math.ceil(size / 512));
  for (const time of [40, 56, 72]) {
    memory.setI64(address + time, Math.floor(modified / 1000));
    memory.setU32(address + time + 8, Math.floor(modified % 1000) * 1e6);
  }
  memory.setI64(address + 88, node?.attributes.number ?? 0);
  return 0;
}

/** Writes a `struct statfs`. */
export function writeFileSystemStatus(memory: GuestMemory, tree: FileTree, address: number): number {
  memory.slice(address, 72).fill(0);
  memory.setU32(address + 4, blockBytes);
  memory.setU32(address + 60, blockBytes);
  memory.setI64(address + 8, Math.floor(tree.byteLimit / blockBytes));
  for (const free of [16, 24]) memory.setI64(address + free, Math.floor(tree.bytesLeft / blockBytes));
  memory.setI64(address + 40, tree.filesLeft);
  memory.setU32(address + 56, 255);
  return 0;
}
