/**
 * Finds the Python that runs programs. The real executable is asked for once: `python3` on the path may be a shell
 * script of a version manager that takes ten times as long to start.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { messageOf, SparringError } from "../../errors.ts";

export interface PythonInstallation {
  readonly executable: string;
  readonly version: string;
}

/** os.pidfd_open, which lets a worker wait for a child without races, came with 3.9. */
const oldestMinor = 9;
const usualPlaces = ["python3", "/usr/bin/python3", "/usr/local/bin/python3"];
const question = "import sys; print(sys.executable); print('%d.%d.%d' % sys.version_info[:3])";

/** The named Python, or the first usable one of the usual places. Rejects with what was tried and why it will not do. */
export async function findPython(named = process.env.SPARRING_PYTHON): Promise<PythonInstallation> {
  const refusals: string[] = [];
  for (const command of named ? [named] : usualPlaces) {
    const answer = await askPython(command);
    if ("executable" in answer) return answer;
    refusals.push(`${command}: ${answer.refusal}`);
  }
  throw new SparringError({
    code: "python-missing",
    message: `no usable Python 3 was found (${refusals.join("; ")})`,
    hint: "Install Python 3.9 or newer, name one in SPARRING_PYTHON, or use the wasm sandbox, which needs none.",
  });
}

async function askPython(command: string): Promise<PythonInstallation | { refusal: string }> {
  try {
    const { stdout } = await promisify(execFile)(command, ["-I", "-S", "-c", question], { timeout: 20_000 });
    const [executable, version] = stdout.trim().split("\n");
    const [major, minor] = (version ?? "").split(".").map(Number);
    if (!executable || !version || major !== 3 || minor === undefined) return { refusal: "is not Python 3" };
    if (minor < oldestMinor) return { refusal: `is ${version}, older than 3.${oldestMinor}` };
    return { executable, version };
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
    return { refusal: missing ? "not found" : messageOf(error).split("\n")[0]! };
  }
}
