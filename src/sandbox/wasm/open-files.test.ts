import { describe, expect, it } from "vitest";
import { FileTree } from "./file-tree.ts";
import { DescriptorTable, OpenDirectory, OpenRegularFile, OpenSink } from "./open-files.ts";

const bytes = (text: string) => Buffer.from(text);

function openFile(access: { reads: boolean; writes: boolean; appends: boolean }) {
  const tree = new FileTree({ library: new Map(), scratchBytes: 1000, now: () => 0 });
  const file = tree.createFile(tree.find("/tmp/file", "follow"), 0o644);
  return { tree, file, opened: new OpenRegularFile(tree, file, access) };
}
const readWrite = { reads: true, writes: true, appends: false };

describe("OpenRegularFile", () => {
  it("reads and writes at its position, and at any other without moving it", () => {
    const { opened } = openFile(readWrite);
    opened.write(bytes("hello world"));
    opened.writeAt(bytes("W"), 6);
    expect(opened.seek(-5, "end")).toBe(6);
    const into = Buffer.alloc(20);
    expect(into.toString("latin1", 0, opened.read(into))).toBe("World");
    expect(opened.read(into)).toBe(0);
    expect(into.toString("latin1", 0, opened.readAt(into, 0))).toBe("hello World");
    expect(opened.seek(0, "position")).toBe(11);
    expect(() => opened.seek(-1, "start")).toThrow("EINVAL");
  });

  it("fills a gap with zeros and refuses what the scratch does not hold", () => {
    const { opened, file } = openFile(readWrite);
    opened.seek(3, "start");
    opened.write(bytes("x"));
    expect([...file.data.subarray(0, 4)]).toEqual([0, 0, 0, 120]);
    opened.seek(2 ** 40, "start");
    expect(() => opened.write(bytes("x"))).toThrow("EFBIG");
    expect(opened.write(bytes(""))).toBe(0);
  });

  it("appends at the end, wherever it was moved", () => {
    const { opened, file } = openFile({ reads: false, writes: true, appends: true });
    opened.write(bytes("one"));
    opened.seek(0, "start");
    opened.write(bytes("two"));
    expect(Buffer.from(file.data.subarray(0, file.size)).toString()).toBe("onetwo");
    expect(() => opened.read(Buffer.alloc(1))).toThrow("EBADF");
  });

  it("keeps to how it was opened", () => {
    const { opened } = openFile({ reads: true, writes: false, appends: false });
    expect(() => opened.write(bytes("x"))).toThrow("EBADF");
    expect(() => opened.resize(3)).toThrow("EINVAL");
  });
});

describe("OpenDirectory", () => {
  it("lists what was there when the listing began", () => {
    const tree = new FileTree({ library: new Map(), scratchBytes: 0, now: () => 0 });
    for (const name of ["a", "b", "c"]) tree.createDirectory(`/tmp/${name}`, 0o755);
    const node = tree.get("/tmp");
    if (node.kind !== "directory") throw new Error("not a folder");
    const opened = new OpenDirectory("/tmp", node);
    const names = () => [...opened.remaining()].map(({ name }) => name);
    expect(names()).toEqual([".", "..", "a", "b", "c"]);
    opened.skip(3);
    tree.remove("/tmp/b", "directory");
    expect(names()).toEqual(["b", "c"]);
    opened.seek(0, "start");
    expect(names()).toEqual([".", "..", "a", "c"]);
  });
});

describe("DescriptorTable", () => {
  it("gives out the lowest free number and no more than there are", () => {
    const table = new DescriptorTable();
    const sink = new OpenSink(() => {});
    expect([table.add(sink), table.add(sink), table.add(sink)]).toEqual([0, 1, 2]);
    table.close(1);
    expect(table.add(sink)).toBe(1);
    expect(table.add(sink, 10)).toBe(10);
    expect(() => table.get(5)).toThrow("EBADF");
    expect(() => table.close(5)).toThrow("EBADF");
    expect(() => {
      for (let count = 0; count < 100; count++) table.add(sink);
    }).toThrow("EMFILE");
    expect(() => table.put(-1, sink)).toThrow("EMFILE");
    expect(table.has(63)).toBe(true);
  });

  it("closes a file when its last descriptor goes, and survives putting it over itself", () => {
    const { tree, file, opened } = openFile(readWrite);
    const table = new DescriptorTable();
    table.put(4, opened);
    table.put(5, opened);
    table.put(5, opened);
    opened.write(bytes("12345"));
    tree.remove("/tmp/file", "file");
    table.close(4);
    expect([file.references, tree.bytesLeft]).toEqual([1, 995]);
    table.put(5, new OpenSink(() => {}));
    expect([file.references, tree.bytesLeft]).toEqual([0, 1000]);
  });
});
