import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";

import type { RegisteredTool, SettingNames, ToolSource } from "../../contracts/tool/registry.ts";
import type { Tool } from "../../contracts/tool/tool.ts";
import type { Toolset, ToolSelection } from "../../contracts/tool/toolset.ts";
import { select } from "./selection.ts";
import { createWorld, expandToolset, type ToolsetWorld } from "./toolsets.ts";

const settings: SettingNames = {
  enabled: "toolsets",
  disabled: "agent.disabled_toolsets",
  enabledTools: "tools.enabled",
  disabledTools: "tools.disabled",
};

function registered(name: string, toolset: string, source: ToolSource = { kind: "builtin" }): RegisteredTool {
  const tool: Tool = {
    name,
    toolset,
    description: "",
    inputSchema: {},
    needs: [],
    requiresEnv: [],
    traits: {
      readOnly: true,
      parallel: true,
      callers: "both",
      timeoutMs: 1000,
      maxResultChars: 1000,
      untrusted: false,
    },
    emoji: "",
    prepare: () => assert.fail("never called"),
  };
  return { tool, source };
}

function worldOf(
  tools: readonly RegisteredTool[],
  sets: readonly Toolset[] = [],
  more: { core?: readonly string[]; aliases?: readonly (readonly [string, string])[] } = {},
): ToolsetWorld {
  const layers = Map.groupBy(sets, ({ name }) => name).values();
  return createWorld({ tools, late: [], sets: layers, aliases: more.aliases ?? [], core: new Set(more.core) });
}

const sample = worldOf(
  [
    registered("web_search", "web"),
    registered("web_extract", "web"),
    registered("terminal", "terminal"),
    registered("read_file", "file"),
    registered("discord", "discord"),
    registered("kanban_show", "kanban"),
    registered("weather", "weather", { kind: "plugin", plugin: "weather" }),
    registered("mine", "mine", { kind: "user", file: "mine.tool.ts" }),
    registered("mcp_gh_issue", "mcp-gh", { kind: "mcp", server: "gh" }),
  ],
  [
    { name: "web", description: "", tools: ["web_search", "web_extract"] },
    { name: "safe", description: "", tools: [], includes: ["web"] },
    { name: "kanban", description: "", tools: [], role: "explicit" },
    {
      name: "hermes-cli",
      description: "",
      tools: ["web_search", "web_extract", "terminal", "read_file"],
      role: "preset",
    },
    { name: "hermes-discord", description: "", tools: ["web_search", "terminal", "discord"], role: "preset" },
    { name: "coding", description: "", tools: ["terminal", "read_file"], role: "posture" },
  ],
  { core: ["web_search", "web_extract", "terminal", "read_file"], aliases: [["gh", "mcp-gh"]] },
);

function chosen(selection: ToolSelection, world = sample): string[] {
  return [...select(selection, world, settings).names].toSorted();
}

const joining = ["mcp_gh_issue", "mine", "weather"];

test("without a selection all tools are on, except those that must be enabled by name", () => {
  assert.deepEqual(chosen({}), [
    "discord",
    "mcp_gh_issue",
    "mine",
    "read_file",
    "terminal",
    "weather",
    "web_extract",
    "web_search",
  ]);
  assert.deepEqual(chosen({ enabled: ["*"] }), chosen({}));
  assert.deepEqual(chosen({ enabled: ["all", "kanban"] }), [...chosen({}), "kanban_show"].toSorted());
});

test("a selection applies enabled sets, disabled sets, tools enabled by name and tools disabled by name, in this order", () => {
  assert.deepEqual(chosen({ enabled: ["web"] }), [...joining, "web_extract", "web_search"].toSorted());
  assert.deepEqual(chosen({ enabled: ["safe"], disabled: ["web"] }), joining);
  assert.deepEqual(chosen({ enabled: ["web"], disabled: ["web"], enabledTools: ["web_search"] }), [
    ...joining,
    "web_search",
  ]);
  assert.deepEqual(
    chosen({ enabled: ["web"], enabledTools: ["terminal"], disabledTools: ["terminal", "web_search"] }),
    [...joining, "web_extract"],
  );
});

test("tools of plugins, MCP servers and the user are part of every selection unless disabled", () => {
  assert.deepEqual(chosen({ enabled: [] }), joining);
  assert.deepEqual(chosen({ enabled: ["web"], disabled: ["weather", "gh"], disabledTools: ["mine"] }), [
    "web_extract",
    "web_search",
  ]);
});

test("an older spelling of an MCP tool's name still works", () => {
  const world = worldOf([
    registered("mcp__gh__new_issue", "mcp-gh", { kind: "mcp", server: "gh" }),
    registered("mcp__gh_new__issue", "mcp-gh_new", { kind: "mcp", server: "gh_new" }),
    registered("mcp__gh__close", "mcp-gh", { kind: "mcp", server: "gh" }),
  ]);
  assert.deepEqual(chosen({ disabledTools: ["mcp_gh_close"] }, world), ["mcp__gh__new_issue", "mcp__gh_new__issue"]);
  assert.deepEqual(chosen({ disabledTools: ["mcp_gh_new_issue"] }, world), ["mcp__gh__close"]);
});

test("aliases and legacy names work for both enabling and disabling", () => {
  assert.deepEqual(chosen({ enabled: ["gh"] }), joining);
  assert.equal(chosen({ disabled: ["gh"] }).includes("mcp_gh_issue"), false);
  assert.deepEqual(chosen({ enabled: ["web_tools"] }), chosen({ enabled: ["web"] }));
  assert.deepEqual(chosen({ enabled: ["web"], disabled: ["web_tools"] }), joining);
});

test("if a preset or posture is disabled, the core tools stay enabled, and a notice says so", () => {
  const cli = select({ disabled: ["hermes-cli", "hermes-discord", "coding"] }, sample, settings);
  assert.equal(cli.names.has("terminal"), true);
  assert.equal(cli.names.has("discord"), false);
  assert.deepEqual(
    cli.notices.map((notice) => notice.split(". ")[0]),
    [
      "agent.disabled_toolsets: hermes-cli is a preset; the core tools stay and no tool was removed",
      "agent.disabled_toolsets: hermes-discord is a preset; the core tools stay and only discord was removed",
      "agent.disabled_toolsets: coding is a posture; the core tools stay and no tool was removed",
    ],
  );
});

test("an unknown name is reported with the most similar names", () => {
  const { notices } = select(
    { enabled: ["wbe", "discordd", "cli"], disabled: ["terminl"], enabledTools: ["read_fil"], disabledTools: ["web"] },
    sample,
    settings,
  );
  assert.match(notices[0]!, /^toolsets: there is no toolset wbe \(did you mean web/);
  assert.match(notices[1]!, /discordd \(did you mean discord/);
  assert.match(notices[2]!, /no toolset cli \(did you mean hermes-cli/);
  assert.match(notices[3]!, /^agent.disabled_toolsets: there is no toolset terminl \(did you mean terminal/);
  assert.match(notices[4]!, /^tools.enabled: there is no tool read_fil \(did you mean read_file/);
  assert.match(
    notices[5]!,
    /^tools.disabled: web is a toolset, not a tool; name it in agent.disabled_toolsets instead/,
  );
});

test("a tool that is listed among toolsets is reported as a tool, and disabling it there still works", () => {
  const { names, notices } = select({ enabled: ["web_search"], disabled: ["mine"] }, sample, settings);
  assert.deepEqual([...names], ["weather", "mcp_gh_issue"]);
  assert.match(notices[0]!, /^toolsets: web_search is a tool, not a toolset; name it in tools.enabled instead/);
});

test("the message for an empty selection names the setting that caused it", () => {
  const world = worldOf([registered("a", "one"), registered("b", "two")]);
  const why = (selection: ToolSelection) => select(selection, world, settings).emptied;
  assert.equal(why({}), undefined);
  assert.equal(why({ enabled: [] }), "toolsets: [] enables none of the 2 registered tools.");
  assert.equal(why({ enabled: ["x"] }), "toolsets: [x] enables none of the 2 registered tools.");
  assert.equal(
    why({ disabled: ["all"] }),
    "agent.disabled_toolsets: [all] takes away all of the 2 tools that were enabled.",
  );
  assert.equal(
    why({ enabledTools: [], disabled: ["all"], enabled: ["one"] }),
    "agent.disabled_toolsets: [all] takes away the only tool that was enabled.",
  );
  assert.equal(why({ disabledTools: ["a", "b"] }), "tools.disabled: [a, b] takes away the last 2 tools.");
});

test("cycles, diamonds and chains of ten thousand includes are resolved", () => {
  const ring = worldOf(
    [],
    [
      { name: "a", description: "", tools: ["x"], includes: ["b", "c"] },
      { name: "b", description: "", tools: ["y"], includes: ["d", "a"] },
      { name: "c", description: "", tools: [], includes: ["d"] },
      { name: "d", description: "", tools: ["z"], includes: ["a", "d"] },
    ],
  );
  for (const name of ["a", "b", "c", "d"]) {
    assert.deepEqual([...(expandToolset(name, ring)?.tools ?? [])].toSorted(), ["x", "y", "z"]);
  }
  const chain = Array.from({ length: 10_000 }, (_, index) => ({
    name: `s${index}`,
    description: "",
    tools: [`t${index}`],
    includes: [`s${index + 1}`],
  }));
  assert.equal(expandToolset("s0", worldOf([], chain))?.tools.size, 10_000);
});

test("a custom set does not make the explicit set that it includes part of `all`", () => {
  const world = worldOf(
    [registered("kanban_show", "kanban"), registered("a", "one")],
    [
      { name: "kanban", description: "", tools: ["kanban_show"], role: "explicit" },
      { name: "board", description: "", tools: [], includes: ["kanban"] },
      { name: "loop", description: "", tools: [], includes: ["all"] },
    ],
  );
  assert.deepEqual(chosen({}, world), ["a"]);
  assert.deepEqual(chosen({ enabled: ["loop"] }, world), ["a"]);
  assert.deepEqual(chosen({ enabled: ["board"] }, world), ["kanban_show"]);
});

test("names of Object.prototype properties are treated like other names", () => {
  for (const name of ["__proto__", "constructor", "toString", ""]) {
    assert.deepEqual(chosen({ enabled: [name], disabled: [name], disabledTools: [name] }), joining);
  }
});

// ── properties that hold for any selection ──────────────────────────────────────────────────────────────────────────

const setName = fc.constantFrom("s0", "s1", "s2", "s3", "s4", "s5");
const toolName = fc.constantFrom("t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7");
const toolsetArbitrary = fc.record({
  name: setName,
  description: fc.constant(""),
  tools: fc.array(toolName, { maxLength: 4 }),
  includes: fc.array(fc.oneof(setName, fc.constantFrom("all", "*", "nowhere")), { maxLength: 3 }),
});
const worldArbitrary = fc
  .tuple(
    fc.uniqueArray(fc.tuple(toolName, setName), { selector: ([name]) => name }),
    fc.array(toolsetArbitrary, { maxLength: 8 }),
    fc.boolean(),
  )
  .map(([tools, sets, explicit]) =>
    worldOf(
      tools.map(([name, set], index) =>
        registered(name, set, index % 3 === 0 ? { kind: "plugin", plugin: "p" } : undefined),
      ),
      explicit ? sets.map((set) => (set.name === "s5" ? { ...set, role: "explicit" as const } : set)) : sets,
    ),
  );
const namesArbitrary = fc.array(fc.oneof(setName, toolName, fc.constantFrom("all", "*", "nowhere")), { maxLength: 4 });
const selectionArbitrary: fc.Arbitrary<ToolSelection> = fc.record(
  { enabled: namesArbitrary, disabled: namesArbitrary, enabledTools: namesArbitrary, disabledTools: namesArbitrary },
  { requiredKeys: [] },
);

test("property: an unregistered tool is never selected, and neither is a tool that is disabled by name", () => {
  fc.assert(
    fc.property(worldArbitrary, selectionArbitrary, (world, selection) => {
      const { names } = select(selection, world, settings);
      for (const name of names) assert.ok(world.tools.has(name));
      for (const name of selection.disabledTools ?? []) assert.ok(!names.has(name));
      for (const name of selection.enabledTools ?? []) {
        assert.equal(names.has(name), world.tools.has(name) && !selection.disabledTools?.includes(name));
      }
    }),
  );
});

test("property: a tool of a disabled set is removed unless it was enabled by name", () => {
  fc.assert(
    fc.property(worldArbitrary, selectionArbitrary, (world, selection) => {
      const { names, disabledBy } = select(selection, world, settings);
      for (const set of selection.disabled ?? []) {
        for (const tool of expandToolset(set, world)?.tools ?? []) {
          const back = selection.enabledTools?.includes(tool) ?? false;
          if (!back) assert.ok(!names.has(tool) && disabledBy(tool) !== undefined);
        }
      }
    }),
  );
});

test("property: the order of names does not matter, and disabling more never adds a tool", () => {
  fc.assert(
    fc.property(worldArbitrary, selectionArbitrary, namesArbitrary, (world, selection, more) => {
      const { names } = select(selection, world, settings);
      const turned = Object.fromEntries(Object.entries(selection).map(([key, list]) => [key, list.toReversed()]));
      assert.deepEqual(select(turned, world, settings).names.symmetricDifference(names), new Set());
      const stricter = select({ ...selection, disabled: [...(selection.disabled ?? []), ...more] }, world, settings);
      assert.ok(stricter.names.isSubsetOf(names));
    }),
  );
});

test("property: a set contains its own tools and those of every set that it includes", () => {
  fc.assert(
    fc.property(worldArbitrary, (world) => {
      for (const set of world.sets.values()) {
        const { tools } = expandToolset(set.name, world)!;
        for (const tool of set.tools) assert.ok(tools.has(tool));
        for (const name of set.includes ?? []) assert.ok(expandToolset(name, world)?.tools.isSubsetOf(tools) ?? true);
      }
    }),
  );
});

test("property: an empty selection gives a reason, and any other does not", () => {
  fc.assert(
    fc.property(worldArbitrary, selectionArbitrary, (world, selection) => {
      const { names, emptied } = select(selection, world, settings);
      assert.equal(emptied === undefined, names.size > 0);
    }),
  );
});

test("property: a child agent has only tools that its parent has and its task allows", () => {
  fc.assert(
    fc.property(worldArbitrary, selectionArbitrary, namesArbitrary, namesArbitrary, (world, selection, only, never) => {
      const { names } = select(selection, world, settings);
      const child = select({ ...selection, only, never }, world, settings);
      const task = new Set<string>(only).difference(new Set<string>(never));
      const expected = [...names].filter((name) => task.has(name));
      assert.deepEqual([...child.names].toSorted(), expected.toSorted());
      for (const name of names.difference(child.names)) assert.ok(child.disabledBy(name) !== undefined);
      assert.equal(child.emptied === undefined, child.names.size > 0);
    }),
  );
});
