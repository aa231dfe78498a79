/** One run of one program in a sealed interpreter: its files, its output, its limits and what it was refused. */
import { ByteStore } from "./byte-store.ts";
import { FrameCounter } from "./channel-frames.ts";
import { type FileState, newFileState } from "./file-state.ts";
import { FileTree, type RegularFile } from "./file-tree.ts";
import { GuestStop } from "./guest-stop.ts";
import type { GuestState } from "./interpreter.ts";
import type { JournalWriter } from "./journal.ts";
import { DescriptorTable, OpenRegularFile, OpenSink } from "./open-files.ts";
import { Stopwatch, type TimeLimits } from "./stopwatch.ts";
import type { ThreadClock } from "./thread-clock.ts";

export interface RunRequest {
  /** The job as python/sandbox/harness.py takes it. */
  readonly job: string;
  /** For standard input. */
  readonly input: string;
  /** How many cases the job has: when as many frames and one more have come, nothing is left to wait for. */
  readonly cases: number;
  readonly limits: TimeLimits & {
    readonly memoryBytes: number;
    readonly outputBytes: number;
    readonly valueBytes: number;
    readonly scratchBytes: number;
  };
}

/** The same numbers stand in python/sandbox/watch.py. */
const mostRefusals = 5000;
const mostChannelBytes = 64 * 1024 * 1024;
const frameSlackBytes = 4096;

/** The descriptor of the harness's channel; python/sandbox/wasm_entry.py knows it too. */
const channelDescriptor = 3;

export class ProgramRun implements GuestState {
  readonly memoryLimit: number;
  readonly files: FileState;
  readonly stdout = new ByteStore();
  readonly stderr = new ByteStore();
  readonly job: string;
  readonly #request: RunRequest;
  readonly #stopwatch: Stopwatch;
  readonly #journal: JournalWriter;
  readonly #frames: FrameCounter;
  #channelBytes = 0;
  #wantedMemory = false;
  #denied = 0;

  constructor(options: {
    request: RunRequest;
    library: ReadonlyMap<string, Uint8Array>;
    imageBytes: number;
    clock: ThreadClock;
    journal: JournalWriter;
  }) {
    const { request } = options;
    this.#request = request;
    this.job = request.job;
    this.#journal = options.journal;
    this.#frames = new FrameCounter(request.limits.valueBytes + frameSlackBytes);
    this.memoryLimit = options.imageBytes + request.limits.memoryBytes;
    const tree = new FileTree({
      library: options.library,
      scratchBytes: request.limits.scratchBytes,
      now: Date.now,
    });
    const descriptors = new DescriptorTable();
    const readOnly = { reads: true, writes: false, appends: false };
    descriptors.put(0, new OpenRegularFile(tree, inputFile(request.input), readOnly));
    descriptors.put(1, new OpenSink((bytes) => this.#print(this.stdout, bytes)));
    descriptors.put(2, new OpenSink((bytes) => this.#print(this.stderr, bytes)));
    descriptors.put(channelDescriptor, new OpenSink((bytes) => this.#report(bytes)));
    this.files = newFileState(tree, descriptors);
    this.#journal.clear();
    this.#stopwatch = new Stopwatch(options.clock, () => performance.now(), request.limits);
  }

  cpuSeconds(): number {
    return this.#stopwatch.cpuSeconds();
  }

  checkTime(): void {
    if (this.#journal.cancelled) throw new GuestStop({ kind: "cancelled" });
    const limit = this.#stopwatch.passedLimit();
    if (limit) throw new GuestStop({ kind: "limit", limit });
  }

  /** A guest that sleeps looks at the clock in a loop: let others have the processor between two looks. */
  pause(): void {
    this.#journal.sleep(1);
    this.checkTime();
  }

  memoryRefused(): void {
    this.#wantedMemory = true;
  }

  /** Whether there was a time when it asked for more memory than it may have. */
  get wantedMemory(): boolean {
    return this.#wantedMemory;
  }

  refused(): void {
    this.#journal.setDenied(++this.#denied);
    if (this.#denied > mostRefusals) throw new GuestStop({ kind: "limit", limit: "refused" });
  }

  #print(store: ByteStore, bytes: Uint8Array): void {
    const room = this.#request.limits.outputBytes - this.stdout.length - this.stderr.length;
    store.add(bytes.subarray(0, room));
    if (bytes.length > room) throw new GuestStop({ kind: "limit", limit: "output" });
  }

  #report(bytes: Uint8Array): void {
    const before = this.#frames.frames;
    this.#channelBytes += bytes.length;
    if (this.#channelBytes > mostChannelBytes || !this.#frames.add(bytes)) {
      throw new GuestStop({ kind: "limit", limit: "value" });
    }
    this.#journal.add(bytes);
    if (this.#frames.frames === before) return;
    this.#journal.setFrames(this.#frames.frames);
    this.#stopwatch.nextCase();
    if (this.#frames.frames > this.#request.cases) throw new GuestStop({ kind: "done" });
  }
}

function inputFile(text: string): RegularFile {
  const data = Buffer.from(text, "utf8");
  const attributes = { number: 0, mode: 0o600, modified: Date.now() };
  return { kind: "file", data, size: data.length, writable: false, attributes, references: 1 };
}
