import type { Environment } from "../../src/contracts/environment/environment.ts";
import { createLocalFactory } from "../../src/environments/local/local-environment.ts";
import { localDeps } from "../../test/support/local-deps.ts";

/** A local environment with all its files below `home`. */
export async function openLocal(home: string): Promise<Environment> {
  const factory = createLocalFactory({ ...localDeps(home), env: process.env });
  const opened = await factory.open({ taskId: "bench" }, new AbortController().signal);
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}
