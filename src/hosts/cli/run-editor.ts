import { spawn } from "node:child_process";

import { reasonOf } from "../../base/result.ts";
import { type CliContext, CommandFailed } from "./command.ts";

/** The command line of the person's editor. `instead`: what can be done without one. */
export function editorOf({ env, io }: CliContext, instead: string): string {
  const editor = env["VISUAL"] || env["EDITOR"] || (io.stdinIsTerminal ? "vi" : undefined);
  if (editor !== undefined) return editor;
  throw new CommandFailed("No editor is configured.", `Set VISUAL or EDITOR, or ${instead}.`);
}

/** Why it failed, if it did. The editor may be a command line of its own (`code --wait`): the shell reads it, as with git. */
export async function runEditor(editor: string, file: string, signal: AbortSignal): Promise<CommandFailed | undefined> {
  const child =
    process.platform === "win32"
      ? spawn(`${editor} "${file}"`, { shell: true, stdio: "inherit", signal })
      : spawn("sh", ["-c", `${editor} "$@"`, editor, file], { stdio: "inherit", signal });
  const { promise, resolve } = Promise.withResolvers<CommandFailed | undefined>();
  child.once("error", (thrown) =>
    resolve(new CommandFailed(`Cannot start the editor: ${reasonOf(thrown)}`, "Set VISUAL or EDITOR.")),
  );
  child.once("close", (code) =>
    resolve(code === 0 ? undefined : new CommandFailed(`The editor exited with code ${code}; nothing was changed.`)),
  );
  return promise;
}
