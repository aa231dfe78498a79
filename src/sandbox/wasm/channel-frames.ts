/**
 * The frames in the bytes of a program's channel: each is a length in four bytes, little-endian, and a body. While the
 * program runs they are only counted, which tells where one case ends and the next begins; afterwards they are split.
 */
export class FrameCounter {
  readonly #mostFrameBytes: number;
  #frames = 0;
  #length = 0;
  #lengthBytes = 0;
  #bodyLeft = 0;

  constructor(mostFrameBytes: number) {
    this.#mostFrameBytes = mostFrameBytes;
  }

  /** How many frames are complete. */
  get frames(): number {
    return this.#frames;
  }

  /** Takes more bytes; false when a frame claims to be larger than any may be. */
  add(bytes: Uint8Array): boolean {
    let offset = 0;
    while (offset < bytes.length) {
      if (this.#lengthBytes < 4) {
        this.#length += bytes[offset++]! * 256 ** this.#lengthBytes++;
        if (this.#lengthBytes < 4) continue;
        if (this.#length > this.#mostFrameBytes) return false;
        this.#bodyLeft = this.#length;
      }
      const taken = Math.min(this.#bodyLeft, bytes.length - offset);
      offset += taken;
      this.#bodyLeft -= taken;
      if (this.#bodyLeft > 0) break;
      this.#frames++;
      this.#length = 0;
      this.#lengthBytes = 0;
    }
    return true;
  }
}

/** The complete frames, at most `most`; a torn last one is dropped. */
export function splitFrames(channel: Buffer, most: number): string[] {
  const frames: string[] = [];
  let offset = 0;
  while (frames.length < most && channel.length - offset >= 4) {
    const end = offset + 4 + channel.readUInt32LE(offset);
    if (end > channel.length) break;
    frames.push(channel.toString("utf8", offset + 4, end));
    offset = end;
  }
  return frames;
}
