/** Limits are part of problem files too, so they live above the rooms. */
export * from "../limits.ts";
