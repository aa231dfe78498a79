/** The guest's system calls on open files. */
import { SystemCallError } from "./errno.ts";
import { type FileState, writeFileSystemStatus, writeStatus } from "./file-state.ts";
import { answerOf, errorNumberOf, type GuestMemory } from "./guest-memory.ts";
import { OpenDirectory, type SeekOrigin } from "./open-files.ts";

const entryTypes = { directory: 4, file: 8, link: 10, device: 2 };
/** Every entry of a listing takes the same room: 19 bytes of header, 256 of name, filled up to a multiple of 8. */
const entryBytes = 280;
const seekOrigins: readonly SeekOrigin[] = ["start", "position", "end"];
const pollInvalid = 0x20;
const pollReadWrite = 0x05;

/** `state` gives the running program's files. */
export function descriptorCalls(memory: GuestMemory, state: () => FileState) {
  const file = (descriptor: number) => state().descriptors.get(descriptor);

  function writeEntries(descriptor: number, address: number, room: number): number {
    const folder = file(descriptor);
    if (!(folder instanceof OpenDirectory)) throw new SystemCallError("ENOTDIR");
    let used = 0;
    for (const { name, node, next } of folder.remaining()) {
      if (used + entryBytes > room >>> 0) break;
      const entry = address + used;
      memory.setI64(entry, node.attributes.number);
      memory.setI64(entry + 8, next);
      memory.setU16(entry + 16, entryBytes);
      memory.setU8(entry + 18, entryTypes[node.kind]);
      memory.setText(entry + 19, name);
      used += entryBytes;
    }
    folder.skip(used / entryBytes);
    return used;
  }

  /** Calls `work` for each buffer of a list until one is not used up; gives the bytes used in all. */
  function eachBuffer(list: number, count: number, work: (bytes: Uint8Array) => number): number {
    let total = 0;
    for (let index = 0; index < count; index++) {
      const bytes = memory.slice(memory.u32(list + 8 * index), memory.u32(list + 8 * index + 4));
      const used = work(bytes);
      total += used;
      if (used < bytes.length) break;
    }
    return total;
  }

  /** As `eachBuffer`, at positions that move on from `offset`. */
  function eachBufferAt(
    list: { address: number; count: number; offset: bigint },
    work: (bytes: Uint8Array, position: number) => number,
  ): number {
    if (list.offset < 0n) throw new SystemCallError("EINVAL");
    let position = Number(list.offset);
    return eachBuffer(list.address, list.count, (bytes) => {
      const used = work(bytes, position);
      position += used;
      return used;
    });
  }

  function control(descriptor: number, command: number, argument: number): number {
    const opened = file(descriptor);
    switch (command) {
      case 0: // F_DUPFD
      case 1030: // F_DUPFD_CLOEXEC
        return state().descriptors.add(opened, memory.u32(argument));
      case 3: // F_GETFL
        return opened.flags;
      case 1: // F_GETFD, F_SETFD, F_SETFL and locks: nothing that could matter to a lone process
      case 2:
      case 4:
      case 13:
      case 14:
        return 0;
      default:
        throw new SystemCallError("EINVAL");
    }
  }

  function poll(list: number, count: number): number {
    let ready = 0;
    for (let index = 0; index < count; index++) {
      const entry = list + 8 * index;
      // What is in memory can always be read and written.
      const known = state().descriptors.has(memory.i32(entry));
      const events = known ? memory.u16(entry + 4) & pollReadWrite : pollInvalid;
      memory.setU16(entry + 6, events);
      if (events) ready++;
    }
    return ready;
  }

  const env = {
    __syscall_fstat64: (descriptor: number, address: number) =>
      answerOf(() => writeStatus(memory, file(descriptor).node, address)),
    __syscall_fstatfs64: (descriptor: number, _size: number, address: number) =>
      answerOf(() => {
        file(descriptor);
        return writeFileSystemStatus(memory, state().tree, address);
      }),
    __syscall_fchmod: (descriptor: number, mode: number) =>
      answerOf(() => {
        const { node } = file(descriptor);
        if (node) node.attributes.mode = mode & 0o7777;
        return 0;
      }),
    __syscall_ftruncate64: (descriptor: number, size: bigint) =>
      answerOf(() => {
        if (size < 0n) throw new SystemCallError("EINVAL");
        file(descriptor).resize(Number(size));
        return 0;
      }),
    __syscall_getdents64: (descriptor: number, address: number, room: number) =>
      answerOf(() => writeEntries(descriptor, address, room)),
    __syscall_dup: (descriptor: number) => answerOf(() => state().descriptors.add(file(descriptor))),
    __syscall_dup3: (from: number, to: number) =>
      answerOf(() => {
        state().descriptors.put(to, file(from));
        return to;
      }),
    __syscall_fcntl64: (descriptor: number, command: number, argument: number) =>
      answerOf(() => control(descriptor, command, argument)),
    __syscall_ioctl: (descriptor: number) =>
      answerOf(() => {
        file(descriptor);
        throw new SystemCallError("ENOTTY");
      }),
    __syscall_fdatasync: (descriptor: number) =>
      answerOf(() => {
        file(descriptor);
        return 0;
      }),
    __syscall_fadvise64: () => 0,
    __syscall_poll: (list: number, count: number) => answerOf(() => poll(list, count)),
  };

  const wasi_snapshot_preview1 = {
    fd_close: (descriptor: number) => errorNumberOf(() => state().descriptors.close(descriptor)),
    fd_sync: (descriptor: number) =>
      errorNumberOf(() => {
        file(descriptor);
      }),
    fd_read: (descriptor: number, list: number, count: number, answer: number) =>
      errorNumberOf(() => {
        const opened = file(descriptor);
        memory.setU32(
          answer,
          eachBuffer(list, count, (bytes) => opened.read(bytes)),
        );
      }),
    fd_write: (descriptor: number, list: number, count: number, answer: number) =>
      errorNumberOf(() => {
        const opened = file(descriptor);
        memory.setU32(
          answer,
          eachBuffer(list, count, (bytes) => opened.write(bytes)),
        );
      }),
    fd_pread: (descriptor: number, address: number, count: number, offset: bigint, answer: number) =>
      errorNumberOf(() => {
        const opened = file(descriptor);
        const read = (bytes: Uint8Array, position: number) => opened.readAt(bytes, position);
        memory.setU32(answer, eachBufferAt({ address, count, offset }, read));
      }),
    fd_pwrite: (descriptor: number, address: number, count: number, offset: bigint, answer: number) =>
      errorNumberOf(() => {
        const opened = file(descriptor);
        const write = (bytes: Uint8Array, position: number) => opened.writeAt(bytes, position);
        memory.setU32(answer, eachBufferAt({ address, count, offset }, write));
      }),
    fd_seek: (descriptor: number, offset: bigint, origin: number, answer: number) =>
      errorNumberOf(() => {
        const from = seekOrigins[origin];
        if (!from) throw new SystemCallError("EINVAL");
        memory.setI64(answer, file(descriptor).seek(Number(offset), from));
      }),
    fd_fdstat_get: (descriptor: number, address: number) =>
      errorNumberOf(() => {
        const { node } = file(descriptor);
        memory.slice(address, 24).fill(0);
        memory.setU8(address, node?.kind === "directory" ? 3 : 4);
      }),
  };

  return { env, wasi_snapshot_preview1 };
}
