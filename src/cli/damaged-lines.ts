/** Lines of a journal that cannot be read cost what they held, which is done again: nobody should wonder why. */
import type { KeyedJournal } from "../runs/keyed-journal.ts";
import { counted } from "./counted.ts";
import { printProgress } from "./output.ts";

export function warnOfDamage(file: string, { damagedLines }: Pick<KeyedJournal<unknown>, "damagedLines">) {
  if (damagedLines === 0) return;
  const lines = counted(damagedLines, "line");
  printProgress(`warning: ${lines} of ${file} cannot be read; what stood there is done again`);
}
