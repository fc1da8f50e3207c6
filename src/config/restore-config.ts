import { join } from "node:path";

import { writeFileAtomic } from "../base/files/atomic-file.ts";
import { err, ok, type Result } from "../base/result.ts";
import { type Home, homeFiles } from "./home.ts";
import { lastGood, lostTextProblem } from "./last-good.ts";
import type { ConfigFault } from "./problem.ts";
import { parseSettings, readBounded } from "./yaml/read-yaml.ts";

/** Saves the file for `restoreConfig`, unless it is damaged. */
export async function saveLastGood(home: Home): Promise<void> {
  const file = join(home.path, homeFiles.config);
  const bytes = await readBounded(file);
  if (!bytes.ok || bytes.value === undefined || lostTextProblem(home, bytes.value)) return;
  if (lastGood(home)?.equals(bytes.value) || !(await parseSettings(file, bytes.value)).ok) return;
  await writeFileAtomic(join(home.path, homeFiles.lastConfig), bytes.value, { mode: 0o600 });
}

/** Restores the last good settings, or accepts the current file. False: nothing to do. */
export async function restoreConfig(
  home: Home,
  { discard }: { readonly discard: boolean },
): Promise<Result<boolean, ConfigFault>> {
  const file = join(home.path, homeFiles.config);
  const good = lastGood(home);
  const bytes = await readBounded(file);
  if (!bytes.ok) return err({ problems: [bytes.error] });
  if (good === undefined || bytes.value?.equals(good)) return ok(false);
  const written = discard
    ? await writeFileAtomic(join(home.path, homeFiles.lastConfig), bytes.value ?? "", { mode: 0o600 })
    : await writeFileAtomic(file, good, { mode: 0o600 });
  return written.ok ? ok(true) : err({ problems: [{ message: written.error.message, hint: "nothing was written" }] });
}
