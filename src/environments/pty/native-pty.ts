import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type { EnvironmentError } from "../../contracts/environment/environment.ts";

/** The part of the compiled library that Node lacks. Both throw. */
export interface NativePty {
  open(columns: number, rows: number): { readonly master: number; readonly slave: number; readonly pty: string };
  resize(master: number, columns: number, rows: number): void;
}

/**
 * Its own way to start programs is not used: every child would inherit the terminals of the others, and what a program
 * wrote last would be lost when it is not read at once.
 */
export async function loadNative(): Promise<Result<NativePty, EnvironmentError>> {
  try {
    const { default: library } = await import("@lydell/node-pty/requireBinary.js");
    // Compiled code has no types of its own.
    return ok(library.requireBinary("pty.node") as NativePty);
  } catch (thrown) {
    return err({
      kind: "refused",
      message: `there are no terminals on this system: ${reasonOf(thrown).split("\n", 1)[0]}`,
      hint: "Run the command without a terminal, or install the optional package @lydell/node-pty for this system.",
    });
  }
}
