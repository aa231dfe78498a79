// Makes a fresh clone ready: installs packages and compiles, each only when something changed since the last time.
// Plain JavaScript without dependencies, because it runs before anything is installed.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`sparring needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

function run(what, command, args) {
  console.error(`sparring: ${what} …`);
  const started = Date.now();
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (result.status !== 0) {
    console.error(`sparring: ${what} failed (${command} ${args.join(" ")}).`);
    process.exit(1);
  }
  console.error(`sparring: ${what} took ${((Date.now() - started) / 1000).toFixed(1)} s.`);
}

function filesBelow(folder, wanted) {
  return readdirSync(path.join(root, folder), { recursive: true })
    .map((name) => path.join(folder, name))
    .filter((name) => wanted(name) && statSync(path.join(root, name)).isFile())
    .sort();
}

function fingerprint(files) {
  const hash = createHash("sha256");
  for (const file of files)
    hash
      .update(file)
      .update("\0")
      .update(readFileSync(path.join(root, file)))
      .update("\0");
  return hash.digest("hex");
}

function unlessDone(stamp, files, work) {
  const stampFile = path.join(root, stamp);
  const now = fingerprint(files);
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === now) return;
  work(now);
}

/** The old folder is there until the new one is complete: whatever starts meanwhile finds one or the other. */
function swapIn(built, target) {
  const old = `${target}.${process.pid}.old`;
  for (let attempt = 1; existsSync(built); attempt += 1) {
    try {
      if (existsSync(target)) renameSync(target, old);
      renameSync(built, target);
    } catch (error) {
      // Another build may be swapping at this very moment.
      if (attempt === 10) throw error;
    } finally {
      rmSync(old, { recursive: true, force: true });
    }
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code !== "ESRCH";
  }
}

/** What builds left behind that were killed. */
function removeLeftovers() {
  for (const name of readdirSync(root)) {
    const pid = /^dist\.(\d+)\.(?:partial|old)$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(path.join(root, name), { recursive: true });
  }
}

const packageStamp = "node_modules/.sparring-stamp";
unlessDone(packageStamp, ["package-lock.json"], (stamp) => {
  // Not `npm ci`: it refuses a lock file that was written where the binaries of other systems could not be looked up.
  run("installing packages", "npm", ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"]);
  writeFileSync(path.join(root, packageStamp), stamp);
});

const sources = filesBelow("src", (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
const kernels = filesBelow("assembly", (name) => name.endsWith(".ts"));
const settings = ["tsconfig.json", "tsconfig.build.json", "scripts/build-kernels.mjs"];
unlessDone("dist/.sparring-stamp", [...sources, ...kernels, ...settings], (stamp) => {
  removeLeftovers();
  const built = path.join(root, `dist.${process.pid}.partial`);
  process.on("exit", () => rmSync(built, { recursive: true, force: true }));
  run("compiling TypeScript", process.execPath, [
    "node_modules/typescript/bin/tsc",
    ...["-p", "tsconfig.build.json", "--outDir", built],
  ]);
  run("compiling the model kernels", process.execPath, ["scripts/build-kernels.mjs", built]);
  writeFileSync(path.join(built, ".sparring-stamp"), stamp);
  swapIn(built, path.join(root, "dist"));
});
