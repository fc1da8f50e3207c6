import { spawn } from "node:child_process";

import { reasonOf } from "../../base/result.ts";
import { type CliContext, CommandFailed } from "./command.ts";

/** The command line of the user's editor. `instead` is the hint if there is none. */
export function editorOf({ env, io }: CliContext, instead: string): string {
  const editor = env["VISUAL"] || env["EDITOR"] || (io.stdinIsTerminal ? "vi" : undefined);
  if (editor !== undefined) return editor;
  throw new CommandFailed("No editor is configured.", `Set VISUAL or EDITOR, or ${instead}.`);
}

/** Returns the reason of a failure. A shell runs the editor, as git does, because it may have arguments (`code --wait`). */
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
