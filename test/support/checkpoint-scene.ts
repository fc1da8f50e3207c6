import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import type { JsonObject } from "../../src/base/json.ts";
import type { Checkpoints } from "../../src/contracts/knowledge/checkpoint.ts";
import type { Session } from "../../src/contracts/session/runtime.ts";
import { runtimeRig } from "./runtime-rig.ts";
import { scriptedModel } from "./scripted-model.ts";

/** A session in its own project, whose model makes the calls that a test lists. */
export interface CheckpointScene extends AsyncDisposable {
  readonly project: string;
  readonly session: Session;
  readonly checkpoints: Checkpoints;
  /** Runs one turn with these calls, one after the other. Returns their results as text. */
  call(...calls: readonly (readonly [tool: string, args: JsonObject])[]): Promise<readonly string[]>;
  run(command: string): Promise<string>;
}

export async function checkpointScene(
  folder: string,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<CheckpointScene> {
  const project = join(folder, "project");
  await mkdir(project, { recursive: true });
  let waiting: (readonly [string, JsonObject])[] = [];
  let ids = 0;
  const model = scriptedModel(() => {
    const next = waiting.shift();
    if (!next) return { text: "Done." };
    return { calls: [{ name: next[0], args: next[1], id: `call_${process.pid}_${++ids}` }] };
  });
  const runtime = await runtimeRig({
    folder,
    cwd: project,
    model,
    settings: { "approvals.mode": "yolo", "tools.tool_search.enabled": "off", ...settings },
  });
  const session = await runtime.openSession({ source: "test" });
  const { checkpoints } = session;
  if (!checkpoints) {
    await runtime[Symbol.asyncDispose]();
    throw new Error("checkpoints are off");
  }

  async function call(...calls: readonly (readonly [string, JsonObject])[]): Promise<readonly string[]> {
    waiting = [...calls];
    const before = session.history().length;
    await session.prompt([{ type: "text", text: "go" }]).done;
    return session
      .history()
      .slice(before)
      .flatMap((message) =>
        message.role === "tool"
          ? [message.content.map((part) => (part.type === "text" ? part.text : "")).join("")]
          : [],
      );
  }

  return {
    project,
    session,
    checkpoints,
    call,
    run: async (command) => (await call(["terminal", { command }]))[0] ?? "",
    [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose](),
  };
}
