import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { readAgentText } from "./agent-text.ts";

const file = (fields: string, body = "You look.") => `---\n${fields}\n---\n\n${body}\n`;

test("an agent file has a name, a description, tools, a model, permissions and a prompt", () => {
  const text = file(
    'name: reviewer\ndescription: "Reads \\"diffs\\"."\ntools:\n  - read_file\n  - search_files\nmodel: small\npermissions: readonly',
  );
  assert.deepEqual(readAgentText(text, "x"), {
    agent: {
      name: "reviewer",
      description: 'Reads "diffs".',
      tools: ["read_file", "search_files"],
      model: "small",
      permissions: "readonly",
      prompt: "You look.",
    },
    problems: [],
  });
});

test("an agent file of Claude Code works: its tool names are mapped, and a description may contain colons", () => {
  const { agent, problems } = readAgentText(
    file(
      "name: code-reviewer\ndescription: Use this agent when: you wrote code. <example>Context: user: hi</example>\ntools: Read, Grep, Glob, Bash, mcp__git__log\nmodel: inherit\ncolor: red",
    ),
    "x",
  );
  assert.deepEqual(agent, {
    name: "code-reviewer",
    description: "Use this agent when: you wrote code. <example>Context: user: hi</example>",
    tools: ["read_file", "search_files", "terminal", "process", "mcp_git_log"],
    prompt: "You look.",
  });
  assert.deepEqual(problems, []);
});

test("an agent without tools inherits its parent's tools; an empty list means no tools; excluded tools stay excluded", () => {
  assert.equal(readAgentText(file("name: a"), "a").agent?.tools, undefined);
  assert.equal(readAgentText(file("name: a\ntools: '*'"), "a").agent?.tools, undefined);
  assert.deepEqual(readAgentText(file("name: a\ntools: []"), "a").agent?.tools, []);
  assert.deepEqual(readAgentText(file("name: a\ndisallowedTools: Bash, Write"), "a").agent?.withoutTools, [
    "terminal",
    "process",
    "write_file",
  ]);
});

test("a tool with argument restrictions is not granted, because Hermes cannot enforce them", () => {
  const { agent, problems } = readAgentText(
    file("description: d\ntools: Read, Bash(git diff:*, git log), Weird!"),
    "a",
  );
  assert.deepEqual(agent?.tools, ["read_file"]);
  assert.deepEqual(problems, [
    "tools: Bash(git diff:*, git log) limits a tool to some arguments, which Hermes cannot do; the tool is left out.",
    'tools: "Weird!" is not a tool or toolset; it is left out.',
  ]);
});

test("an agent file with an unknown permission, a bad name, no prompt or no front matter is rejected with the reason", () => {
  const unusable = (text: string, name = "a") => {
    const { agent, problems } = readAgentText(text, name);
    assert.equal(agent, undefined);
    return problems.at(-1) ?? "";
  };
  assert.match(unusable(file("permissions: careful")), /"careful" is neither readonly nor manual/u);
  assert.match(unusable(file("name: ../../etc")), /cannot be used/u);
  assert.match(unusable(file("description: d"), "With Space"), /cannot be used/u);
  assert.match(unusable("---\nname: a\n---\n"), /no text after the front matter/u);
  assert.match(unusable("You are an agent."), /front matter/u);
  assert.match(unusable("---\nname: a\nno end"), /front matter/u);
});

test("permission words that would loosen the permissions have no effect", () => {
  assert.equal(readAgentText(file("permissionMode: bypassPermissions"), "a").agent?.permissions, undefined);
  assert.equal(readAgentText(file("permissionMode: plan"), "a").agent?.permissions, "readonly");
});

test("front matter with block scalars, comments and fields without a value is parsed", () => {
  const { agent, problems } = readAgentText(
    file("# mine\ndescription: >-\n  Two\n  lines.\nmodel:\ntools: read_file # only this\n???"),
    "a",
  );
  assert.deepEqual(agent, { name: "a", description: "Two lines.", tools: ["read_file"], prompt: "You look." });
  assert.deepEqual(problems, ['The line "???" is not "field: value".']);
});

test("parsing an agent file never throws, whatever its text", () => {
  const part = fc.constantFrom(
    "---\n",
    "name: a\n",
    "tools: [",
    "]",
    "- x\n",
    "  y\n",
    "\n",
    "description: |\n",
    "é",
    "'",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const { agent, problems } = readAgentText(parts.join(""), "a");
      assert.ok(agent !== undefined || problems.length > 0);
    }),
  );
});
