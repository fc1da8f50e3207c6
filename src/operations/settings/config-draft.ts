import { rm } from "node:fs/promises";
import { join } from "node:path";

import { sha256 } from "../../base/digest.ts";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { ensureHome, type Home, homeFiles } from "../../config/home.ts";
import { readSettings } from "../../config/load.ts";
import { type Problem, problemText } from "../../config/problem.ts";
import { keyTree } from "../../config/schema.ts";
import { replaceConfig } from "../../config/write.ts";
import { parseYaml, readBounded } from "../../config/yaml/read-yaml.ts";
import type { OperationContext, OperationFault } from "../../contracts/host/operation.ts";
import { configOutcome } from "./config-fault.ts";

/** A copy of `config.yaml` that an editor works on. */
export interface ConfigDraft {
  readonly file: string;
  readonly draft: string;
  /** Digest of `config.yaml` when the draft was opened. Undefined: the file does not exist. */
  readonly base?: string;
  /** True: the draft comes from an earlier edit with mistakes. */
  readonly resumed: boolean;
}

/** Copies `config.yaml` to a draft, or resumes the draft of an earlier edit. */
export async function openDraft(home: Home): Promise<Result<ConfigDraft, OperationFault>> {
  const ensured = configOutcome(await ensureHome(home.path));
  if (!ensured.ok) return ensured;
  const [file, draft] = pathsOf(home);
  const before = configOutcome(await readBounded(file));
  const earlier = configOutcome(await readBounded(draft));
  if (!before.ok) return before;
  if (!earlier.ok) return earlier;
  if (earlier.value === undefined) {
    const saved = await writeFileAtomic(draft, before.value ?? Buffer.from(template), { mode: 0o600 });
    if (!saved.ok) return err({ message: saved.error.message });
  }
  const base = before.value && sha256(before.value);
  return ok({ file, draft, ...(base !== undefined && { base }), resumed: earlier.value !== undefined });
}

/**
 * Deletes an unchanged draft. With `apply`, a changed one replaces `config.yaml` if it is valid and the file is still the
 * one that was copied; otherwise the draft stays.
 */
export async function closeDraft(
  home: Home,
  { base, apply }: { readonly base?: string | undefined; readonly apply: boolean },
  { signal, clock }: Pick<OperationContext, "signal" | "clock">,
): Promise<
  Result<{ readonly file: string; readonly changed: boolean; readonly warnings: readonly string[] }, OperationFault>
> {
  const [file, draft] = pathsOf(home);
  const edited = configOutcome(await readBounded(draft));
  if (!edited.ok) return edited;
  const unchanged = edited.value === undefined || sha256(edited.value) === (base ?? sha256(template));
  if (unchanged) await rm(draft, { force: true });
  if (unchanged || !apply) return ok({ file, changed: false, warnings: [] });
  const yaml = await parseYaml(draft, edited.value);
  const { faults, warnings } = yaml.ok ? readSettings(keyTree(), yaml.value) : { faults: yaml.error, warnings: [] };
  if (faults.length > 0) return err(keptDraft(file, draft, faults));
  const replaced = await replaceConfig(home, base, edited.value, { signal, clock });
  if (!replaced.ok) return err(keptDraft(file, draft, replaced.error.problems));
  await rm(draft, { force: true });
  return ok({ file, changed: true, warnings: warnings.map((warning) => problemText({ ...warning, file })) });
}

const template = "# Settings of Hermes. `hermes config show` lists the keys, their values and their origins.\n";

function pathsOf(home: Home): readonly [file: string, draft: string] {
  return [join(home.path, homeFiles.config), join(home.path, homeFiles.editedConfig)];
}

function keptDraft(file: string, draft: string, problems: readonly Problem[]): OperationFault {
  return {
    message: `${file} was not changed:\n${problems.map((problem) => `  ${problemText(problem)}`).join("\n")}`,
    hint: `Your text is saved in ${draft}; \`hermes config edit\` resumes it.`,
  };
}
