import { err, ok, type Result } from "../../base/result.ts";
import { createMask } from "../../base/text/mask.ts";
import type { CommandDefaults } from "../../contracts/environment/environment.ts";
import type { SudoUse } from "../../contracts/safety/command-analysis.ts";
import type { ResolvedEffect } from "../../contracts/tool/effect.ts";

/** A command line to run, with the requirements of its `sudo` calls. */
export interface SudoLine {
  readonly command: string;
  readonly usesSudo: boolean;
  /** The password, passed only to the environment and never part of a text. */
  readonly password?: string;
  /** The reason why there is no password. */
  readonly without?: string;
}

/** Returns every `sudo` of the command that a call runs, from its analysis. */
export function sudoUses(effects: readonly ResolvedEffect[]): readonly SudoUse[] {
  return effects.flatMap((effect) => (effect.kind === "exec" ? (effect.analysis?.sudo ?? []) : []));
}

/**
 * Asks for the password if a `sudo` in the line would need one. Without a password the line runs unchanged. Returns an
 * error if the line passes its own password to sudo, because that can only be a guess.
 */
export async function withSudo(
  command: string,
  uses: readonly SudoUse[],
  defaults: CommandDefaults,
  signal: AbortSignal,
): Promise<Result<SudoLine, string>> {
  if (uses.length === 0) return ok({ command, usesSudo: false });
  const given = await defaults.sudoPassword(signal);
  if (given.ok) return ok({ command: asking(command, uses), usesSudo: true, password: given.value });
  if (uses.some(({ readsGiven }) => readsGiven)) return err(`${guessed} (${given.error.reason}).`);
  return ok({ command, usesSudo: true, without: given.error.reason });
}

/** Like `withSudo`, for a background process, which cannot get a password: returns a notice if needed. */
export function sudoInBackground(uses: readonly SudoUse[]): Result<string | undefined, string> {
  if (uses.some(({ readsGiven }) => readsGiven)) return err(`${guessed}. Run it in the foreground.`);
  return ok(uses.length === 0 ? undefined : backgroundNote);
}

const backgroundNote =
  "sudo gets no password in the background: if it needs one, it fails. Run commands that need sudo in the foreground.";

const guessed =
  "Not run: it hands sudo a password (-S), and none is known here. Never guess or write passwords: use sudo without -S; " +
  "the person is asked, or sets SUDO_PASSWORD";

/** Returns whether sudo rejected the password, or needed one that was not given. */
export function isSudoFailure(output: string): boolean {
  return failures.test(output);
}

const failures =
  /sudo: (?:\d+ incorrect password attempts?|no password was provided|a password is required|a terminal is required|no tty present|no askpass program|unable to read password|sorry, a password is required)|^Sorry, try again\.$|Authentication failed, try again\./mu;

/** Returns the text without the password in any form. */
export function hidePassword(text: string, password: string | undefined): string {
  if (password === undefined || password === "") return text;
  const mask = createMask();
  mask.add(password);
  return mask.redact(text).replaceAll(password, "***");
}

function asking(command: string, uses: readonly SudoUse[]): string {
  let line = command;
  for (const { edit } of uses.toSorted((a, b) => b.edit.from - a.edit.from)) {
    line = line.slice(0, edit.from) + edit.text + line.slice(edit.to);
  }
  return line;
}
