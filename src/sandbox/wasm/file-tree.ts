/**
 * The only files a sealed interpreter can see: the standard library, a few devices and an empty scratch folder, all
 * in this process's memory. Writing is possible in the scratch folder alone and is bounded in bytes and in number of
 * files. A new tree is made for every program, so nothing that one leaves behind can reach the next.
 *
 * Names are strings with one character per byte.
 */
import { SystemCallError } from "./errno.ts";

export interface Directory {
  readonly kind: "directory";
  readonly entries: Map<string, TreeNode>;
  readonly writable: boolean;
  readonly attributes: Attributes;
}

export interface RegularFile {
  readonly kind: "file";
  /** May be longer than the file, to grow in steps. */
  data: Uint8Array;
  size: number;
  readonly writable: boolean;
  readonly attributes: Attributes;
  /** Names and open descriptors that still refer to it. */
  references: number;
}

export interface SymbolicLink {
  readonly kind: "link";
  readonly target: string;
  readonly attributes: Attributes;
}

export interface Device {
  readonly kind: "device";
  readonly device: "null" | "zero" | "random";
  readonly attributes: Attributes;
}

export type TreeNode = Directory | RegularFile | SymbolicLink | Device;

export interface Attributes {
  readonly number: number;
  mode: number;
  modified: number;
}

interface Place {
  readonly parent: Directory;
  readonly name: string;
  readonly node: TreeNode | undefined;
  /** The path with links, dots and doubled slashes resolved. */
  readonly path: string;
}

export const scratchFolder = "/tmp";
const mostFiles = 1024;
const longestName = 255;
const mostLinksFollowed = 40;

export class FileTree {
  readonly root: Directory;
  readonly #byteLimit: number;
  readonly #now: () => number;
  #bytesUsed = 0;
  #filesUsed = 0;
  #lastNumber = 0;

  /** `library` files are read-only and shared between trees. */
  constructor(options: {
    library: ReadonlyMap<string, Uint8Array>;
    scratchBytes: number;
    now: () => number;
  }) {
    this.#byteLimit = options.scratchBytes;
    this.#now = options.now;
    this.root = this.#newDirectory(false);
    this.root.entries.set(scratchFolder.slice(1), this.#newDirectory(true));
    const devices = this.#newDirectory(false);
    this.root.entries.set("dev", devices);
    for (const [name, device] of deviceNames) {
      devices.entries.set(name, { kind: "device", device, attributes: this.#newAttributes(0o666) });
    }
    for (const [path, data] of options.library) this.#addLibraryFile(path, data);
  }

  get bytesLeft(): number {
    return this.#byteLimit - this.#bytesUsed;
  }

  get filesLeft(): number {
    return mostFiles - this.#filesUsed;
  }

  get byteLimit(): number {
    return this.#byteLimit;
  }

  /** Where an absolute path leads. The last name may not exist yet; everything before it must. */
  find(path: string, lastLink: "follow" | "keep"): Place {
    if (path === "") throw new SystemCallError("ENOENT");
    const pending = namesOf(path).reverse();
    const mustBeDirectory = path.endsWith("/");
    let linksFollowed = 0;
    let trail: Array<{ name: string; node: Directory }> = [];
    const here = () => trail.at(-1)?.node ?? this.root;
    while (pending.length > 0) {
      const name = pending.pop()!;
      if (name === "..") {
        trail.pop();
        continue;
      }
      if (name.length > longestName) throw new SystemCallError("ENAMETOOLONG");
      const node = here().entries.get(name);
      const last = pending.length === 0;
      if (node?.kind === "link" && !(last && lastLink === "keep" && !mustBeDirectory)) {
        if (++linksFollowed > mostLinksFollowed) throw new SystemCallError("ELOOP");
        if (node.target.startsWith("/")) trail = [];
        pending.push(...namesOf(node.target).reverse());
        continue;
      }
      if (last) {
        if (mustBeDirectory && node && node.kind !== "directory") throw new SystemCallError("ENOTDIR");
        return { parent: here(), name, node, path: pathOf([...trail, { name }]) };
      }
      if (!node) throw new SystemCallError("ENOENT");
      if (node.kind !== "directory") throw new SystemCallError("ENOTDIR");
      trail.push({ name, node });
    }
    // The path was the root, or ended in "..".
    const parent = trail.at(-2)?.node ?? this.root;
    return { parent, name: trail.at(-1)?.name ?? "", node: here(), path: pathOf(trail) };
  }

  /** As `find`, for what must be there. */
  get(path: string, lastLink: "follow" | "keep" = "follow"): TreeNode {
    const { node } = this.find(path, lastLink);
    if (!node) throw new SystemCallError("ENOENT");
    return node;
  }

  createFile(place: Place, mode: number): RegularFile {
    const attributes = this.#newEntry(place, mode);
    const file: RegularFile = {
      kind: "file",
      data: new Uint8Array(0),
      size: 0,
      writable: true,
      attributes,
      references: 1,
    };
    place.parent.entries.set(place.name, file);
    return file;
  }

  createDirectory(path: string, mode: number): void {
    const place = this.find(path, "keep");
    if (place.node) throw new SystemCallError("EEXIST");
    const attributes = this.#newEntry(place, mode);
    place.parent.entries.set(place.name, {
      kind: "directory",
      entries: new Map(),
      writable: true,
      attributes,
    });
  }

  createLink(target: string, path: string): void {
    const place = this.find(path, "keep");
    if (place.node) throw new SystemCallError("EEXIST");
    const attributes = this.#newEntry(place, 0o777);
    place.parent.entries.set(place.name, { kind: "link", target, attributes });
  }

  remove(path: string, kind: "file" | "directory"): void {
    const { parent, name, node } = this.find(path, "keep");
    if (!node) throw new SystemCallError("ENOENT");
    if (!parent.writable) throw new SystemCallError("EROFS");
    if (kind === "file" && node.kind === "directory") throw new SystemCallError("EISDIR");
    if (kind === "directory") {
      if (node.kind !== "directory") throw new SystemCallError("ENOTDIR");
      if (node.entries.size > 0) throw new SystemCallError("ENOTEMPTY");
    }
    parent.entries.delete(name);
    this.#dropName(node);
  }

  rename(from: string, to: string): void {
    const source = this.find(from, "keep");
    const target = this.find(to, "keep");
    if (!source.node) throw new SystemCallError("ENOENT");
    if (!source.parent.writable || !target.parent.writable) throw new SystemCallError("EROFS");
    if (source.node === target.node) return;
    if (`${target.path}/`.startsWith(`${source.path}/`)) throw new SystemCallError("EINVAL");
    if (target.node?.kind === "directory") {
      if (source.node.kind !== "directory") throw new SystemCallError("EISDIR");
      if (target.node.entries.size > 0) throw new SystemCallError("ENOTEMPTY");
    } else if (target.node && source.node.kind === "directory") throw new SystemCallError("ENOTDIR");
    if (target.node) this.#dropName(target.node);
    source.parent.entries.delete(source.name);
    target.parent.entries.set(target.name, source.node);
  }

  /** Changes a file's length and accounts for it; what is new reads as zeros. */
  resize(file: RegularFile, size: number): void {
    if (!file.writable) throw new SystemCallError("EROFS");
    if (size > this.#byteLimit) throw new SystemCallError("EFBIG");
    if (size - file.size > this.bytesLeft) throw new SystemCallError("ENOSPC");
    if (size > file.data.length) {
      const larger = new Uint8Array(Math.min(this.#byteLimit, Math.max(size, 2 * file.data.length, 512)));
      larger.set(file.data.subarray(0, file.size));
      file.data = larger;
    } else if (size < file.size) file.data.fill(0, size, file.size);
    this.#bytesUsed += size - file.size;
    file.size = size;
    file.attributes.modified = this.#now();
  }

  /** To be called when a descriptor or name of the file is gone. */
  dropReference(file: RegularFile): void {
    file.references--;
    if (file.references === 0 && file.writable) this.#bytesUsed -= file.size;
  }

  #dropName(node: TreeNode): void {
    this.#filesUsed--;
    if (node.kind === "file") this.dropReference(node);
  }

  #newEntry(place: Place, mode: number): Attributes {
    if (!place.parent.writable) throw new SystemCallError("EROFS");
    if (this.filesLeft <= 0) throw new SystemCallError("ENOSPC");
    this.#filesUsed++;
    return this.#newAttributes(mode);
  }

  #newDirectory(writable: boolean): Directory {
    const attributes = this.#newAttributes(writable ? 0o777 : 0o555);
    return { kind: "directory", entries: new Map(), writable, attributes };
  }

  #newAttributes(mode: number): Attributes {
    return { number: ++this.#lastNumber, mode: mode & 0o7777, modified: this.#now() };
  }

  #addLibraryFile(path: string, data: Uint8Array): void {
    const names = namesOf(path);
    const name = names.pop()!;
    let folder = this.root;
    for (const part of names) {
      const next = folder.entries.get(part) ?? this.#newDirectory(false);
      folder.entries.set(part, next);
      folder = next as Directory;
    }
    const attributes = this.#newAttributes(0o444);
    folder.entries.set(name, {
      kind: "file",
      data,
      size: data.length,
      writable: false,
      attributes,
      references: 1,
    });
  }
}

const deviceNames: ReadonlyArray<readonly [string, Device["device"]]> = [
  ["null", "null"],
  ["zero", "zero"],
  ["random", "random"],
  ["urandom", "random"],
];

function namesOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".");
}

function pathOf(trail: ReadonlyArray<{ name: string }>): string {
  return `/${trail.map(({ name }) => name).join("/")}`;
}
