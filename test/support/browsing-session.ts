import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { JsonObject } from "../../src/base/json.ts";
import { runtimeRig } from "./runtime-rig.ts";
import { scriptedModel } from "./scripted-model.ts";
import { tempHome } from "./temp-home.ts";

type BrowserCall = readonly [name: string, args?: JsonObject];

/** A session of the whole runtime whose model makes one call per prompt. */
export async function browsingSession(calls: readonly BrowserCall[], browser: JsonObject, secrets = "") {
  const stack = new AsyncDisposableStack();
  const home = stack.use(await tempHome());
  const cwd = join(home.path, "project");
  await mkdir(cwd);
  await mkdir(join(home.path, ".hermes"), { mode: 0o700 });
  await writeFile(join(home.path, ".hermes", "config.yaml"), JSON.stringify({ browser }));
  await writeFile(join(home.path, ".hermes", ".env"), secrets, { mode: 0o600 });
  const answers = calls.flatMap(([name, args = {}]) => [{ calls: [{ name, args }] }, { text: "done" }]);
  const runtime = stack.use(await runtimeRig({ folder: home.path, cwd, model: scriptedModel(answers) }));
  const session = stack.use(await runtime.openSession({ source: "test" }));
  return {
    home: join(home.path, ".hermes"),
    /** The result of the next call. */
    async next(): Promise<string> {
      await session.prompt([{ type: "text", text: "go" }]).done;
      const [last] = session
        .history()
        .filter(({ role }) => role === "tool")
        .slice(-1);
      return JSON.stringify(last);
    },
    endSession: () => session[Symbol.asyncDispose](),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
