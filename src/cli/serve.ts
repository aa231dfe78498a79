/** `spar serve sandbox`: the sandbox and the judge over HTTP, for people who train with other tools. */
import { type Command, InvalidArgumentError } from "commander";
import { readSuites, type Suite } from "../evaluation/suite-file.ts";
import { requireToken } from "../server/authorization.ts";
import { createSandboxApp, type SandboxApp } from "../server/sandbox-app.ts";
import { type RunningServer, startServer } from "../server/start-server.ts";
import { printJson, printProgress } from "./output.ts";
import { addSandboxOptions, openSandbox, type SandboxFlags } from "./sandbox-options.ts";

interface ServeFlags extends SandboxFlags {
  readonly host: string;
  readonly port: number;
  readonly token?: string;
  readonly queue: number;
  readonly suites?: string;
  readonly json?: true;
}

export function addServeCommand(program: Command): void {
  const serve = program.command("serve").description("offer what sparring does over HTTP");
  const sandbox = serve
    .command("sandbox")
    .description("run and judge programs for other tools (SandboxFusion's /run_code, /judge and /reward)")
    .option("--host <address>", "address to listen on; any but loopback needs a token", "127.0.0.1")
    .option("--port <n>", "port to listen on; 0 takes any free one", portNumber, 8080)
    .option("--token <text>", "what callers must send (default: the variable SPARRING_TOKEN)")
    .option("--queue <n>", "jobs accepted at a time, running and waiting", queueNumber, 4096)
    .option("--suites <file>", "tests by problem, for /reward (spar tests generate writes them)")
    .option("--json", "say where the server listens as JSON");
  addSandboxOptions(sandbox)
    .addHelpText("after", "\nExample:\n  $ spar serve sandbox --port 8080\n  $ curl -s localhost:8080/health")
    .action(serveSandbox);
}

async function serveSandbox(flags: ServeFlags): Promise<void> {
  const token = requireToken(flags.host, flags.token ?? process.env.SPARRING_TOKEN);
  const suites = flags.suites === undefined ? new Map<string, Suite>() : await readSuites(flags.suites);
  const sandbox = await openSandbox(flags);
  try {
    const app = createSandboxApp({ sandbox, suites, token, queueLimit: flags.queue, log: printProgress });
    const server = await startServer({ app: app.app, host: flags.host, port: flags.port });
    const { kind, isolation, python, workers } = sandbox.describe();
    if (flags.json)
      printJson({ url: server.url, kind, isolation, python, workers, token: token !== undefined });
    else {
      printProgress(
        `sandbox ${kind}, isolation ${isolation}, Python ${python}, ${workers} programs at a time; ` +
          (suites.size > 0 ? `suites of ${suites.size} problems; ` : "") +
          `listening on ${server.url} (${token === undefined ? "no token, this machine only" : "token required"})`,
      );
    }
    process.exitCode = await untilStopped(app, server);
  } finally {
    await sandbox.close();
  }
}

/** The first signal lets the accepted jobs finish, the second ends them. The exit code is for whoever started us. */
async function untilStopped(app: SandboxApp, server: RunningServer): Promise<number> {
  let signals = 0;
  let finish: (exitCode: number) => void = () => {};
  const finished = new Promise<number>((resolve) => {
    finish = resolve;
  });
  const onSignal = (signal: NodeJS.Signals) => {
    signals += 1;
    if (signals > 1) {
      app.stop();
      server.cut();
      finish(130);
      return;
    }
    printProgress("finishing the accepted jobs; the same signal again stops at once");
    app
      .drain()
      .then(() => server.close())
      .then(() => finish(signal === "SIGINT" ? 130 : 0));
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  try {
    return await finished;
  } finally {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
  }
}

function portNumber(text: string): number {
  return numberBetween(text, { least: 0, most: 65_535 });
}

function queueNumber(text: string): number {
  return numberBetween(text, { least: 1, most: 1_000_000 });
}

function numberBetween(text: string, { least, most }: { least: number; most: number }): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
}
