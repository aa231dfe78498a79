/**
 * Reads and writes the safetensors format: eight bytes with the length of a JSON header, the header, then the values.
 * Only float32 is written or accepted. A file is untrusted: every length and offset is checked before it is used.
 */
import { type FileHandle, open, readFile, rename, rm } from "node:fs/promises";
import { messageOf, SparringError } from "../../errors.ts";

export interface StoredTensor {
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

export interface TensorFile {
  readonly tensors: ReadonlyMap<string, StoredTensor>;
  readonly metadata: Readonly<Record<string, string>>;
}

const longestHeader = 10_000_000;

/** Appears under its name only when it is complete. */
export async function writeTensorFile(file: string, { tensors, metadata }: TensorFile): Promise<void> {
  const header: Record<string, unknown> = { __metadata__: metadata };
  let end = 0;
  for (const [name, { shape, values }] of tensors) {
    const start = end;
    end += values.byteLength;
    header[name] = { dtype: "F32", shape, data_offsets: [start, end] };
  }
  const json = JSON.stringify(header);
  // Values start at a multiple of eight, as readers that map the file want it.
  const text = Buffer.from(json.padEnd(Math.ceil(Buffer.byteLength(json) / 8) * 8));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const temporary = `${file}.${process.pid}.part`;
  const handle = await open(temporary, "w");
  try {
    for (const part of [length, text, ...Array.from(tensors.values(), ({ values }) => bytesOf(values))])
      await writeAll(handle, part);
    await handle.sync();
  } catch (error) {
    await handle.close();
    await rm(temporary, { force: true });
    throw error;
  }
  await handle.close();
  await rename(temporary, file);
}

/** One write may take less than all of it without an error, as on a disk that is about to be full. */
async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length; ) done += (await handle.write(bytes, done)).bytesWritten;
}

export async function readTensorFile(file: string): Promise<TensorFile> {
  const bytes = await readFile(file).catch((cause) => {
    throw new SparringError({
      code: "engine-file-unreadable",
      message: `${file}: cannot be read (${messageOf(cause)}).`,
      cause,
    });
  });
  const refuse = (message: string): never => {
    throw new SparringError({
      code: "engine-file-damaged",
      message: `${file}: ${message}`,
      hint: "The file is truncated or damaged; take an older one.",
    });
  };
  if (bytes.length < 8) refuse(`has ${bytes.length} bytes; a tensor file has at least 8.`);
  const headerLength = Number(bytes.readBigUInt64LE(0));
  if (headerLength > longestHeader || 8 + headerLength > bytes.length)
    refuse(`its header claims ${headerLength} bytes, the file has ${bytes.length}.`);
  let header: unknown;
  try {
    header = JSON.parse(bytes.toString("utf8", 8, 8 + headerLength));
  } catch {
    refuse("its header is not JSON.");
  }
  if (typeof header !== "object" || header === null || Array.isArray(header))
    refuse("its header is not an object.");
  const data = bytes.subarray(8 + headerLength);
  const { __metadata__: metadata = {}, ...entries } = header as Record<string, unknown>;
  const tensors = new Map<string, StoredTensor>();
  for (const [name, entry] of Object.entries(entries)) {
    const { dtype, shape, data_offsets: offsets } = (entry ?? {}) as Record<string, unknown>;
    const fault = (what: string) => refuse(`tensor '${name}' ${what}.`);
    if (dtype !== "F32") fault(`has type ${String(dtype)}, F32 is expected`);
    if (!isCounts(shape)) return fault("has no valid shape");
    if (!isCounts(offsets) || offsets.length !== 2) return fault("has no valid offsets");
    const [start, end] = offsets as [number, number];
    const count = shape.reduce((product, size) => product * size, 1);
    if (end - start !== count * 4) fault(`has ${end - start} bytes for the shape [${shape.join(", ")}]`);
    if (end > data.length) fault(`ends at byte ${end} of ${data.length}: the file is truncated`);
    const values = new Float32Array(count);
    bytesOf(values).set(data.subarray(start, end));
    tensors.set(name, { shape, values });
  }
  return { tensors, metadata: stringsOf(metadata) };
}

function bytesOf(values: Float32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

function isCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((item) => Number.isSafeInteger(item) && item >= 0);
}

function stringsOf(metadata: unknown): Record<string, string> {
  if (typeof metadata !== "object" || metadata === null) return {};
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => typeof value === "string"));
}
