import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import type { CodeRunLanguage } from "../../src/contracts/code/code-run.ts";
import { runtimeRig } from "./runtime-rig.ts";
import { type ScriptedAnswer, scriptedModel } from "./scripted-model.ts";
import { tempHome } from "./temp-home.ts";
import { textOf } from "./turn-rig.ts";

/** The result of `execute_code` as the model reads it. */
export interface CodeResult {
  readonly status: string;
  readonly output: string;
  readonly errors?: string;
  readonly exit_code?: number;
  readonly tool_calls_made: number;
  readonly stdout_bytes_total: number;
  readonly full_output_path?: string;
  readonly lost?: string;
  readonly warning?: string;
  readonly error?: string;
}

export interface CodeRigOptions {
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The files of the workspace, by their path in it. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface ScriptOptions {
  readonly language?: CodeRunLanguage;
  readonly isKernel?: boolean;
}

/** A session whose model runs the given scripts and nothing else. Real tools, store, policy and sandbox; nobody answers questions. */
export async function codeRig({ settings = {}, files = {} }: CodeRigOptions = {}) {
  await using stack = new AsyncDisposableStack();
  const home = stack.use(await tempHome());
  const work = join(home.path, "work");
  mkdirSync(join(work, ".git"), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), text);
  }
  let next: ScriptedAnswer[] = [];
  const model = scriptedModel(() => next.shift() ?? { text: "done" });
  const runtime = stack.use(
    await runtimeRig({ folder: home.path, cwd: work, model, settings: { "approvals.mode": "yolo", ...settings } }),
  );
  const session = stack.use(await runtime.openSession({ source: "test" }));
  const owned = stack.move();

  async function run(code: string, { language = "python", isKernel = false }: ScriptOptions = {}): Promise<CodeResult> {
    next = [{ calls: [{ name: "execute_code", args: { code, language, kernel: isKernel } }] }];
    const outcome = await session.prompt([{ type: "text", text: "go" }]).done;
    assert.equal(outcome.reason, "answered", outcome.why);
    const last = session.history().findLast((message) => message.role === "tool");
    const text = textOf(last);
    try {
      return JSON.parse(text) as CodeResult;
    } catch {
      throw new Error(`not a result of execute_code: ${text.slice(0, 2_000)}`);
    }
  }

  return {
    home: home.path,
    work,
    session,
    run,
    /** The output of a script that must succeed. */
    async printed(code: string, options: ScriptOptions = {}): Promise<string> {
      const result = await run(code, options);
      assert.equal(result.status, "success", JSON.stringify(result));
      return result.output.trim();
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
