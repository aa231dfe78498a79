import { readFileSync } from "node:fs";
import path from "node:path";
import { packageRoot } from "./package-root.ts";

const packageFile = JSON.parse(readFileSync(path.join(packageRoot, "package.json"), "utf8")) as {
  version: string;
};

export const packageVersion = packageFile.version;
