// `npm run bench <name> [options]`: runs bench/<name>.bench.ts.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const [name, ...options] = process.argv.slice(2);
const file = path.join(root, "bench", `${name}.bench.ts`);
if (!name || !existsSync(file)) {
  const names = readdirSync(path.join(root, "bench"))
    .filter((entry) => entry.endsWith(".bench.ts"))
    .map((entry) => entry.slice(0, -".bench.ts".length));
  console.error(`usage: npm run bench <name> [-- options]\nbenchmarks: ${names.join(", ")}`);
  process.exit(2);
}
const tsx = path.join(root, "node_modules", "tsx", "dist", "cli.mjs");
process.exit(spawnSync(process.execPath, [tsx, file, ...options], { stdio: "inherit" }).status ?? 1);
