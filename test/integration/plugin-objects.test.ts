// covers: src/plugins/adapt, src/runtime/plugins, src/plugins/runner
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { asId } from "../../src/base/ids.ts";
import type { FitRequest } from "../../src/contracts/model/context.ts";
import type { OpenedRuntime } from "../../src/runtime/create-runtime.ts";
import { runtimeRig } from "../support/runtime-rig.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { tempHome } from "../support/temp-home.ts";

interface Scene extends AsyncDisposable {
  readonly runtime: OpenedRuntime;
  readonly requests: ReturnType<typeof scriptedModel>["requests"];
}

/** A runtime with one plugin in its real process. */
async function scene(
  files: Readonly<Record<string, string>>,
  more: {
    readonly manifest?: string;
    readonly settings?: Readonly<Record<string, unknown>>;
    readonly command?: string;
  } = {},
): Promise<Scene> {
  const home = await tempHome();
  const folder = join(home.path, ".hermes", "plugins", "objects");
  await mkdir(folder, { recursive: true });
  const all = { "plugin.yaml": `name: objects\nversion: 1.0.0\n${more.manifest ?? ""}`, ...files };
  for (const [file, body] of Object.entries(all)) await writeFile(join(folder, file), body);
  const command =
    more.command === undefined ? [] : [{ calls: [{ name: "terminal", args: { command: more.command } }] }];
  const model = scriptedModel([...command, { text: "done" }]);
  const settings = { "plugins.enabled": ["objects"], "approvals.mode": "yolo", ...more.settings };
  const runtime = await runtimeRig({ folder: home.path, model, settings });
  return {
    runtime,
    requests: model.requests,
    async [Symbol.asyncDispose]() {
      await runtime[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

const typescript = (parts: string) => ({
  "index.ts": `
import { spawn } from "node:child_process";
import { definePlugin } from "hermes-agent-ts/plugin";
export default definePlugin({ setup: () => (${parts}) });
`,
});

const request: FitRequest = {
  history: ["one", "two", "three"].map((words, index) => ({
    entry: asId(`e${index}`),
    message: { role: "user", content: [{ type: "text", text: words }] },
  })),
  size: { tokens: 900, estimated: false },
  fixedTokens: 10,
  model: { provider: "p", model: "m", contextTokens: 1000, contextSource: "config", vision: false },
  carry: { todos: [], files: [], approvals: [], processes: [] },
  why: "asked",
  focus: "rain",
};

const engines = {
  TypeScript: typescript(`{
    contextEngines: [
      {
        name: "short",
        threshold: (model) => model.contextTokens / 2,
        fit: async ({ history, focus }) => {
          const text = "summary of " + history.length + " about " + focus;
          return { compaction: { covers: 3, messages: [{ role: "user", content: [{ type: "text", text }] }], mechanical: true } };
        },
      },
    ],
  }`),
  Python: {
    "__init__.py": `
from agent.context_engine import ContextEngine

class Short(ContextEngine):
    @property
    def name(self): return "short"
    def update_from_response(self, usage): pass
    def should_compress(self, prompt_tokens=None): return True
    def compress(self, messages, current_tokens=None, focus_topic=None, **kwargs):
        return [{"role": "user", "content": f"summary of {len(messages)} about {focus_topic}"}]

def register(ctx):
    ctx.register_context_engine(Short())
`,
  },
};

const { signal } = new AbortController();

for (const [language, files] of Object.entries(engines)) {
  test(`a context engine in ${language} replaces the history by its summary`, async () => {
    await using rig = await scene(files, { settings: { "context.engine": "short" } });
    const lists = await rig.runtime.services.get("contributions");
    await lists.load("contextEngines");
    // The engine of a plugin asks models through its host, not through these.
    const session = {} as Parameters<NonNullable<ReturnType<typeof lists.contextEngines.find>>["create"]>[0];
    const engine = lists.contextEngines.find("short")?.create(session);
    const outcome = await engine?.fit(request, signal);
    assert.ok(outcome && "compaction" in outcome, JSON.stringify(outcome));
    assert.equal(outcome.compaction.covers, 3);
    assert.match(JSON.stringify(outcome.compaction.messages), /summary of 3 about rain/u);
  });
}

const platforms = {
  TypeScript: typescript(`{
    platforms: [
      {
        name: "pigeon",
        limits: { messageChars: 100, edits: false, typing: false },
        async *receive() {
          yield { chat: { platform: "pigeon", chatId: "7" }, messageId: "m1", from: { id: "anna" }, content: [{ type: "text", text: "coo" }], sentAt: 5 };
        },
        send: async (chat, content) => ({ ok: true, value: { chat, messageId: "sent " + content[0].text } }),
      },
    ],
  }`),
  Python: {
    "__init__.py": `
import asyncio
from gateway.config import Platform, PlatformConfig
from gateway.platforms.base import BasePlatformAdapter, MessageEvent, SendResult

class Pigeon(BasePlatformAdapter):
    def __init__(self, config):
        super().__init__(config, Platform("pigeon"))

    async def connect(self):
        source = self.build_source(chat_id="7", user_id="anna")
        asyncio.ensure_future(self.handle_message(MessageEvent(text="coo", source=source, message_id="m1")))
        return True

    async def disconnect(self): pass

    async def send(self, chat_id, content, reply_to=None, metadata=None):
        return SendResult(success=True, message_id="sent " + content)

    async def get_chat_info(self, chat_id): return {}

def register(ctx):
    ctx.register_platform("pigeon", "Pigeon", Pigeon, lambda: True)
`,
  },
};

for (const [language, files] of Object.entries(platforms)) {
  test(`a chat platform in ${language} receives and sends`, async () => {
    await using rig = await scene(files);
    const lists = await rig.runtime.services.get("contributions");
    await lists.load("platforms");
    const platform = lists.platforms.find("pigeon");
    assert.ok(platform, JSON.stringify(rig.runtime.diagnostics));
    for await (const message of platform.receive(signal)) {
      assert.equal(message.from.id, "pigeon:anna");
      assert.deepEqual(message.content, [{ type: "text", text: "coo" }]);
      const sent = await platform.send(message.chat, [{ type: "text", text: "hi" }], signal);
      assert.equal(sent.ok && sent.value.messageId, "sent hi");
      break;
    }
  });
}

test("commands run in the environment of a TypeScript plugin", async () => {
  const files = typescript(`{
    environments: [
      {
        name: "lab",
        run: (script, { stdin, signal, writeOutput, writeError }) =>
          new Promise((resolve, reject) => {
            const env = { PATH: "/usr/bin:/bin", HOME: "/tmp", LAB: "yes" };
            const child = spawn("sh", ["-c", script], { env, signal });
            child.stdout.on("data", writeOutput);
            child.stderr.on("data", writeError);
            child.on("error", reject);
            child.on("close", (code) => resolve(code ?? 1));
            child.stdin.end(stdin);
          }),
      },
    ],
  }`);
  const settings = { "terminal.backend": "plugin", "terminal.plugin_environment": "lab" };
  const manifest = "permissions: {exec: true}\n";
  await using rig = await scene(files, { manifest, settings, command: "echo lab=$LAB; exit 4" });
  const session = await rig.runtime.openSession();
  await session.prompt([{ type: "text", text: "run it" }]).done;
  const history = JSON.stringify(session.history());
  assert.match(history, /lab=yes/u);
  assert.match(history, /exit_code\D+4/u);
});

test("prompt sections of a TypeScript plugin come from its process", async () => {
  const files = typescript(`{
    promptSections: [{ id: "tips", content: (info) => "You are " + info.model + "." }],
  }`);
  await using rig = await scene(files);
  const session = await rig.runtime.openSession();
  await session.prompt([{ type: "text", text: "hi" }]).done;
  assert.match(JSON.stringify(rig.requests[0]?.system), /plugin section tips -->\\nYou are test\./u);
});
