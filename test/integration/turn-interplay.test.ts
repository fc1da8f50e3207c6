// covers: src/hosts, src/kernel, src/runtime
import assert from "node:assert/strict";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { chatTerminal } from "../support/chat-terminal.ts";
import { hermes } from "../support/fake-terminal.ts";
import { tempHome } from "../support/temp-home.ts";
import { type ModelServerOptions, startModelServer } from "../support/wire-servers/model-server.ts";

/** A home whose model is a scripted server, over real HTTP. */
async function home(turns: ModelServerOptions["turns"], more: Readonly<Record<string, unknown>> = {}) {
  const server = await startModelServer({ protocol: "openai-chat", turns, repeat: true });
  const folder = await tempHome();
  const endpoint = { base_url: server.url, provider: "custom" };
  const settings = {
    model: { ...endpoint, default: "m1" },
    fallback_providers: [{ ...endpoint, model: "m2" }],
    auxiliary: { title_generation: { enabled: false } },
    isolation: { mode: "off" },
    agent: { api_max_retries: 2 },
    ...more,
  };
  await writeFile(join(folder.path, "config.yaml"), JSON.stringify(settings));
  return {
    server,
    path: folder.path,
    run: (args: readonly string[], input = "") => hermes(args, { home: folder.path, input }),
    chat: (args: readonly string[] = []) => chatTerminal(args, { home: folder.path }),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const answer = ({ server }: { readonly server: { readonly requests: readonly { readonly json: unknown }[] } }) =>
  server.requests.map(({ json }) => {
    const { messages } = json as { messages: { role: string; content: unknown }[] };
    return messages.flatMap(({ role, content }) => (role === "system" ? [] : [`${role}: ${textOf(content)}`]));
  });

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === "string" ? content : "";
  return content.map((part) => (part as { text?: string }).text ?? "").join("");
}

for (const [what, turns] of [
  [
    "a wait that the provider asked for",
    [{ error: { status: 429, message: "slow down" }, headers: { "retry-after": "60" } }],
  ],
  [
    "a fallback that says nothing",
    [{ error: { status: 404, message: "model m1 does not exist" } }, { text: "never", fault: { hangAfter: 0 } }],
  ],
  [
    "a fallback that stalls",
    [
      { error: { status: 404, message: "model m1 does not exist" } },
      { text: "half of an answer", fault: { hangAfter: 200 } },
    ],
  ],
] as const) {
  test(`Ctrl-C ends ${what}, and the next prompt is answered`, async () => {
    let isWell = true;
    let number = 0;
    await using at = await home(
      () => (isWell ? { text: "back" } : (turns[Math.min(number++, turns.length - 1)] ?? {})),
      {
        ...(turns.length === 1 && { fallback_providers: [] }),
      },
    );
    await using chat = at.chat();
    await chat.until("❯");
    chat.type("hi\r");
    await chat.until(/back\n[\s\S]*❯ $/u);
    isWell = false;
    chat.type("go\r");
    await chat.until("↻");
    while (number < turns.length) await new Promise((resolve) => setTimeout(resolve, 5));
    isWell = true;
    chat.type("\x03");
    await chat.until(/stopped\n[\s\S]*❯ $/u);
    chat.type("again\r");
    await chat.until(/back\n[\s\S]*❯ $/u);
  });
}

test("an answer that broke off and was completed by another model is stored and printed once", async () => {
  const text = ["one two ", "three four ", "five six"];
  await using at = await home(({ json }) =>
    json["model"] === "m1" ? { text, fault: { disconnectAfter: 400, chunkBytes: 50 } } : { text },
  );
  const ran = await at.run(["-z", "count"]);
  assert.deepEqual([ran.code, ran.out], [0, "one two three four five six\n"]);
  const models = at.server.requests.map(({ json }) => json["model"]);
  assert.equal(models.at(-1), "m2");
  const shown = await at.run(["sessions", "show", "latest"]);
  assert.equal(shown.out.match(/five six/gu)?.length, 1, shown.out);
});

test("the possible cost of a broken-off answer counts towards the cap before the retry", async () => {
  const text = Array.from({ length: 60 }, () => "forty characters of an answer to it, yes ");
  await using at = await home([{ text, fault: { disconnectAfter: 4_000, chunkBytes: 500 } }], {
    model_overrides: { m1: { price_input: 1, price_output: 1_000 } },
    budget: { max_usd_per_session: 0.02 },
  });
  const ran = await at.run(["-z", "go"]);
  assert.deepEqual([ran.code, at.server.requests.length], [3, 1], ran.err);
  assert.match(ran.err, /max_usd_per_session/u);
});

test("repaired arguments are judged, shown and run in one form", async () => {
  const calls = [
    "{'command': 'rm -rf build',}",
    '{"command": "ls", "command": "rm -rf build"}',
    '```json\n{"command": "rm -rf build"}\n```',
  ];
  for (const args of calls) {
    await using at = await home(({ json }) =>
      (json["messages"] as { role: string }[]).at(-1)?.role === "tool"
        ? { text: "done" }
        : { calls: [{ name: "terminal", args }] },
    );
    await mkdir(join(at.path, "build"));
    const denied = await at.run(["-z", "clean"]);
    assert.equal(denied.code, 0);
    assert.match(
      JSON.stringify(at.server.requests.at(-1)?.json["messages"]),
      /Denied: terminal was not run: .*rm -rf build/u,
    );
    assert.ok((await readdir(at.path)).includes("build"));
    await using chat = at.chat();
    await chat.until("❯");
    chat.type("clean\r");
    await chat.until(/│ rm -rf build\n[\s\S]*Enter denies\): $/u);
    chat.type("o\r");
    await chat.until(/done\n[\s\S]*❯ $/u);
    assert.ok(!(await readdir(at.path)).includes("build"));
  }
});

test("an answer that repeatedly ends with a call as text is finally accepted as an answer", async () => {
  const text = 'Such a call looks so:\n<tool_call>\n{"name": "a", "arguments": {}}\n</tool_call>';
  await using at = await home([{ text }]);
  const ran = await at.run(["-z", "how does a call look?"]);
  assert.deepEqual([ran.code, ran.out, at.server.requests.length], [0, `${text}\n`, 3]);
});

test("an undone exchange is not in a resumed session, and an interrupted turn is retried whole", async () => {
  let isWell = true;
  await using at = await home(() =>
    isWell ? { text: "yes" } : { text: ["half ", "of it"], fault: { hangAfter: 400 } },
  );
  {
    await using chat = at.chat();
    await chat.until("❯");
    chat.type("first\r");
    await chat.until(/yes\n[\s\S]*❯ $/u);
    chat.type("second\r");
    await chat.until(/yes\n[\s\S]*❯ $/u);
    chat.type("/undo now\r");
    await chat.until(/Undone, from: second\n[\s\S]*❯ second$/u);
    chat.type("\x15\x04");
    await chat.code;
  }
  isWell = false;
  await using chat = at.chat(["--continue"]);
  await chat.until("❯");
  chat.type("third\r");
  await chat.until("half");
  chat.type("\x03");
  await chat.until(/stopped\n[\s\S]*❯ $/u);
  isWell = true;
  chat.type("/retry\r");
  await chat.until(/Again: third\n[\s\S]*yes\n[\s\S]*❯ $/u);
  assert.deepEqual(answer(at).at(-1), ["user: first", "assistant: yes", "user: third"]);
});

test("the model does not change in the middle of a turn; queued prompts use the newly chosen one", async () => {
  await using at = await home(
    ({ json }) => ({ text: `by ${JSON.stringify(json["model"])}`, fault: { delayMs: 300 } }),
    {
      display: { busy_input_mode: "queue" },
      fallback_providers: [],
    },
  );
  await using chat = at.chat();
  await chat.until("❯");
  chat.type("one\r");
  chat.type("two\r");
  await chat.until("queued after");
  chat.type("/model m2\r");
  await chat.until("A turn is running");
  await chat.until(/by "m1"\n[\s\S]*by "m1"\n[\s\S]*❯ $/u);
  chat.type("/model m2\r");
  await chat.until("Now using custom/m2");
  chat.type("three\r");
  await chat.until('by "m2"');
});
