/**
 * Compares ten workflows, each solved with single calls (as a strong model makes them) and with one script: model
 * calls, tokens and time. Both variants run over the wire and must reach the same result. Tokens include everything
 * that is sent again with each request.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { systemClock as clock } from "../src/base/clock.ts";
import { createHttp } from "../src/base/http/http-client.ts";
import { isObject, type JsonObject, parsedObject } from "../src/base/json.ts";
import { reasonOf } from "../src/base/result.ts";
import { runtimeRig } from "../test/support/runtime-rig.ts";
import { tempHome } from "../test/support/temp-home.ts";
import { wireModel } from "../test/support/wire-model.ts";
import { startModelServer } from "../test/support/wire-servers/model-server.ts";
import type { RecordedRequest, ScriptedTurn } from "../test/support/wire-servers/turn.ts";
import { changingWorkflows } from "./support/changing-workflows.ts";
import { report, rounded } from "./support/measure.ts";
import { readingWorkflows, sitePage } from "./support/reading-workflows.ts";
import { outputOf, type SingleCalls, type Workflow, writeFiles } from "./support/workflow.ts";

const quick = process.argv.includes("--quick");

interface Side {
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly tokens: number;
  readonly ms: number;
}

const server = createServer((request, response) => response.end(sitePage(request.url ?? "")));
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
// The server listens on a TCP port, so `address()` is an object.
const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const all = [...readingWorkflows, ...changingWorkflows];
const totals = { single: none(), script: none() };
for (const workflow of quick ? changingWorkflows.slice(1, 2) : all) {
  const single = await measure(workflow, workflow.single({ site }));
  const script = await measure(workflow, byScript(workflow.script({ site })));
  totals.single = sum(totals.single, single);
  totals.script = sum(totals.script, script);
  tell(workflow.name, single, script, {});
}
const fewerTokens = 1 - totals.script.tokens / totals.single.tokens;
const fewerCalls = 1 - totals.script.modelCalls / totals.single.modelCalls;
tell(`all ${quick ? 1 : all.length}`, totals.single, totals.script, {
  limitTokensPercent: 60,
  limitCallsPercent: 70,
  holds: fewerTokens >= 0.6 && fewerCalls >= 0.7,
});
server.close();

function tell(what: string, single: Side, script: Side, more: Readonly<Record<string, number | boolean>>): void {
  report("code-savings", what, {
    singleModelCalls: single.modelCalls,
    scriptModelCalls: script.modelCalls,
    singleToolCalls: single.toolCalls,
    singleTokens: single.tokens,
    scriptTokens: script.tokens,
    singleMs: rounded(single.ms, 0),
    scriptMs: rounded(script.ms, 0),
    fewerModelCallsPercent: rounded(100 * (1 - script.modelCalls / single.modelCalls), 1),
    fewerTokensPercent: rounded(100 * (1 - script.tokens / single.tokens), 1),
    holds: true,
    ...more,
  });
}

function* byScript(code: string): SingleCalls {
  const [ran] = yield [{ name: "execute_code", args: { code, language: "python" } }];
  if (ran?.["status"] !== "success") throw new Error(JSON.stringify(ran));
  return outputOf(ran).trim();
}

/** Runs one variant of a workflow against the scripted model server and checks its result. */
async function measure(workflow: Workflow, answers: SingleCalls): Promise<Side> {
  await using home = await tempHome();
  const cwd = join(home.path, "project");
  mkdirSync(cwd);
  writeFiles(cwd, workflow.files());
  let [modelCalls, toolCalls, chars] = [0, 0, 0];
  let answer: string | undefined;
  let failure: unknown;

  function next(request: RecordedRequest): ScriptedTurn {
    if (answer !== undefined) return { text: "" };
    modelCalls += 1;
    chars += JSON.stringify(request.json).length;
    try {
      const { value, done } = answers.next(resultsOf(request.json));
      const turn: ScriptedTurn = done ? { text: value } : { calls: value };
      chars += JSON.stringify(turn).length;
      if (done) answer = value;
      else toolCalls += value.length;
      return turn;
    } catch (thrown) {
      failure ??= thrown;
      return { text: "failed" };
    }
  }

  await using wire = await startModelServer({ protocol: "openai-chat", turns: next, record: false });
  using http = createHttp({ clock });
  const model = wireModel({ providerId: "scripted", protocol: "openai-chat", baseUrl: wire.url, key: "k" }, http);
  const settings = { toolsets: ["all"], "approvals.mode": "yolo" };
  await using runtime = await runtimeRig({ folder: home.path, cwd, model, settings });
  await using session = await runtime.openSession({ source: "cli" });
  const startedAt = performance.now();
  await session.prompt([{ type: "text", text: workflow.task }]).done;
  const ms = performance.now() - startedAt;
  if (failure !== undefined) throw new Error(`${workflow.name}: ${reasonOf(failure)}`);
  if (answer !== workflow.expected) throw new Error(`${workflow.name}: "${answer}" instead of "${workflow.expected}"`);
  const fault = workflow.fault?.((path) => readFileSync(join(cwd, path), "utf8"));
  if (fault !== undefined) throw new Error(`${workflow.name}: ${fault} is wrong`);
  return { modelCalls, toolCalls, tokens: Math.ceil(chars / 4), ms };
}

/** The results of the calls in the last answer, in call order. */
function resultsOf({ messages }: JsonObject): readonly JsonObject[] {
  const list = Array.isArray(messages) ? messages.filter(isObject) : [];
  const last = list.findLastIndex((message) => message["role"] === "assistant");
  return list
    .slice(last + 1)
    .filter((message) => message["role"] === "tool")
    .map((message) => parsedObject(textOf(message["content"])) as JsonObject);
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content)
    ? content.map((part) => (isObject(part) && typeof part["text"] === "string" ? part["text"] : "")).join("")
    : "";
}

function none(): Side {
  return { modelCalls: 0, toolCalls: 0, tokens: 0, ms: 0 };
}

function sum(one: Side, other: Side): Side {
  return {
    modelCalls: one.modelCalls + other.modelCalls,
    toolCalls: one.toolCalls + other.toolCalls,
    tokens: one.tokens + other.tokens,
    ms: one.ms + other.ms,
  };
}
