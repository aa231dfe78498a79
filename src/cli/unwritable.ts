/** A result file that cannot be written, told so that a person can mend it. */
import { messageOf, SparringError } from "../errors.ts";

export function unwritable(file: string, error: unknown): SparringError {
  if (error instanceof SparringError) return error;
  return new SparringError({
    code: "file-unwritable",
    message: `${file} cannot be written: ${messageOf(error)}`,
    hint: "Check the folder, its permissions and the room on the disk.",
    cause: error,
  });
}
