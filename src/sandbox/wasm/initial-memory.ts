/**
 * Makes the module start with less memory. It asks for 30 MB, a third of which is empty after booting, and every reset
 * would clear that third. The number is changed in the module's memory section; it is only a minimum, the interpreter
 * grows its memory as it needs it.
 *
 * Layout (WebAssembly specification, binary format): sections of id, length, content; the memory section (5) holds a
 * count, then for each memory flags, minimum and maximum, in pages, as LEB128.
 */
const headerBytes = 8;
const memorySection = 5;

/** A copy that starts with `pages`; the module as it is where it does not look as expected. */
export function withInitialPages(module: Uint8Array, pages: number): Uint8Array {
  let offset = headerBytes;
  while (offset < module.length) {
    const id = module[offset]!;
    const length = readNumber(module, offset + 1);
    if (!length) return module;
    if (id === memorySection) return withMinimum(module, length.end, pages);
    offset = length.end + length.value;
  }
  return module;
}

function withMinimum(module: Uint8Array, content: number, pages: number): Uint8Array {
  const [count, flags] = [module[content], module[content + 1]];
  const minimum = readNumber(module, content + 2);
  const hasMaximum = 1;
  // Two bytes before, two bytes after: nothing else in the module moves.
  const twoBytes = minimum?.end === content + 4 && pages >= 128 && pages < 16384;
  if (count !== 1 || flags !== hasMaximum || !twoBytes || pages > minimum.value) return module;
  const changed = module.slice();
  changed[content + 2] = (pages & 0x7f) | 0x80;
  changed[content + 3] = pages >> 7;
  return changed;
}

function readNumber(bytes: Uint8Array, start: number): { value: number; end: number } | undefined {
  let value = 0;
  for (let index = 0; index < 5; index++) {
    const byte = bytes[start + index];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { value, end: start + index + 1 };
  }
  return undefined;
}
