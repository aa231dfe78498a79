import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { scriptedSandbox } from "../scripted-sandbox.test.support.ts";
import {
  answering,
  connect,
  goodReport,
  job,
  line,
  nobody,
  pretending,
  serve,
  stranger,
  value,
} from "./remote-hosts.test.support.ts";

describe("connecting", () => {
  it("describes all hosts together, as strong as the weakest", async () => {
    const [strong, weak] = [
      await serve(answering(1)),
      await serve({
        ...answering(1),
        describe: () => ({ ...answering(1).describe(), isolation: "filtered", workers: 3 }),
      }),
    ];
    const { sandbox } = await connect([strong.url, `${weak.url}/run_code`, nobody]);
    expect(sandbox.describe()).toMatchObject({
      kind: "remote",
      isolation: "filtered",
      integrity: "values",
      python: "3.11.0",
      workers: 4,
      layers: [
        { active: true },
        { active: true },
        { active: false, detail: expect.stringContaining("ECONNREFUSED") },
      ],
    });
  });

  it.each([
    ["no hosts", [], "remote-no-hosts"],
    ["no address", ["machine:8080"], "remote-address"],
    ["no web address", ["ftp://machine"], "remote-address"],
    ["nobody there", [nobody], "remote-unreachable"],
  ])("fails clearly with %s", async (_, urls, code) => {
    await expect(connect(urls)).rejects.toMatchObject({ code, hint: expect.any(String) });
  });

  it("needs the right token", async () => {
    const { url } = await serve(answering(1), { token: "right" });
    const withToken = (token?: string) =>
      connect([], { protocol: "sparring", hosts: [token === undefined ? { url } : { url, token }] });
    await expect(withToken()).rejects.toThrow(/token/);
    await expect(withToken("wrong")).rejects.toThrow(/token/);
    const { sandbox } = await withToken("right");
    expect((await sandbox.run(job)).observations).toEqual([value(1), value(1)]);
  });

  it("does not use a host below the demanded isolation, and notices when one sinks", async () => {
    const weak = {
      ...answering(1),
      describe: () => ({ ...answering(1).describe(), isolation: "limits" as const }),
    };
    const { url } = await serve(weak);
    await expect(connect([url], { demand: "full" })).rejects.toThrow(/below the demanded/);
    const sinking = await serve(answering(1, { isolation: "limits" }));
    const { sandbox } = await connect([sinking.url], { demand: "full" });
    expect((await sandbox.run(job)).observations[0]).toMatchObject({ kind: "infrastructure" });
  });
});

describe("running", () => {
  it("sends arguments and never expects answers, passes alone on, and gives the host's report", async () => {
    const host = answering(5, { denied: 2, cpuSeconds: 0.25, underLoad: true });
    const { url } = await serve(host);
    const { sandbox } = await connect([url]);
    const report = await sandbox.run(job, { alone: true });
    expect(report).toMatchObject({
      loaded: true,
      observations: [value(5), value(5)],
      denied: 2,
      cpuSeconds: 0.25,
      underLoad: true,
      isolation: "full",
    });
    expect(host.asked[0]!.job).toEqual(job);
    expect(host.asked[0]!.options.alone).toBe(true);
  });

  it("spreads jobs over the hosts", async () => {
    const hosts = [answering(1), answering(2)];
    const servers = await Promise.all(hosts.map((host) => serve(host)));
    const { sandbox } = await connect(
      servers.map(({ url }) => url),
      { perHost: 4 },
    );
    await Promise.all(Array.from({ length: 8 }, () => sandbox.run(job)));
    expect(hosts.map(({ asked }) => asked.length)).toEqual([4, 4]);
  });

  it("goes on with the others when a host is killed, and comes back to it when it lives again", async () => {
    const [first, second] = [answering(1), answering(2)];
    const doomed = await serve(first);
    const other = await serve(second);
    const { sandbox } = await connect([doomed.url, other.url]);
    await doomed.close();
    const reports = await Promise.all(Array.from({ length: 6 }, () => sandbox.run(job)));
    for (const { observations } of reports) expect(observations).toEqual([value(2), value(2)]);
    await other.close();
    expect((await sandbox.run(job)).observations[0]).toMatchObject({
      kind: "infrastructure",
      message: expect.stringContaining("no sandbox host gave an answer"),
    });
    await serve(answering(3), { port: doomed.server.port });
    expect((await sandbox.run(job)).observations).toEqual([value(3), value(3)]);
  });

  it("waits for a busy host as long as it asks, and holds nothing against it", async () => {
    let busy = 3;
    const host = await stranger(
      pretending((_, response) => {
        if (busy-- > 0) response.writeHead(429, { "retry-after": "7" }).end("{}");
        else response.end(line({ id: 0, report: goodReport }));
      }),
    );
    const { sandbox, waits } = await connect([host.url], { attempts: 1 });
    expect((await sandbox.run(job)).observations).toEqual([value(7), value(7)]);
    expect(waits).toEqual([7, 7, 7]);
  });

  it("gives up on a host that is busy for ever", async () => {
    const host = await stranger(pretending((_, response) => response.writeHead(503).end()));
    const { sandbox } = await connect([host.url], { attempts: 2, patience: { queueSeconds: 10 } });
    expect((await sandbox.run(job)).observations[0]).toMatchObject({ kind: "infrastructure" });
    expect(host.asked.length).toBeLessThan(20);
  });

  it("tries exactly as often as it was told, resting in between", async () => {
    const host = await stranger(pretending((_, response) => response.writeHead(500).end("oops")));
    const { sandbox, waits } = await connect([host.url], { attempts: 3 });
    await sandbox.run(job);
    expect(host.asked).toEqual(["/health", "/run", "/run", "/run"]);
    expect(waits).toEqual([0.5, 1]);
  });

  it("takes nothing from a source that is too large to be a program", async () => {
    const host = answering(1);
    const { url } = await serve(host);
    const { sandbox } = await connect([url]);
    const report = await sandbox.run({ ...job, source: "#".repeat(5_000_000) });
    expect(report.observations[0]).toMatchObject({ kind: "did-not-load", error: { type: "SourceTooLarge" } });
    expect(host.asked).toEqual([]);
  });
});

describe("leaving", () => {
  /** Tells when a job arrives and when its caller leaves. */
  function patientSandbox() {
    let arrive = () => {};
    let leave = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const sandbox = scriptedSandbox(async (_, { signal }) => {
      arrive();
      await once(signal!, "abort");
      leave();
      throw signal!.reason;
    });
    return { sandbox, arrived, left };
  }

  it("an aborted job rejects with the reason and is cancelled at the host", async () => {
    const { sandbox: host, arrived, left } = patientSandbox();
    const { url } = await serve(host);
    const { sandbox } = await connect([url]);
    const stop = new AbortController();
    const running = sandbox.run(job, { signal: stop.signal });
    const waiting = sandbox.run(job, { signal: stop.signal });
    await arrived;
    stop.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
    await expect(waiting).rejects.toThrow("enough");
    await left;
    await expect(sandbox.run(job, { signal: AbortSignal.abort(new Error("before")) })).rejects.toThrow(
      "before",
    );
  });

  it("closing ends what runs and refuses what comes", async () => {
    const { sandbox: host, arrived, left } = patientSandbox();
    const { url } = await serve(host);
    const { sandbox } = await connect([url]);
    const running = sandbox.run(job);
    running.catch(() => {});
    await arrived;
    await sandbox.close();
    await expect(running).rejects.toMatchObject({ code: "sandbox-closed" });
    await expect(sandbox.run(job)).rejects.toMatchObject({ code: "sandbox-closed" });
    await left;
  });

  it("also while it rests between two attempts", async () => {
    const host = await stranger(pretending((_, response) => response.writeHead(500).end()));
    const stop = new AbortController();
    const { sandbox } = await connect([host.url], {
      sleep: async (_, signal) => {
        stop.abort(new Error("enough"));
        signal?.throwIfAborted();
      },
    });
    await expect(sandbox.run(job, { signal: stop.signal })).rejects.toThrow("enough");
  });
});
