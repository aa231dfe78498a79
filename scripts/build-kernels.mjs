// Compiles the embedded engine's kernels (assembly/, AssemblyScript) to WebAssembly, once with relaxed SIMD and once
// without, into engine/embedded/ of the folder that is given (dist unless said). Compiled files are kept below
// build/kernels/ by the fingerprint of their sources, so that a rebuild of dist only copies them.
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const sourceFolder = path.join(root, "assembly");
const target = path.join(process.argv[2] ?? path.join(root, "dist"), "engine", "embedded");
const variants = { relaxed: "simd,relaxed-simd,threads", plain: "simd,threads" };
const nameOf = (variant) => `kernels-${variant}.wasm`;

const hash = createHash("sha256").update(readFileSync(fileURLToPath(import.meta.url)));
for (const name of readdirSync(sourceFolder).sort()) {
  if (name.endsWith(".ts"))
    hash
      .update(name)
      .update("\0")
      .update(readFileSync(path.join(sourceFolder, name)));
}
const store = path.join(root, "build", "kernels");
const compiled = path.join(store, hash.digest("hex").slice(0, 16));

if (!existsSync(compiled)) {
  const started = Date.now();
  const scratch = `${compiled}.${process.pid}`;
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  const { default: assemblyScript } = await import("assemblyscript/asc");
  for (const [variant, features] of Object.entries(variants)) {
    const { error, stderr } = await assemblyScript.main([
      path.relative(root, path.join(sourceFolder, "index.ts")),
      ...["--baseDir", root, "--outFile", path.join(scratch, nameOf(variant))],
      ...["--enable", features, "--optimizeLevel", "3", "--runtime", "stub", "--noAssert"],
      // The memory comes from outside, shared by all threads; 65536 pages are the 4 GiB that addresses can reach.
      ...["--importMemory", "--sharedMemory", "--initialMemory", "1", "--maximumMemory", "65536"],
    ]);
    if (error) {
      console.error(stderr.toString());
      rmSync(scratch, { recursive: true, force: true });
      process.exit(1);
    }
  }
  for (const old of readdirSync(store)) {
    const folder = path.join(store, old);
    if (!old.includes(".") && folder !== compiled) rmSync(folder, { recursive: true, force: true });
  }
  // Somebody else may have been faster; theirs is the same.
  if (existsSync(compiled)) rmSync(scratch, { recursive: true });
  else renameSync(scratch, compiled);
  console.error(`sparring: compiling kernels took ${((Date.now() - started) / 1000).toFixed(1)} s.`);
}
mkdirSync(target, { recursive: true });
for (const variant of Object.keys(variants))
  copyFileSync(path.join(compiled, nameOf(variant)), path.join(target, nameOf(variant)));
