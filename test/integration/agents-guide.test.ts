// covers: docs/guide/agents.md, src/agents, src/tools/delegation, src/runtime/agents
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { guideBlocks } from "../support/guide-blocks.ts";
import { runProgram } from "../support/run-program.ts";
import { program, talking } from "../support/talking-program.ts";
import type { RecordedRequest, ScriptedTurn } from "../support/wire-servers/turn.ts";

const guide = await readFile(join(import.meta.dirname, "../../docs/guide/agents.md"), "utf8");
const { sh, json, markdown } = guideBlocks(guide);
const [make = "", prompt = "", list = "", mixture = ""] = sh;

/** The parent delegates as in the guide; each child uses a tool and reports. */
function answers(request: RecordedRequest): ScriptedTurn {
  const text = JSON.stringify(request.json["messages"]);
  const isAfterCall = /"role":"tool"/u.test(text);
  if (/Task: Review the uncommitted change/u.test(text))
    return isAfterCall
      ? { text: "price() returns 0 for one piece.\n\n## Findings\n\n- price.py:2 a single piece is free" }
      : { calls: [{ name: "terminal", args: { command: "git diff" } }] };
  if (/Task: Find every use of price/u.test(text))
    return isAfterCall
      ? { text: "One use: cart.py:4." }
      : { calls: [{ name: "search_files", args: { pattern: "price\\(" } }] };
  if (/Task: Write the entry/u.test(text)) return { text: "A single piece is free." };
  if (isAfterCall) return { text: "The change makes a single piece free; cart.py uses it." };
  if (/Let changelog/u.test(text))
    return { calls: [{ name: "delegate_task", args: { agent: "changelog", goal: "Write the entry." } }] };
  return { calls: [{ name: "delegate_task", args: json[0] ?? "" }] };
}

test("the commands in the guide to agents work as written", async () => {
  await using at = await talking(answers);
  const shell = (lines: string, folder = at.work) =>
    runProgram("/bin/sh", ["-ec", `hermes() { "${process.execPath}" "${program}" "$@"; }\n${lines}`], {
      cwd: folder,
      env: at.env,
    });
  const project = await shell(make);
  assert.equal(project.code, 0, project.stderr);
  const shop = join(at.work, "shop");

  const answered = await shell(prompt, shop);
  assert.equal(answered.code, 0, answered.stderr);
  assert.match(answered.stdout, /The change makes a single piece free; cart\.py uses it\./u);
  const last = JSON.stringify(at.server.requests.at(-1)?.json["messages"]);
  assert.match(last, /price\.py:2 a single piece is free/u);
  assert.match(last, /One use: cart\.py:4/u);
  // Each child saw its task and its agent's prompt, but nothing of the conversation.
  const review = JSON.stringify(
    at.server.requests.find(({ json: body }) => /Task: Review/u.test(JSON.stringify(body)))?.json,
  );
  assert.match(review, /You review a change that somebody else wrote/u);
  assert.doesNotMatch(review, /Have my uncommitted change reviewed|"name":"(?:clarify|memory|delegate_task)"/u);

  const agents = join(at.env.HERMES_HOME, "agents");
  await mkdir(agents, { recursive: true });
  await writeFile(join(agents, "changelog.md"), markdown[0] ?? "");
  const listed = await shell(list, shop);
  assert.equal(listed.code, 0, listed.stderr);
  assert.match(listed.stdout, /changelog +home +Writes the changelog entry[^]*explore[^]*review[^]*test/u);
  await shell('hermes -z "Let changelog write the entry."', shop);
  assert.match(JSON.stringify(at.server.requests.at(-1)?.json), /A single piece is free/u);

  const moa = await shell(mixture, shop);
  assert.equal(moa.code, 0, moa.stderr);
  assert.match(moa.stdout, /moa\/default/u);
});
