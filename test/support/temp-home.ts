import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TempHome extends AsyncDisposable {
  /** A real path: no symlink in it. */
  readonly path: string;
}

/** An empty temporary folder: `await using home = await tempHome()`. It is deleted at the end of the block. */
export async function tempHome(parent = tmpdir()): Promise<TempHome> {
  const path = await realpath(await mkdtemp(join(parent, "hermes-test-")));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) };
}
