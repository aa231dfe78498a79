import { z } from "zod";

const megabyte = 1024 * 1024;

/** What one program may use. CPU time is the limit that counts; wall time is a backstop for sleepers. */
export const limitsSchema = z.strictObject({
  caseCpuSeconds: z
    .number()
    .positive()
    .max(3600)
    .default(2)
    .describe("CPU seconds of one case; loading the program gets the same"),
  caseWallSeconds: z
    .number()
    .positive()
    .max(7200)
    .default(8)
    .describe("wall seconds of one case, stretched when the machine is busy"),
  programCpuSeconds: z
    .number()
    .positive()
    .max(7200)
    .default(30)
    .describe("CPU seconds of all cases of a program together; the cases after that are timed out unrun"),
  memoryBytes: z
    .number()
    .int()
    .min(32 * megabyte)
    .max(64 * 1024 * megabyte)
    .default(512 * megabyte)
    .describe("memory of the program's process"),
  outputBytes: z
    .number()
    .int()
    .min(1024)
    .max(64 * megabyte)
    .default(megabyte)
    .describe("what one program run may print; more ends it"),
  valueBytes: z
    .number()
    .int()
    .min(1024)
    .max(64 * megabyte)
    .default(4 * megabyte)
    .describe("size of one returned value; those of all cases together may take four times as much"),
});

export type Limits = z.infer<typeof limitsSchema>;

export const defaultLimits: Limits = limitsSchema.parse({});

/** The largest program source taken: more is not a program. */
export const maximumSourceBytes = megabyte;

/** The scratch folder of a program, and the largest file in it. */
export const scratchBytes = 16 * megabyte;
