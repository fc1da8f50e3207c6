import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as tick } from "node:timers/promises";

import { z } from "zod";

import { assertFails } from "../../../test/support/failure.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import type { Availability, CatalogOptions, Registry, ToolSource } from "../../contracts/tool/registry.ts";
import { text } from "../../contracts/tool/tool-result.ts";
import type { Tool, ToolSpec, ToolTraits } from "../../contracts/tool/tool.ts";
import { createRegistry } from "./registry.ts";

const everything: Availability = { missing: async () => undefined };

function lacking(reasons: Readonly<Record<string, string>>): Availability {
  return { missing: async ({ name }) => reasons[name] };
}

const options: CatalogOptions = {
  signal: new AbortController().signal,
  search: {
    enabled: true,
    direct: ["terminal", "todo"],
    directPluginBytes: 2_048,
    listing: true,
    listingMaxTokens: 500,
    defaultLimit: 5,
    maxLimit: 20,
  },
};
const unsearched: CatalogOptions = { ...options, search: { ...options.search, enabled: false } };

type Input = z.ZodObject;
type Change = Partial<Omit<ToolSpec<Input, never, never>, "traits">> & { readonly traits?: Partial<ToolTraits> };

function tool(name: string, toolset = name, change: Change = {}): Tool {
  return defineTool<Input>({
    name,
    toolset,
    description: `Does ${name}.`,
    input: z.object({}),
    run: async () => text(name),
    ...change,
  });
}

function add(registry: Registry, each: Tool, source: ToolSource = { kind: "builtin" }) {
  const added = registry.add(each, source);
  assert.ok(added.ok);
  return added.value;
}

function registryOf(...tools: readonly (string | Tool)[]): Registry {
  const registry = createRegistry({ core: ["terminal"] });
  for (const each of tools) add(registry, typeof each === "string" ? tool(each) : each);
  return registry;
}

function bridged(...tools: readonly (string | Tool)[]): Registry {
  return registryOf(
    ...tools,
    ...["tool_search", "tool_describe", "tool_call"].map((name) => tool(name, "tool_search")),
  );
}

const sentNames = (catalog: { readonly definitions: readonly { readonly name: string }[] }) =>
  catalog.definitions.map(({ name }) => name);

test("definitions are sorted, frozen, and identical for any order of registration", async () => {
  const texts = await Promise.all(
    [
      ["b", "c", "a"],
      ["a", "b", "c"],
    ].map(async (names) => {
      const { definitions } = await registryOf(...names).catalog({}, everything, options);
      return JSON.stringify(definitions);
    }),
  );
  assert.equal(texts[0], texts[1]);
  const { definitions } = await registryOf("a").catalog({}, everything, options);
  assert.deepEqual(definitions, [
    { name: "a", description: "Does a.", inputSchema: { type: "object", properties: {} } },
  ]);
  assert.ok(Object.isFrozen(definitions) && Object.isFrozen(definitions[0]?.inputSchema));
});

test("a schema that its author changes later does not change the catalog", async () => {
  const schema: Record<string, unknown> = { type: "object", properties: {} };
  const mutable = { ...tool("a"), inputSchema: schema } as Tool;
  const { definitions } = await registryOf(mutable).catalog({}, everything, options);
  schema.title = "changed";
  assert.deepEqual(definitions[0]?.inputSchema, { type: "object", properties: {} });
});

test("tools that are not sent directly are deferred, and the tools for searching them are added", async () => {
  const catalog = await bridged("terminal", "todo", "weather").catalog({}, everything, options);
  assert.deepEqual(sentNames(catalog), ["terminal", "todo", "tool_call", "tool_describe", "tool_search"]);
  assert.deepEqual(catalog.deferred, [
    { name: "weather", description: "Does weather.", source: "builtin", sourceName: "weather" },
  ]);
  assert.deepEqual(catalog.names, ["terminal", "todo", "tool_call", "tool_describe", "tool_search", "weather"]);
  assert.equal(catalog.find("weather")?.name, "weather");
  assert.match(catalog.find("tool_search")?.description ?? "", /Deferred tools:\n- weather: Does weather\.$/);
  assert.equal(catalog.find("tool_search")?.description, catalog.definitions[4]?.description);
});

test("the search tools exist before any tool is deferred, so that tools that arrive later can be called", async () => {
  const registry = bridged("terminal");
  const catalog = await registry.catalog({}, everything, options);
  assert.deepEqual(sentNames(catalog), ["terminal", "tool_call", "tool_describe", "tool_search"]);
  registry.add(tool("weather"), { kind: "builtin" });
  assert.equal(catalog.find("weather")?.name, "weather");
  assert.equal(catalog.search.search("weather").matches[0]?.name, "weather");
});

test("the search tools alone do not count as tools: the catalog is empty and gives the reason", async () => {
  const catalog = await bridged("terminal").catalog({ disabledTools: ["terminal"] }, everything, options);
  assert.deepEqual(sentNames(catalog), []);
  assert.match(catalog.empty ?? "", /tools\.disabled: \[terminal\]/);
});

test("all tools are sent directly if search is off or one of its tools is disabled or missing", async () => {
  const off = await bridged("terminal", "weather").catalog({}, everything, unsearched);
  assert.deepEqual(sentNames(off), ["terminal", "weather"]);
  const disabled = await bridged("terminal", "weather").catalog({ disabledTools: ["tool_call"] }, everything, options);
  assert.deepEqual(sentNames(disabled), ["terminal", "weather"]);
  assert.equal(disabled.find("tool_call"), undefined);
  const missing = await registryOf("terminal", "weather").catalog({}, everything, options);
  assert.deepEqual(sentNames(missing), ["terminal", "weather"]);
});

test("an unavailable tool is hidden with the reason, and a disabled tool is refused with the name of the setting", async () => {
  const registry = registryOf("a", "b", "c", "d");
  const catalog = await registry.catalog(
    { enabled: ["a", "b", "c"], disabled: ["c"] },
    lacking({ b: "needs KEY" }),
    options,
  );
  assert.deepEqual(catalog.hidden, [{ name: "b", why: "needs KEY" }]);
  assert.deepEqual(sentNames(catalog), ["a"]);
  for (const name of ["b", "c", "d"]) assert.equal(catalog.find(name), undefined);
  assert.equal(catalog.whyNot("a"), undefined);
  assert.equal(catalog.whyNot("b"), "needs KEY");
  assert.equal(catalog.whyNot("c"), "disabled by agent.disabled_toolsets: [c]");
  assert.equal(catalog.whyNot("d"), "its toolset d is not enabled; add it to toolsets");
  assert.equal(catalog.whyNot("e"), undefined);
});

test("a tool can adapt its schema to the catalog, and the adapted schema is enforced", async () => {
  const refining = tool("refining", "refining", {
    refine: (view) => ({
      description: `Sees ${view.names.join(" ")}.`,
      input: z.object({ mode: z.enum(view.has("b") ? ["x", "y"] : ["x"]) }),
    }),
  });
  const catalog = await registryOf(refining, "b").catalog({ disabled: ["b"] }, everything, options);
  assert.equal(catalog.definitions[0]?.description, "Sees refining.");
  assertFails(await catalog.find("refining")!.prepare({ mode: "y" }), /invalid_args.*mode: /u);
  assert.equal((await catalog.find("refining")!.prepare({ mode: "x" })).ok, true);
});

test("a refine function that throws or returns an invalid value leaves the tool unchanged, with a notice", async () => {
  const throwing = tool("a", "a", {
    refine: () => {
      throw new Error("oops");
    },
  });
  const odd: Tool = { ...tool("b"), refine: () => ({ name: "b" }) as unknown as Tool };
  const renaming: Tool = { ...tool("c"), refine: () => tool("other") };
  const catalog = await registryOf(throwing, odd, renaming).catalog({}, everything, options);
  assert.deepEqual(sentNames(catalog), ["a", "b", "c"]);
  assert.equal(catalog.definitions[0]?.description, "Does a.");
  assert.match(catalog.notices[0] ?? "", /^a: its refinement failed and is not used: oops/);
  assert.match(catalog.notices[1] ?? "", /^b: its refinement is not used: not a tool/);
});

test("no tool description mentions a tool that is missing", async () => {
  const naming = tool("open_page", "open_page", {
    description: "Opens a page. For plain facts prefer web_search. Then use read_page.",
    input: z.object({ how: z.string().describe("A way. Not that of web_search.") }),
  });
  const registry = registryOf(naming, "web_search", "read_page");
  const without = await registry.catalog({}, lacking({ web_search: "needs KEY" }), options);
  assert.doesNotMatch(JSON.stringify(without.definitions), /web_search/);
  assert.equal(without.definitions[0]?.description, "Opens a page. Then use read_page.");
  const whole = await registry.catalog({}, everything, options);
  assert.match(whole.definitions[0]?.description ?? "", /web_search/);
});

test("code is loaded before its refine function runs, and a tool that fails to load keeps its static description", async () => {
  const good: Tool = { ...tool("a"), load: async () => tool("a", "a", { refine: () => ({ description: "Loaded." }) }) };
  const bad: Tool = { ...tool("b"), load: () => Promise.reject(new Error("gone")) };
  const catalog = await registryOf(good, bad).catalog({}, everything, options);
  assert.deepEqual(
    catalog.definitions.map(({ description }) => description),
    ["Loaded.", "Does b."],
  );
  assert.deepEqual(catalog.notices, ["b could not be loaded: gone"]);
});

test("the message for an empty selection names the setting that caused it", async () => {
  const registry = registryOf("a", "b");
  registry.addToolset({ name: "hermes-cli", description: "", tools: ["a", "b"], role: "preset" });
  const empty = async (selection: Parameters<Registry["catalog"]>[0], available = everything, more = options) =>
    (await registry.catalog(selection, available, more)).empty;
  assert.equal(await empty({}), undefined);
  assert.match((await empty({ enabled: [] })) ?? "", /^No tool is left\. toolsets: \[\] enables none/);
  assert.match(
    (await empty({ disabled: ["hermes-cli"] })) ?? "",
    /agent\.disabled_toolsets: \[hermes-cli\] takes away all/,
  );
  assert.equal(
    await empty({}, lacking({ a: "needs KEY", b: "its check failed: no docker" })),
    "No tool is left. All of the 2 tools selected cannot be used here. a: needs KEY; b: its check failed: no docker.",
  );
  const named = { ...options, settings: { enabled: "platform_toolsets.telegram" } };
  assert.match((await empty({ enabled: ["x"] }, everything, named)) ?? "", /platform_toolsets\.telegram: \[x\]/);
  assert.match((await createRegistry().catalog({}, everything, options)).empty ?? "", /No tool is registered/);
});

test("search covers tools of the selection that arrive later, and no longer covers removed tools", async () => {
  const registry = bridged("terminal", "weather");
  const catalog = await registry.catalog({ disabled: ["mcp-bad"] }, everything, options);
  const bytes = JSON.stringify(catalog.definitions);
  const late = add(registry, tool("mcp_gh_issue", "mcp-gh"), { kind: "mcp", server: "gh" });
  add(registry, tool("mcp_bad_x", "mcp-bad"), { kind: "mcp", server: "bad" });
  assert.equal(catalog.find("mcp_gh_issue")?.name, "mcp_gh_issue");
  assert.equal(catalog.has("mcp_gh_issue"), true);
  assert.equal(catalog.search.search("issue").matches[0]?.name, "mcp_gh_issue");
  assert.equal(catalog.find("mcp_bad_x"), undefined);
  assert.equal(catalog.whyNot("mcp_bad_x"), "disabled by agent.disabled_toolsets: [mcp-bad]");
  late[Symbol.dispose]();
  assert.equal(catalog.find("mcp_gh_issue"), undefined);
  assert.deepEqual(
    catalog.deferred.map(({ name }) => name),
    ["weather"],
  );
  assert.equal(JSON.stringify(catalog.definitions), bytes);
});

test("a tool that arrives later and turns out to be unavailable is removed from search", async () => {
  const registry = bridged("terminal", "weather");
  const catalog = await registry.catalog({}, lacking({ late: "needs KEY" }), options);
  add(registry, tool("late"), { kind: "plugin", plugin: "p" });
  assert.equal(catalog.has("late"), true);
  await tick();
  assert.equal(catalog.has("late"), false);
  assert.equal(catalog.has("weather"), true);
});

test("a tool that is sent directly does not change when the registry changes", async () => {
  const registry = bridged("weather");
  const terminal = add(registry, tool("terminal"));
  const catalog = await registry.catalog({}, everything, options);
  terminal[Symbol.dispose]();
  assert.equal(catalog.find("terminal")?.name, "terminal");
});

test("for a tool name that several MCP servers use, the reason is reported and none of the tools can be called", async () => {
  const registry = bridged("weather");
  add(registry, tool("mcp_x", "mcp-a"), { kind: "mcp", server: "a" });
  const catalog = await registry.catalog({}, everything, options);
  assert.equal(catalog.has("mcp_x"), true);
  add(registry, tool("mcp_x", "mcp-b"), { kind: "mcp", server: "b" });
  assert.equal(catalog.has("mcp_x"), false);
  assert.match(catalog.whyNot("mcp_x") ?? "", /^several tools have this name \(MCP server a, MCP server b\)/u);
  assert.equal(catalog.deferred.length, 1);
});

test("a catalog counts MCP tools without loading them; search, and a call with any spelling of the name, load them", async () => {
  const registry = bridged("weather");
  let loads = 0;
  const names = Array.from({ length: 200 }, (_, index) => `mcp__big__do_${index}`);
  registry.addLate({
    toolset: "mcp-big",
    server: "big",
    count: names.length,
    whyNot: (name) => (name === "mcp__big__off" ? "it is off" : undefined),
    load() {
      loads += 1;
      return names.map((name) => ({ tool: tool(name, "mcp-big"), source: { kind: "mcp", server: "big", tool: name } }));
    },
  });
  const catalog = await registry.catalog({}, everything, options);
  assert.match(catalog.definitions.find(({ name }) => name === "tool_search")?.description ?? "", /big \(200 tools\)/u);
  assert.equal(catalog.has("weather"), true);
  assert.equal(catalog.has("unknown"), false);
  assert.equal(loads, 0);
  assert.equal(catalog.find("mcp_big_do_7")?.name, "mcp__big__do_7");
  assert.equal(loads, 1);
  assert.equal(catalog.search.search("mcp__big__do_199").matches[0]?.name, "mcp__big__do_199");
  assert.equal(catalog.whyNot("mcp__big__off"), "it is off");
  const without = await registry.catalog({ disabled: ["mcp-big"] }, everything, options);
  assert.equal(without.find("mcp__big__do_7"), undefined);
});

test("a tool for scripts can be looked up but is not shown to the model", async () => {
  const catalog = await registryOf("a", tool("helper", "x", { traits: { callers: "script" } })).catalog(
    {},
    everything,
    options,
  );
  assert.deepEqual(catalog.names, ["a"]);
  assert.equal(catalog.find("helper")?.name, "helper");
  assert.deepEqual(catalog.hidden, [{ name: "helper", why: "only scripts can call it" }]);
});

test("equal input returns the same catalog, and a changed registry or availability a new one", async () => {
  const registry = registryOf("a", "b");
  const reasons: Record<string, string> = {};
  const available = lacking(reasons);
  const first = await registry.catalog({ enabled: ["all"] }, available, options);
  assert.equal(await registry.catalog({ enabled: ["all"] }, available, options), first);
  reasons.b = "needs KEY";
  const second = await registry.catalog({ enabled: ["all"] }, available, options);
  assert.notEqual(second, first);
  assert.deepEqual(sentNames(second), ["a"]);
  add(registry, tool("c"));
  assert.deepEqual(sentNames(await registry.catalog({ enabled: ["all"] }, available, options)), ["a", "c"]);
  assert.deepEqual(sentNames(first), ["a", "b"]);
});

test("a hundred concurrent builds check each tool once and return the same catalog", async () => {
  const registry = bridged("terminal", ...Array.from({ length: 50 }, (_, index) => `tool${index}`));
  const built = await Promise.all(Array.from({ length: 100 }, () => registry.catalog({}, everything, options)));
  assert.equal(new Set(built.map(({ definitions }) => JSON.stringify(definitions))).size, 1);
});

test("an aborted build rejects with the reason of the signal", async () => {
  const stop = new AbortController();
  const never: Availability = { missing: () => new Promise(() => {}) };
  const building = registryOf("a").catalog({}, never, { ...options, signal: stop.signal });
  stop.abort(new Error("stopped"));
  await assert.rejects(building, /stopped/);
});

test("tools of small plugins are sent directly as long as their schemas fit, and tools of other plugins are available through search", async () => {
  const registry = bridged("terminal");
  const of = (plugin: string): ToolSource => ({ kind: "plugin", plugin });
  const sized = (name: string, toolset: string, chars: number) =>
    tool(name, toolset, { description: "x".repeat(chars) });
  add(registry, sized("large_a", "large", 700), of("large"));
  add(registry, sized("large_b", "large", 700), of("large"));
  add(registry, sized("middle", "middle", 600), of("middle"));
  add(registry, sized("small", "small", 10), of("small"));
  add(registry, tool("mcp_tool", "mcp"), { kind: "mcp", server: "s" });
  const sent = async (directPluginBytes: number) => {
    const search = { ...options.search, directPluginBytes };
    const catalog = await registry.catalog({}, everything, { ...options, search });
    const names = catalog.definitions.map(({ name }) => name).filter((name) => !name.startsWith("tool_"));
    assert.ok(["large_a", "large_b", "middle", "small", "mcp_tool"].every((name) => catalog.has(name)));
    return names;
  };
  assert.deepEqual(await sent(0), ["terminal"]);
  assert.deepEqual(await sent(200), ["small", "terminal"]);
  assert.deepEqual(await sent(1_500), ["middle", "small", "terminal"]);
  assert.deepEqual(await sent(10_000), ["large_a", "large_b", "middle", "small", "terminal"]);
});

test("a plugin's tool is part of every selection, and a disabled tool is neither sent, listed by search nor callable", async () => {
  const registry = bridged("terminal", "web");
  add(registry, tool("calculate", "calculator"), { kind: "plugin", plugin: "calculator" });
  add(registry, tool("convert", "calculator"), { kind: "plugin", plugin: "calculator" });
  const joined = await registry.catalog({ enabled: ["web"] }, everything, options);
  assert.ok(joined.has("calculate") && joined.has("convert") && !joined.has("terminal"));
  for (const selection of [{ disabledTools: ["calculate"] }, { disabled: ["calculator"] }]) {
    const catalog = await registry.catalog(selection, everything, options);
    assert.equal(catalog.find("calculate"), undefined);
    assert.match(catalog.whyNot("calculate") ?? "", /^disabled by /u);
    assert.ok(!catalog.definitions.some(({ name }) => name === "calculate"));
  }
});
