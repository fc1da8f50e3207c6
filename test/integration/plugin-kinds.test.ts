// covers: src/plugins/adapt, src/runtime/plugins, src/plugins/runner
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { type CliResult, hermes } from "../support/fake-terminal.ts";
import { tempHome } from "../support/temp-home.ts";
import { type ModelServer, startModelServer } from "../support/wire-servers/model-server.ts";

type Files = Readonly<Record<string, string>>;

interface Scene extends AsyncDisposable {
  readonly server: ModelServer;
  run(...line: readonly string[]): Promise<CliResult>;
  ask(prompt: string, ...more: readonly string[]): Promise<CliResult>;
}

/** A home with one plugin in its real process, and a scripted model server. */
async function scene(files: (address: string) => Files, settings: object, turns: readonly string[]): Promise<Scene> {
  const stack = new AsyncDisposableStack();
  const home = stack.use(await tempHome());
  const server = stack.use(
    await startModelServer({ protocol: "openai-chat", turns: turns.map((text) => ({ text })), repeat: true }),
  );
  const folder = join(home.path, "plugins", "kinds");
  await mkdir(folder, { recursive: true });
  for (const [file, body] of Object.entries({
    "plugin.yaml": "name: kinds\nversion: 1.0.0\nkind: standalone\n",
    ...files(server.url),
  })) {
    await writeFile(join(folder, file), body);
  }
  const config = {
    plugins: { enabled: ["kinds"] },
    model: { provider: "custom", default: "m1", base_url: server.url },
    isolation: { mode: "off" },
    auxiliary: { title_generation: { enabled: false } },
    ...settings,
  };
  await writeFile(join(home.path, "config.yaml"), JSON.stringify(config));
  const run = (...line: readonly string[]) => hermes(line, { home: home.path, env: { ODD_API_KEY: "odd-key-123456" } });
  return {
    server,
    run,
    ask: (prompt, ...more) => run("-z", prompt, ...more),
    async [Symbol.asyncDispose]() {
      await stack.disposeAsync();
    },
  };
}

const python = {
  memory: () => ({
    "__init__.py": `
from agent.memory_provider import MemoryProvider

class Notes(MemoryProvider):
    @property
    def name(self): return "notes"
    def is_available(self): return True
    def initialize(self, session_id, **kwargs): self.ready = True
    def get_tool_schemas(self):
        return [{"name": "notes_count", "description": "Counts", "parameters": {"type": "object", "properties": {}}}]
    def handle_tool_call(self, tool_name, args, **kwargs): return f"{tool_name} {self.ready}"
    def system_prompt_block(self): return "NOTES ARE ON" if self.ready else ""
    def prefetch(self, query, **kwargs): return "remembered for " + query
    def sync_turn(self, user, assistant, **kwargs): pass

def register(ctx):
    ctx.register_memory_provider(Notes())
`,
  }),
  provider: (address: string) => ({
    "__init__.py": `
from providers import register_provider
from providers.base import ProviderProfile

class Odd(ProviderProfile):
    def prepare_messages(self, messages):
        return [{**message, "odd": True} for message in messages]
    def build_extra_body(self, *, session_id=None, **context):
        return {"routing": context.get("model")}
    def build_api_kwargs_extras(self, *, reasoning_config=None, **context):
        return {"thinking": {"type": "off"}}, {"verbosity": "low"}

register_provider(Odd(name="odd", aliases=("oddity",), env_vars=("ODD_API_KEY",), base_url="${address}",
                      default_headers={"X-Odd": "1"}, fallback_models=("odd-1",)))

def register(ctx):
    pass
`,
  }),
};

const typescript = {
  memory: () => ({
    "index.ts": `
import { definePlugin } from "hermes-agent-ts/plugin";
export default definePlugin({
  setup: () => ({
    memoryProviders: [
      {
        name: "notes",
        promptBlock: async () => "NOTES ARE ON",
        recall: async (query) => "remembered for " + query,
        noteTurn() {},
        noteChange() {},
        status: async () => ({ ok: true, value: "fine" }),
        flush: async () => {},
      },
    ],
  }),
});
`,
  }),
  provider: (address: string) => ({
    "index.ts": `
import { definePlugin } from "hermes-agent-ts/plugin";
export default definePlugin({
  setup: () => ({
    providers: [
      {
        name: "odd",
        aliases: ["oddity"],
        envVars: ["ODD_API_KEY"],
        baseUrl: "${address}",
        defaultHeaders: { "X-Odd": "1" },
        fields: { fallback_models: ["odd-1"] },
        hooks: {
          prepare_messages: (messages) => messages.map((message) => ({ ...message, odd: true })),
          build_extra_body: (context) => ({ routing: context.model }),
          build_api_kwargs_extras: () => [{ thinking: { type: "off" } }, { verbosity: "low" }],
        },
      },
    ],
  }),
});
`,
  }),
};

for (const [language, plugins] of Object.entries({ Python: python, TypeScript: typescript })) {
  test(`a memory provider in ${language} adds to the prompt and recalls`, async () => {
    await using rig = await scene(plugins.memory, { memory: { provider: "notes" } }, ["fine"]);
    const result = await rig.ask("tea?");
    assert.equal(result.code, 0, result.err);
    const sent = JSON.stringify(rig.server.requests[0]?.json);
    assert.match(sent, /NOTES ARE ON/u);
    assert.match(sent, /remembered for tea\?/u);
  });

  test(`a provider profile in ${language} serves its models and changes requests`, async () => {
    await using rig = await scene(plugins.provider, {}, ["odd answer"]);
    const result = await rig.ask("hi", "-m", "oddity/odd-7");
    assert.deepEqual([result.code, result.out.trim()], [0, "odd answer"], result.err);
    const [request] = rig.server.requests;
    assert.equal(request?.headers["x-odd"], "1");
    assert.equal(request?.headers["authorization"], "Bearer odd-key-123456");
    const { model, messages, routing, thinking, verbosity } = request?.json ?? {};
    assert.deepEqual([model, routing, thinking, verbosity], ["odd-7", "odd-7", { type: "off" }, "low"]);
    assert.equal((messages as readonly { odd?: boolean }[])[0]?.odd, true);
  });
}

test("the tools of a Python memory provider are available while it is selected", async () => {
  const call = ["tools", "call", "notes_count", "--args", "{}"];
  await using chosen = await scene(python.memory, { memory: { provider: "notes" } }, []);
  assert.equal((await chosen.run(...call)).out.trim(), "notes_count True");
  await using other = await scene(python.memory, {}, []);
  assert.match((await other.run(...call)).err, /notes_count/u);
});

test("a TypeScript provider that answers requests itself streams its answer", async () => {
  const files = () => ({
    "index.ts": `
import { definePlugin } from "hermes-agent-ts/plugin";
export default definePlugin({
  setup: () => ({
    providers: [
      {
        name: "parrot",
        async *stream(request) {
          const last = request.messages.at(-1).content[0].text;
          yield { type: "text", delta: "polly says " };
          yield { type: "text", delta: last };
          const content = [{ type: "text", text: "polly says " + last }];
          yield { type: "finish", message: { role: "assistant", content, calls: [], stop: "end" }, usage: { input: 1, output: 2 } };
        },
      },
    ],
  }),
});
`,
  });
  await using rig = await scene(files, {}, ["not asked"]);
  const result = await rig.ask("cracker", "-m", "parrot/green");
  assert.deepEqual([result.code, result.out.trim()], [0, "polly says cracker"], result.err);
  assert.equal(rig.server.requests.length, 0);
});

test("a policy of a TypeScript plugin blocks a call, and a policy that fails blocks all calls", async () => {
  const policy = (judge: string) => () => ({
    "index.ts": `
import { definePlugin } from "hermes-agent-ts/plugin";
export default definePlugin({ setup: () => ({ policies: [{ name: "guard", judge: async (request) => ${judge} }] }) });
`,
  });
  const denies = `request.args.command.includes("push") ? { deny: { rule: "x", message: "no push today" } } : {}`;
  const call = async (judge: string, command: string) => {
    await using rig = await scene(policy(judge), { approvals: { mode: "yolo" } }, ["x"]);
    const args = JSON.stringify({ command });
    return await rig.run("tools", "call", "terminal", "--args", args);
  };
  assert.match((await call(denies, "echo push")).err, /no push today/u);
  assert.equal((await call(denies, "echo fine")).code, 0);
  assert.match(
    (await call("{ throw new Error('broken') }", "echo fine")).err,
    /The policy guard failed, so the call is denied/u,
  );
});
