import { rm } from "node:fs/promises";
import { join } from "node:path";

import { systemClock } from "../../../base/clock.ts";
import { sha256 } from "../../../base/digest.ts";
import { writeFileAtomic } from "../../../base/files/atomic-file.ts";
import { ensureHome, type Home, homeFiles } from "../../../config/home.ts";
import { readSettings } from "../../../config/load.ts";
import { type Problem, problemText } from "../../../config/problem.ts";
import { keyTree } from "../../../config/schema.ts";
import { replaceConfig } from "../../../config/write.ts";
import { parseYaml, readBounded } from "../../../config/yaml/read-yaml.ts";
import { type CliContext, CommandFailed, type Reply } from "../command.ts";
import { valueOf } from "../config-faults.ts";
import { editorOf, runEditor } from "../run-editor.ts";

/** Edits a copy. It replaces `config.yaml` only when it can be used and the file is still the one that was copied. */
export async function editConfig(home: Home, ctx: CliContext): Promise<Reply> {
  const editor = editorOf(ctx, "use `hermes config set`");
  valueOf(await ensureHome(home.path));
  const file = join(home.path, homeFiles.config);
  const draft = join(home.path, homeFiles.editedConfig);
  const before = await bytesOf(file);
  const kept = await bytesOf(draft);
  if (kept === undefined) await save(draft, before ?? Buffer.from(template));
  else ctx.io.warn(`Going on with ${draft}, which was kept aside.\n`);
  const failed = await runEditor(editor, draft, ctx.signal);
  const after = await bytesOf(draft);
  const isSame = after === undefined || after.equals(before ?? Buffer.from(template));
  if (isSame) await rm(draft, { force: true });
  if (failed !== undefined) throw failed;
  if (isSame) return { data: { file, changed: false }, text: "Nothing was changed." };
  const { faults, warnings } = await problemsIn(draft, after);
  if (faults.length > 0) throw keptAside(file, draft, faults);
  const replaced = await replaceConfig(home, before === undefined ? undefined : sha256(before), after, {
    signal: ctx.signal,
    clock: systemClock,
  });
  if (!replaced.ok) throw keptAside(file, draft, replaced.error.problems);
  await rm(draft, { force: true });
  const told = warnings.map((warning) => `${ctx.paint.warn("warning:")} ${problemText({ ...warning, file })}`);
  return {
    data: { file, changed: true, warnings: warnings.map((warning) => problemText({ ...warning, file })) },
    text: [...told, `${file} was changed.`].join("\n"),
  };
}

const template = "# Settings of Hermes. `hermes config show` lists the keys, their values and where they come from.\n";

async function bytesOf(file: string): Promise<Buffer | undefined> {
  const bytes = valueOf(await readBounded(file));
  return bytes;
}

async function save(file: string, bytes: Buffer): Promise<void> {
  const written = await writeFileAtomic(file, bytes, { mode: 0o600 });
  if (!written.ok) throw new CommandFailed(written.error.message);
}

async function problemsIn(
  file: string,
  bytes: Buffer,
): Promise<{ readonly faults: readonly Problem[]; readonly warnings: readonly Problem[] }> {
  const yaml = await parseYaml(file, bytes);
  return yaml.ok ? readSettings(keyTree(), yaml.value) : { faults: yaml.error, warnings: [] };
}

function keptAside(file: string, draft: string, problems: readonly Problem[]): CommandFailed {
  const lines = problems.map((problem) => `  ${problemText(problem)}`);
  return new CommandFailed(
    `${file} was not changed:\n${lines.join("\n")}`,
    `Your text is kept in ${draft}; \`hermes config edit\` goes on with it.`,
  );
}
