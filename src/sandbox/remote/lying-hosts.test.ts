/** Hosts that are broken or lie: another one is asked, and no program is blamed. */
import type http from "node:http";
import { describe, expect, it } from "vitest";
import type { ProgramJob } from "../sandbox.ts";
import {
  answering,
  connect,
  goodReport,
  health,
  job,
  line,
  pretending,
  serve,
  stranger,
  value,
} from "./remote-hosts.test.support.ts";

describe("hosts that lie", () => {
  const half = { ...goodReport, observations: goodReport.observations.slice(1) };
  const lies: [string, http.RequestListener][] = [
    ["says nothing", (_, response) => response.end()],
    [
      "answers a web page",
      (_, response) => response.setHeader("content-type", "text/html").end("<html>ok</html>"),
    ],
    [
      "answers a redirect",
      (_, response) => response.writeHead(302, { location: "http://127.0.0.1:1/run" }).end(),
    ],
    ["is not JSON", (_, response) => response.end('{"id":0,"report":')],
    ["has no report", (_, response) => response.end(line({ id: 0 }))],
    ["is null", (_, response) => response.end(line(null))],
    ["forgets an observation", (_, response) => response.end(line({ id: 0, report: half }))],
    ["answers twice", (_, response) => response.end(line({ id: 0, report: goodReport }).repeat(2))],
    [
      "makes up a value",
      (_, response) => response.end(line({ id: 0, report: { ...goodReport, observations: [value, value] } })),
    ],
    [
      "claims outcomes",
      (_, response) =>
        response.end(
          line({ id: 0, report: { ...goodReport, observations: [{ kind: "passed" }, { kind: "passed" }] } }),
        ),
    ],
    [
      "breaks off",
      (_, response) =>
        response.writeHead(200, { "content-length": "5000" }).write("{", () => response.destroy()),
    ],
    ["hangs up", (request) => request.socket.destroy()],
    ["sends bytes that are no HTTP", (request) => request.socket.end("garbage\r\n\r\n")],
    ["refuses", (_, response) => response.writeHead(401).end()],
    ["sends no end of blank lines", (_, response) => flood(response, "\n".repeat(65536))],
    ["is silent", () => {}],
    ["trickles", (_, response) => trickle(response)],
  ];

  function flood(response: http.ServerResponse, piece: string): void {
    const push = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on("drain", push);
    push();
  }

  function trickle(response: http.ServerResponse): void {
    const timer = setInterval(() => response.write("\n"), 20);
    response.once("close", () => clearInterval(timer));
  }

  it.each(lies)("%s: another host is asked, and without one the cases are infrastructure", async (_, lie) => {
    const liar = await stranger(pretending(lie));
    const honest = await serve(answering(3));
    const patience = { silenceSeconds: 0.5, queueSeconds: 0.5 };
    const quick: ProgramJob = {
      ...job,
      limits: { ...job.limits, caseWallSeconds: 0.01, programCpuSeconds: 0.1 },
    };
    const both = await connect([liar.url, honest.url], { patience, perHost: 1 });
    const reports = await Promise.all([both.sandbox.run(quick), both.sandbox.run(quick)]);
    for (const { observations } of reports) expect(observations).toEqual([value(3), value(3)]);
    const alone = await connect([liar.url], { patience, attempts: 2 });
    const { observations } = await alone.sandbox.run(quick);
    expect(observations.map(({ kind }) => kind)).toEqual(["infrastructure", "infrastructure"]);
  });

  it("a lie about itself: it is not used", async () => {
    for (const claim of [
      { ...health, sandbox: { ...health.sandbox, isolation: "perfect" } },
      [],
      "ok",
      null,
    ]) {
      const liar = await stranger((_, response) => response.end(JSON.stringify(claim)));
      await expect(connect([liar.url])).rejects.toMatchObject({ code: "remote-unreachable" });
    }
  });
});
