/** A request's body as checked data, or a clear refusal: size, media type, encoding, JSON, schema. */
import type { Context } from "hono";
import { z } from "zod";
import { RequestRefused } from "./request-refused.ts";

const megabyte = 1024 * 1024;

export async function readRequest<Schema extends z.ZodType>(
  context: Context,
  options: { schema: Schema; mostBytes: number },
): Promise<z.output<Schema>> {
  // Also what keeps web pages out: a browser does not send this type to another site without asking it first.
  const type = (context.req.header("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
  if (type !== "application/json") {
    throw new RequestRefused({
      status: 415,
      code: "not-json",
      message: `the body must be application/json, not "${type}"`,
      hint: "Add the header content-type: application/json.",
    });
  }
  const text = decodeText(await readBytes(context, options.mostBytes));
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw badRequest("invalid-json", `the body is not JSON: ${(error as Error).message.slice(0, 200)}`);
  }
  const parsed = options.schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new RequestRefused({
    status: 422,
    code: "invalid-request",
    message: z.prettifyError(parsed.error).slice(0, 2000),
    hint: "docs/serve.md shows what each endpoint takes.",
  });
}

async function readBytes(context: Context, mostBytes: number): Promise<Buffer> {
  const announced = Number(context.req.header("content-length") ?? 0);
  if (announced > mostBytes) throw tooLarge(mostBytes);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of context.req.raw.body ?? []) {
    bytes += piece.length;
    if (bytes > mostBytes) throw tooLarge(mostBytes);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function decodeText(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw badRequest("not-utf8", "the body is not UTF-8");
  }
}

function tooLarge(mostBytes: number): RequestRefused {
  return new RequestRefused({
    status: 413,
    code: "body-too-large",
    message: `the body has more than ${mostBytes / megabyte} MB`,
    hint: "Send fewer jobs at a time.",
    // What is still under way is not read.
    headers: { connection: "close" },
  });
}

function badRequest(code: string, message: string): RequestRefused {
  return new RequestRefused({ status: 400, code, message });
}
