import { hash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Compiled code, and what the processes that it comes from were started for. */
export interface Kept {
  /** How much the busiest of them did. */
  readonly cpuMs: number;
  readonly uses: readonly string[];
  readonly code: Buffer;
}

/** The command, or the way of asking, without what is asked. */
export function useOf([, , first = ""]: readonly string[]): string {
  return /^-{0,2}[a-z-]{1,20}$/u.test(first) ? first : "-";
}

/**
 * V8 keeps with the code which functions were worth optimising: of a process that did more, the next ones are faster from
 * their first call on. One that runs for long has thrown code of its start away.
 */
export function isBusier(cpuMs: number, before: number): boolean {
  return cpuMs >= before * 1.5 + muchMs && cpuMs <= longestMs;
}

/** The same work takes more time on one day than on another. */
const muchMs = 100;
const longestMs = 5_000;
const mostUses = 100;
const digestBytes = 32;

/** Damaged code would end the process without a word: it is as if it were not there. */
export function readKept(file: string): Kept | undefined {
  try {
    const bytes = readFileSync(file);
    const data = bytes.subarray(digestBytes);
    if (!hash("sha256", data, "buffer").equals(bytes.subarray(0, digestBytes))) return undefined;
    const end = data.indexOf("\n");
    const [cpuMs = "", ...uses] = data.toString("utf8", 0, end).trimEnd().split(" ");
    return { cpuMs: Number(cpuMs), uses, code: data.subarray(end + 1) };
  } catch {
    return undefined;
  }
}

/** In one step, and in place of those of older builds. Where nothing can be written nothing is made. */
export function writeKept(file: string, make: () => Kept): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, "", { mode: 0o600 });
    const { cpuMs, uses, code } = make();
    const line = [cpuMs, ...uses.slice(-mostUses)].join(" ");
    // Code that does not begin at a multiple of eight is copied first.
    const data = Buffer.concat([Buffer.from(`${line.padEnd(Math.ceil((line.length + 1) / 8) * 8 - 1)}\n`), code]);
    writeFileSync(temporary, Buffer.concat([hash("sha256", data, "buffer"), data]));
    renameSync(temporary, file);
    const group = basename(file).split("-", 1)[0] ?? "";
    for (const name of readdirSync(dirname(file)))
      if (name.startsWith(`${group}-`) && name !== basename(file)) rmSync(join(dirname(file), name), { force: true });
  } catch {
    // It is compiled again next time.
    rmSync(temporary, { force: true });
  }
}
