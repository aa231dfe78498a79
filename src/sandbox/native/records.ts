/** The bytes that go to python/sandbox/worker.py and come back from it. Both layouts are described there. */
import type { Limits } from "../limits.ts";

export interface PartRequest {
  readonly body: Buffer;
  /** Standard input of a stdio program. */
  readonly input: Buffer;
  readonly limits: Limits;
  readonly caseWallSeconds: number;
  readonly programCpuSeconds: number;
  readonly programWallSeconds: number;
}

export interface WorkerRecord {
  readonly description: unknown;
  readonly channel: Buffer;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/** How a child ended, as the worker saw it. */
export interface Ending {
  readonly killedFor: "cpu" | "wall" | "program" | "output" | "refused" | "tampered" | null;
  readonly signal: number | null;
  readonly code: number | null;
  readonly cpu: number;
  readonly wall: number;
  readonly denied: number;
}

const requestHeaderBytes = 52;
const recordHeaderBytes = 16;

export function encodeRequest(request: PartRequest): Buffer {
  const header = Buffer.alloc(requestHeaderBytes);
  header.writeUInt32LE(request.body.length, 0);
  header.writeUInt32LE(request.input.length, 4);
  header.writeDoubleLE(request.limits.caseCpuSeconds, 8);
  header.writeDoubleLE(request.caseWallSeconds, 16);
  header.writeDoubleLE(request.programCpuSeconds, 24);
  header.writeDoubleLE(request.programWallSeconds, 32);
  header.writeUInt32LE(Math.ceil(request.limits.memoryBytes / 1024), 40);
  header.writeUInt32LE(Math.ceil(request.limits.outputBytes / 1024), 44);
  header.writeUInt32LE(Math.ceil(request.limits.valueBytes / 1024), 48);
  return Buffer.concat([header, request.body, request.input]);
}

/** Collects pieces of the worker's output until a record is complete. */
export class RecordReader {
  #pieces: Buffer[] = [];
  #length = 0;

  /** The finished record, or undefined while bytes are missing. The worker sends one record per request. */
  add(piece: Buffer): WorkerRecord | undefined {
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length < recordHeaderBytes) return undefined;
    if (this.#pieces[0]!.length < recordHeaderBytes) this.#pieces = [Buffer.concat(this.#pieces)];
    const lengths = [0, 4, 8, 12].map((offset) => this.#pieces[0]!.readUInt32LE(offset));
    if (this.#length < lengths.reduce((sum, length) => sum + length, recordHeaderBytes)) return undefined;
    const data = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#length = 0;
    let offset = recordHeaderBytes;
    const [description, channel, stdout, stderr] = lengths.map((length) => {
      offset += length;
      return data.subarray(offset - length, offset);
    });
    return {
      description: JSON.parse(description!.toString()),
      channel: channel!,
      stdout: stdout!,
      stderr: stderr!,
    };
  }
}

/** The complete frames a child left behind, at most `most`; a torn last one is dropped. */
export function splitFrames(data: Buffer, most: number): string[] {
  const frames: string[] = [];
  let offset = 0;
  while (frames.length < most && data.length - offset >= 4) {
    const length = data.readUInt32LE(offset);
    if (data.length - offset - 4 < length) break;
    frames.push(data.toString("utf8", offset + 4, offset + 4 + length));
    offset += 4 + length;
  }
  return frames;
}
