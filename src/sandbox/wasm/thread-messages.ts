/** What passes between our thread and an interpreter's thread. */
import type { InterpreterImage, RunEnd } from "./interpreter.ts";
import type { Journal } from "./journal.ts";
import type { RunRequest } from "./program-run.ts";
import type { GuestModule } from "./web-assembly.ts";

/** Given to a new thread. */
export interface ThreadSettings {
  readonly module: GuestModule;
  /** Files that programs can read, by path. */
  readonly library: ReadonlyMap<string, Uint8Array>;
  /** To start from an image, or to boot with these files of ours and make one. */
  readonly origin:
    | { readonly image: InterpreterImage }
    | { readonly ownFiles: ReadonlyMap<string, Uint8Array> };
  readonly journal: Journal;
}

export type ToThread = RunRequest;

export type FromThread =
  | {
      readonly kind: "ready";
      readonly image: InterpreterImage;
      /** By which the kernel knows the thread, where it does. */
      readonly threadName: string | undefined;
    }
  | { readonly kind: "not-ready"; readonly message: string }
  /** Bytes of the channel that came before those in the journal. */
  | { readonly kind: "spill"; readonly bytes: Uint8Array }
  | {
      readonly kind: "ended";
      readonly end: RunEnd;
      readonly stdout: Uint8Array;
      readonly stderr: Uint8Array;
      readonly cpuSeconds: number;
      /** The size to which the interpreter's memory has grown. It cannot shrink. */
      readonly memoryBytes: number;
    };
