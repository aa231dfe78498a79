/** What a descriptor of the guest can refer to, and the table of its descriptors. */
import { randomFillSync } from "node:crypto";
import { SystemCallError } from "./errno.ts";
import type { Device, Directory, FileTree, RegularFile, TreeNode } from "./file-tree.ts";

export abstract class OpenFile {
  /** How many descriptors share it. */
  descriptors = 0;
  /** The flags it was opened with. */
  flags = 0;

  read(_into: Uint8Array): number {
    throw new SystemCallError("EBADF");
  }

  write(_from: Uint8Array): number {
    throw new SystemCallError("EBADF");
  }

  readAt(_into: Uint8Array, _position: number): number {
    throw new SystemCallError("ESPIPE");
  }

  writeAt(_from: Uint8Array, _position: number): number {
    throw new SystemCallError("ESPIPE");
  }

  seek(_offset: number, _from: SeekOrigin): number {
    throw new SystemCallError("ESPIPE");
  }

  resize(_size: number): void {
    throw new SystemCallError("EINVAL");
  }

  /** The node of the tree, where it has one. */
  get node(): TreeNode | undefined {
    return undefined;
  }

  closed(): void {}
}

export type SeekOrigin = "start" | "position" | "end";

/** A file of the tree; also standard input, which is a file that no name leads to. */
export class OpenRegularFile extends OpenFile {
  readonly #tree: FileTree;
  readonly #file: RegularFile;
  readonly #access: { readonly reads: boolean; readonly writes: boolean; readonly appends: boolean };
  #position = 0;

  constructor(
    tree: FileTree,
    file: RegularFile,
    access: { reads: boolean; writes: boolean; appends: boolean },
  ) {
    super();
    this.#tree = tree;
    this.#file = file;
    this.#access = access;
    file.references++;
  }

  override get node(): RegularFile {
    return this.#file;
  }

  override read(into: Uint8Array): number {
    const count = this.readAt(into, this.#position);
    this.#position += count;
    return count;
  }

  override readAt(into: Uint8Array, position: number): number {
    if (!this.#access.reads) throw new SystemCallError("EBADF");
    const end = Math.min(this.#file.size, position + into.length);
    if (position >= end) return 0;
    into.set(this.#file.data.subarray(position, end));
    return end - position;
  }

  override write(from: Uint8Array): number {
    if (this.#access.appends) this.#position = this.#file.size;
    const count = this.writeAt(from, this.#position);
    this.#position += count;
    return count;
  }

  override writeAt(from: Uint8Array, position: number): number {
    if (!this.#access.writes) throw new SystemCallError("EBADF");
    if (from.length === 0) return 0;
    const end = position + from.length;
    this.#tree.resize(this.#file, Math.max(end, this.#file.size));
    this.#file.data.set(from, position);
    return from.length;
  }

  override seek(offset: number, from: SeekOrigin): number {
    const base = from === "start" ? 0 : from === "position" ? this.#position : this.#file.size;
    const position = base + offset;
    if (position < 0 || position > Number.MAX_SAFE_INTEGER) throw new SystemCallError("EINVAL");
    this.#position = position;
    return position;
  }

  override resize(size: number): void {
    if (!this.#access.writes) throw new SystemCallError("EINVAL");
    this.#tree.resize(this.#file, size);
  }

  override closed(): void {
    this.#tree.dropReference(this.#file);
  }
}

export class OpenDirectory extends OpenFile {
  readonly path: string;
  readonly #directory: Directory;
  /** As they were when the listing began, so that removing files while listing them skips none. */
  #listing: Array<readonly [string, TreeNode]> | undefined;
  #position = 0;

  constructor(path: string, directory: Directory) {
    super();
    this.path = path;
    this.#directory = directory;
  }

  override get node(): Directory {
    return this.#directory;
  }

  /** Entries not handed out yet, with the position after each. */
  *remaining(): Generator<{ name: string; node: TreeNode; next: number }> {
    this.#listing ??= [[".", this.#directory], ["..", this.#directory], ...this.#directory.entries];
    for (let index = this.#position; index < this.#listing.length; index++) {
      const [name, node] = this.#listing[index]!;
      yield { name, node, next: index + 1 };
    }
  }

  /** Marks entries as handed out. */
  skip(count: number): void {
    this.#position += count;
  }

  override seek(offset: number, from: SeekOrigin): number {
    if (from !== "start" || offset < 0) throw new SystemCallError("EINVAL");
    this.#position = offset;
    if (offset === 0) this.#listing = undefined;
    return offset;
  }

  override read(): number {
    throw new SystemCallError("EISDIR");
  }
}

export class OpenDevice extends OpenFile {
  readonly #device: Device;

  constructor(device: Device) {
    super();
    this.#device = device;
  }

  override get node(): Device {
    return this.#device;
  }

  override read(into: Uint8Array): number {
    if (this.#device.device === "null") return 0;
    if (this.#device.device === "zero") into.fill(0);
    else randomFillSync(into);
    return into.length;
  }

  override write(from: Uint8Array): number {
    return from.length;
  }

  override seek(): number {
    return 0;
  }
}

/** Standard output, standard error and the channel: bytes go out and never come back. */
export class OpenSink extends OpenFile {
  readonly #take: (bytes: Uint8Array) => void;

  constructor(take: (bytes: Uint8Array) => void) {
    super();
    this.#take = take;
  }

  override write(from: Uint8Array): number {
    this.#take(from);
    return from.length;
  }
}

/** As many as the native sandbox allows. */
const mostDescriptors = 64;

export class DescriptorTable {
  readonly #files: Array<OpenFile | undefined> = [];

  get(descriptor: number): OpenFile {
    const file = this.#files[descriptor];
    if (!file) throw new SystemCallError("EBADF");
    return file;
  }

  has(descriptor: number): boolean {
    return this.#files[descriptor] !== undefined;
  }

  /** The lowest free number, not below `lowest`. */
  add(file: OpenFile, lowest = 0): number {
    let descriptor = lowest;
    while (this.#files[descriptor]) descriptor++;
    this.put(descriptor, file);
    return descriptor;
  }

  /** At exactly this number, closing what was there. */
  put(descriptor: number, file: OpenFile): void {
    if (!(descriptor >= 0 && descriptor < mostDescriptors)) throw new SystemCallError("EMFILE");
    // Counted before the old one is closed, in case both are the same.
    file.descriptors++;
    if (this.#files[descriptor]) this.close(descriptor);
    this.#files[descriptor] = file;
  }

  close(descriptor: number): void {
    const file = this.get(descriptor);
    this.#files[descriptor] = undefined;
    if (--file.descriptors === 0) file.closed();
  }
}
