/**
 * Wrong programs by problem, each text once, in the order in which they came. What is added is reported to whoever
 * keeps the journal, so that a resumed run has the same bank.
 */
export interface BankEntry {
  readonly problemId: string;
  readonly source: string;
}

export class ProgramBank {
  readonly #programs = new Map<string, Set<string>>();
  readonly #mostPerProblem: number;
  #size = 0;

  constructor(options: { mostPerProblem: number }) {
    this.#mostPerProblem = options.mostPerProblem;
  }

  get size(): number {
    return this.#size;
  }

  programs(problemId: string): readonly string[] {
    return [...(this.#programs.get(problemId) ?? [])];
  }

  /** Whether it was new. A full problem lets its oldest program go. */
  add({ problemId, source }: BankEntry): boolean {
    const programs = this.#programs.get(problemId) ?? new Set<string>();
    this.#programs.set(problemId, programs);
    if (programs.has(source)) return false;
    programs.add(source);
    this.#size += 1;
    if (programs.size > this.#mostPerProblem) {
      const [oldest] = programs;
      programs.delete(oldest!);
      this.#size -= 1;
    }
    return true;
  }
}
