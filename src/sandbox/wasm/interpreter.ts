/**
 * A sealed Python interpreter: Pyodide's WebAssembly build of CPython, started bare (none of Pyodide's JavaScript and
 * none of its Python is loaded) with imports of our own. It is booted once per process; its memory at that moment is
 * the image from which every other interpreter starts and to which each returns after every program. Since the guest
 * has no state outside its memory, its stack pointer and the files we keep for it, that is a true reset.
 *
 * Memory layout: static data, then the stack (growing down to its end), then the heap.
 */
import { descriptorCalls } from "./descriptor-calls.ts";
import type { FileState } from "./file-state.ts";
import { GuestMemory } from "./guest-memory.ts";
import { GuestStop, type StopReason } from "./guest-stop.ts";
import { type GuestFunctions, type ProcessState, processCalls, sealedImports } from "./import-table.ts";
import { pathCalls } from "./path-calls.ts";
import { timeCalls } from "./time-calls.ts";
import { type GuestFunction, type GuestModule, type LinearMemory, webAssembly } from "./web-assembly.ts";

/** Everything needed to start an interpreter that is ready to run a program. */
export interface InterpreterImage {
  /** The guest's memory up to the end of its heap. */
  readonly memory: SharedArrayBuffer;
  readonly stackPointer: number;
  /** Address of the Python function that takes a job. */
  readonly entry: number;
  readonly python: string;
}

/** How a run ended. A fault is a trap of the WebAssembly engine: bad address, unreachable code, stack overflow. */
export type RunEnd =
  | StopReason
  | { readonly kind: "finished" }
  | { readonly kind: "out-of-memory" }
  | { readonly kind: "fault"; readonly message: string };

/** What the guest's imports work on: the files and limits of the program that runs. */
export interface GuestState extends ProcessState {
  readonly files: FileState;
  pause(): void;
}

interface GuestExports extends GuestFunctions {
  readonly memory: LinearMemory;
  readonly __stack_pointer: { value: number };
  readonly [cName: string]: unknown;
}

export class Interpreter {
  readonly memory = new GuestMemory();
  readonly #exports: GuestExports;
  #state: GuestState | undefined;
  #saved: ReturnType<typeof savedParts> | undefined;

  constructor(module: GuestModule) {
    const { memory } = this;
    const state = () => this.#state!;
    const allowed = [
      pathCalls(memory, () => state().files),
      descriptorCalls(memory, () => state().files),
      timeCalls(memory, () => state().pause()),
      processCalls(memory, () => this.#exports, state),
    ];
    const instance = new webAssembly.Instance(module, sealedImports(module, allowed, state));
    this.#exports = instance.exports as unknown as GuestExports;
    memory.attach(this.#exports.memory);
  }

  /** Calls a C function of the guest on behalf of `state`. */
  call(state: GuestState, name: string, ...values: Array<number | bigint>): number {
    this.#state = state;
    return (this.#exports[name] as GuestFunction)(...(values as number[]));
  }

  /** The address of a C variable of the guest. */
  address(name: string): number {
    return (this.#exports[name] as { value: number }).value;
  }

  /** Runs one job. Whatever the program does, it comes back as the end of the run. */
  run(image: InterpreterImage, program: GuestState & { readonly job: string }): RunEnd {
    try {
      return this.#runJob(image, program, program.job);
    } catch (error) {
      if (error instanceof GuestStop) return error.reason;
      return { kind: "fault", message: error instanceof Error ? error.message : "unknown fault" };
    }
  }

  #runJob(image: InterpreterImage, state: GuestState, job: string): RunEnd {
    const bytes = Buffer.from(job, "utf8");
    const argument = this.call(state, "PyBytes_FromStringAndSize", 0, bytes.length);
    if (argument === 0) return { kind: "out-of-memory" };
    const address = this.call(state, "PyBytes_AsString", argument);
    this.memory.slice(address, bytes.length).set(bytes);
    const answer = this.call(state, "PyObject_CallOneArg", image.entry, argument);
    return answer === 0
      ? { kind: "fault", message: "the harness did not come to its end" }
      : { kind: "finished" };
  }

  /**
   * Makes the stack smaller than the linker made it and begins the heap right above it. To be called before anything
   * runs: memory that does not exist need not be cleared after every program.
   */
  placeStack(bytes: number): void {
    const { __stack_pointer, emscripten_stack_init, emscripten_get_sbrk_ptr } = this.#exports;
    (emscripten_stack_init as () => void)();
    const base = this.#stackEnd() + bytes;
    __stack_pointer.value = base;
    this.#setStackLimits(base);
    this.memory.setU32((emscripten_get_sbrk_ptr as () => number)(), base);
  }

  #stackEnd(): number {
    return (this.#exports.emscripten_stack_get_end as () => number)();
  }

  #setStackLimits(base: number): void {
    (this.#exports.emscripten_stack_set_limits as (base: number, end: number) => void)(
      base,
      this.#stackEnd(),
    );
  }

  /** The memory as it is now, with the entry to call. Garbage below the stack pointer is cleared first. */
  capture(state: GuestState, found: { entry: number; python: string }): InterpreterImage {
    const stackPointer = this.#exports.__stack_pointer.value;
    const stackEnd = this.#stackEnd();
    this.memory.slice(stackEnd, stackPointer - stackEnd).fill(0);
    const heapEnd = this.call(state, "sbrk", 0);
    const memory = new SharedArrayBuffer(heapEnd);
    new Uint8Array(memory).set(this.memory.slice(0, heapEnd));
    return { memory, stackPointer, ...found };
  }

  /**
   * Makes this interpreter what the image was, whatever happened in it before. All of the stack is cleared, although
   * little of it is ever used: a program that writes through addresses could leave something far down for the next.
   */
  restore(image: InterpreterImage): void {
    const { memory } = this;
    const { stackPointer } = image;
    (this.#exports.emscripten_stack_init as () => void)();
    this.#setStackLimits(stackPointer);
    const stackEnd = this.#stackEnd();
    this.#saved ??= savedParts(image, stackEnd);
    const { staticData, heap } = this.#saved;
    memory.growTo(image.memory.byteLength);
    copyInto(memory.slice(0, stackEnd), staticData);
    memory.slice(stackEnd, stackPointer - stackEnd).fill(0);
    copyInto(memory.slice(stackPointer, heap.length), heap);
    memory.slice(image.memory.byteLength, memory.size - image.memory.byteLength).fill(0);
    this.#exports.__stack_pointer.value = stackPointer;
    this.#state = undefined;
  }
}

/** What is not zero in an image. All interpreters read the same memory, which the processor's cache has only once. */
function savedParts(image: InterpreterImage, stackEnd: number) {
  return {
    staticData: Buffer.from(image.memory, 0, stackEnd),
    heap: Buffer.from(image.memory, image.stackPointer),
  };
}

/** Both are equally long. Unlike `set`, which goes word by word through shared memory, `fill` copies it in one go. */
function copyInto(target: Uint8Array<ArrayBuffer>, source: Buffer<SharedArrayBuffer>): void {
  Buffer.from(target.buffer, target.byteOffset, target.length).fill(source as unknown as Uint8Array);
}
