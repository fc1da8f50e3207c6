import { existsSync, statSync } from "node:fs";
import { join } from "node:path";

import { ensureHome, type Home, homeFiles, tightenMode } from "../../config/home.ts";
import { problemText } from "../../config/problem.ts";
import type { OperationContext } from "../../contracts/host/operation.ts";

/** The outcome of the repairs, as sentences that say what was done, or why not. */
export interface Repairs {
  readonly done: readonly string[];
  readonly failed: readonly string[];
}

/** Files that hold keys or texts of the user. */
const privateFiles = ["env", "config", "credentials", "typedLines", "sessions", "mcpServeToken"] as const;

/**
 * Repairs that cannot lose anything: creates the home, removes the access of other users, renames deprecated keys.
 * Never deletes data.
 */
export async function repairHome(home: Home, ctx: Pick<OperationContext, "signal" | "clock">): Promise<Repairs> {
  const done: string[] = [];
  const failed: string[] = [];
  const tell = (sentence: string | undefined) => {
    if (sentence === undefined) return;
    (sentence.includes("another owner") ? failed : done).push(`${sentence}.`);
  };
  if (!existsSync(home.path)) {
    const created = await ensureHome(home.path);
    if (!created.ok) return { done, failed: [problemText(created.error)] };
    done.push(`Created ${home.path}.`);
  }
  tell(tightenMode(home.path, 0o700));
  for (const name of privateFiles) tell(tightenMode(join(home.path, homeFiles[name]), 0o600));
  const logs = join(home.path, homeFiles.logs);
  if (statSync(logs, { throwIfNoEntry: false })?.isDirectory()) tell(tightenMode(logs, 0o700));
  const { migrateConfig, planMigration } = await import("../../config/keys/migrate.ts");
  const { readYaml } = await import("../../config/yaml/read-yaml.ts");
  const yaml = await readYaml(join(home.path, homeFiles.config));
  const plan = yaml.ok && yaml.value !== undefined ? await planMigration(yaml.value) : undefined;
  if (plan?.ok && (plan.value?.notices.length ?? 0) > 0) {
    const moved = await migrateConfig(home, ctx);
    if (moved.ok) done.push(...moved.value.map((move) => `config.yaml: ${move}.`));
    else failed.push(...moved.error.problems.map(problemText));
  }
  return { done, failed };
}
