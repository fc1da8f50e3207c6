// covers: src/index.ts, src/runtime, docs/guide
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { ok } from "../../src/base/result.ts";
import { type ContextEngine, createRuntime, type FitRequest } from "../../src/index.ts";
import { runProgram } from "../support/run-program.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { tempHome } from "../support/temp-home.ts";

const root = join(import.meta.dirname, "..", "..");
const entry = pathToFileURL(join(root, "src", "index.ts")).href;

test("the example of the library guide runs as written, and its process exits", async () => {
  const guide = await readFile(join(root, "docs", "guide", "library.md"), "utf8");
  const example = /```ts\n([\s\S]*?)```/u.exec(guide)?.[1] ?? "";
  await using folder = await tempHome();
  const work = join(folder.path, "work");
  await mkdir(work);
  await writeFile(join(work, "notes.txt"), "hello");
  await writeFile(join(folder.path, "example.ts"), example.replace('"hermes-agent-ts"', JSON.stringify(entry)));
  await writeFile(join(folder.path, "package.json"), '{"type":"module"}');
  const env = { HERMES_HOME: join(folder.path, "home"), HOME: folder.path };
  const ran = await runProgram(process.execPath, [join(folder.path, "example.ts")], { cwd: work, env });
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(ran.stdout, /notes\.txt[\s\S]*\nanswered: \d+ characters, \d+ tokens\n$/u);
  assert.match(ran.stderr, /: ok\n/u);
});

test("a program can supply the context engine of its sessions", async () => {
  await using folder = await tempHome();
  const model = scriptedModel(() => ({ text: "answered", usage: { input: 9_000, output: 1 } }));
  const sentences: string[] = [];
  const requests: FitRequest[] = [];
  let threshold = Infinity;
  const last: ContextEngine = {
    name: "last message",
    threshold: () => threshold,
    async fit(request) {
      requests.push(request);
      const covers = request.history.length - 1;
      if (covers < 1) return { failed: "there is one message" };
      const note = { role: "user", content: [{ type: "text", text: `${covers} messages left out` }] } as const;
      return { compaction: { covers, messages: [note], mechanical: true } };
    },
  };
  await using runtime = await createRuntime({
    home: join(folder.path, "home"),
    cwd: folder.path,
    env: { HOME: folder.path, PATH: process.env["PATH"] },
    settings: { "auxiliary.title_generation.enabled": false },
    models: { open: async () => ok(model) },
    contextEngine: { name: last.name, create: () => last },
    say: (sentence) => sentences.push(sentence),
  });
  await using session = await runtime.openSession({ source: "library" });
  for (const text of [`first ${"word ".repeat(4_000)}`, "second"]) {
    const { reason, why } = await session.prompt([{ type: "text", text }]).done;
    assert.equal(reason, "answered", why);
    threshold = 1_000;
  }
  const sent = JSON.stringify(model.requests.at(-1)?.messages);
  assert.ok(
    /2 messages left out/u.test(sent) && sent.includes("second") && !sent.includes("first"),
    sent.slice(0, 500),
  );
  assert.equal(requests.at(-1)?.why, "threshold");
  assert.deepEqual(
    sentences.filter((each) => each.includes("context engine")),
    [],
  );
});
