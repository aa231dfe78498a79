/** The part of the WebAssembly JavaScript API that this folder uses; Node's types do not declare it. */
export interface GuestModule {
  readonly [Symbol.toStringTag]?: string;
}

export interface ModuleImport {
  readonly module: string;
  readonly name: string;
  readonly kind: string;
}

export interface LinearMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

export interface FunctionTable {
  readonly length: number;
  get(index: number): GuestFunction | null;
}

export type GuestFunction = (...values: number[]) => number;
export type ImportObject = Record<string, Record<string, unknown>>;

interface Api {
  compile(bytes: Uint8Array): Promise<GuestModule>;
  readonly Module: { imports(module: GuestModule): ModuleImport[] };
  readonly Instance: new (
    module: GuestModule,
    imports: ImportObject,
  ) => { readonly exports: Record<string, unknown> };
  readonly Global: new (type: { value: "i32"; mutable: boolean }, value: number) => object;
}

export const webAssembly = (globalThis as unknown as { WebAssembly: Api }).WebAssembly;

export const pageBytes = 65536;
