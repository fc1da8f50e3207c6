/** What is wrong with a pattern, and where: an index into its characters. */
export interface PatternFault {
  readonly at: number;
  readonly what: string;
}

/** Thrown and caught within the translation of a pattern. */
export class PatternError extends Error {
  readonly at: number;

  constructor(at: number, what: string) {
    super(what);
    this.at = at;
  }
}

/** Flags that hold at a place of a pattern, with ripgrep's letters. */
export interface PatternFlags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
  readonly U: boolean;
  readonly u: boolean;
  readonly x: boolean;
}

/** The characters of a pattern, one after the other. */
export class PatternReader {
  readonly #chars: readonly string[];
  at = 0;

  constructor(pattern: string) {
    this.#chars = Array.from(pattern);
  }

  get isAtEnd(): boolean {
    return this.at >= this.#chars.length;
  }

  peek(ahead = 0): string {
    return this.#chars[this.at + ahead] ?? "";
  }

  next(): string {
    return this.#chars[this.at++] ?? "";
  }

  /** Goes past `text` when it is next. */
  takes(text: string): boolean {
    const chars = Array.from(text);
    if (!chars.every((char, index) => this.peek(index) === char)) return false;
    this.at += chars.length;
    return true;
  }

  /** All before `end`, which is gone past. */
  upTo(end: string, what: string): string {
    const from = this.at;
    const found = this.#chars.indexOf(end, from);
    if (found < 0) this.fail(what, from - 1);
    this.at = found + 1;
    return this.#chars.slice(from, found).join("");
  }

  /** With the flag x, blanks and comments mean nothing. */
  skipBlanks({ x }: PatternFlags): void {
    if (!x) return;
    for (;;) {
      if (/^\s$/u.test(this.peek())) this.at++;
      else if (this.peek() === "#") while (!this.isAtEnd && this.next() !== "\n");
      else return;
    }
  }

  fail(what: string, at = this.at): never {
    throw new PatternError(Math.min(at, this.#chars.length), what);
  }
}
