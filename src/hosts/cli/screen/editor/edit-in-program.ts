import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { removeTree } from "../../../../base/files/remove-tree.ts";
import { makeTempFolder, removeOrphanedFolders } from "../../../../base/files/temp-folder.ts";
import { err, ok, reasonOf, type Result } from "../../../../base/result.ts";
import { runEditor } from "../../run-editor.ts";

export interface ProgramPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Gives the terminal to the program while it runs. */
  lend<Value>(work: () => Promise<Value>): Promise<Value>;
}

/**
 * Opens a text in the user's editor, in a file that only they can read. If the program fails, nothing changes. Line
 * ends at the end of the file are not part of the text.
 */
export async function editInProgram(text: string, { env, signal, lend }: ProgramPlace): Promise<Result<string>> {
  const program = env["VISUAL"] || env["EDITOR"] || (process.platform === "win32" ? "notepad" : "vi");
  let folder: string | undefined;
  try {
    removeOrphanedFolders(tmpdir());
    folder = makeTempFolder(tmpdir(), "draft");
    const file = join(folder, "prompt.md");
    await writeFile(file, text === "" ? "" : `${text}\n`, { mode: 0o600 });
    const failure = await lend(() => runEditor(program, file, signal));
    if (failure) return err({ message: failure.message });
    return ok((await readFile(file, "utf8")).replace(/(?:\r?\n)+$/u, ""));
  } catch (thrown) {
    return err({ message: `The editor could not be used: ${reasonOf(thrown)}` });
  } finally {
    if (folder !== undefined) await removeTree(folder).catch(() => {});
  }
}
