/**
 * TensorBoard event files: TFRecords around protocol-buffer `Event`s, written by hand because no maintained npm
 * package does it. Only scalars. Layout: tensorflow/core/util/event.proto and the record format of TFRecord
 * (length, masked CRC-32C of the length, data, masked CRC-32C of the data).
 */
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import path from "node:path";

export class TensorBoardWriter {
  readonly #descriptor: number;

  /** `startSeconds` names the file and stamps its first event. */
  constructor(folder: string, startSeconds: number) {
    mkdirSync(folder, { recursive: true });
    const name = `events.out.tfevents.${Math.floor(startSeconds)}.sparring.${process.pid}`;
    this.#descriptor = openSync(path.join(folder, name), "a");
    this.#write(Buffer.concat([doubleField(1, startSeconds), bytesField(3, Buffer.from("brain.Event:2"))]));
  }

  scalars(step: number, seconds: number, values: Readonly<Record<string, number>>): void {
    const summary = Object.entries(values)
      .filter(([, value]) => Number.isFinite(value))
      .map(([tag, value]) =>
        bytesField(1, Buffer.concat([bytesField(1, Buffer.from(tag)), floatField(2, value)])),
      );
    this.#write(
      Buffer.concat([doubleField(1, seconds), integerField(2, step), bytesField(5, Buffer.concat(summary))]),
    );
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #write(event: Buffer): void {
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(event.length));
    const bytes = Buffer.concat([length, maskedCrc(length), event, maskedCrc(event)]);
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#descriptor, bytes, done);
  }
}

const wireVarint = 0;
const wireDouble = 1;
const wireBytes = 2;
const wireFloat = 5;

function tagOf(field: number, wire: number): Buffer {
  return Buffer.from([(field << 3) | wire]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return Buffer.from([...bytes, rest]);
}

function integerField(field: number, value: number): Buffer {
  return Buffer.concat([tagOf(field, wireVarint), varint(value)]);
}

function bytesField(field: number, value: Buffer): Buffer {
  return Buffer.concat([tagOf(field, wireBytes), varint(value.length), value]);
}

function doubleField(field: number, value: number): Buffer {
  const data = Buffer.alloc(8);
  data.writeDoubleLE(value);
  return Buffer.concat([tagOf(field, wireDouble), data]);
}

function floatField(field: number, value: number): Buffer {
  const data = Buffer.alloc(4);
  data.writeFloatLE(value);
  return Buffer.concat([tagOf(field, wireFloat), data]);
}

const crcTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
  return value;
});

/** CRC-32C (Castagnoli). */
export function crc32c(data: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of data) crc = crcTable[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

function maskedCrc(data: Uint8Array): Buffer {
  const crc = crc32c(data);
  const rotated = ((crc >>> 15) | (crc << 17)) >>> 0;
  const masked = Buffer.alloc(4);
  masked.writeUInt32LE((rotated + 0xa282ead8) >>> 0);
  return masked;
}
