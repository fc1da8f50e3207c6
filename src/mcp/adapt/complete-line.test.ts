import assert from "node:assert/strict";
import { test } from "node:test";

import { err, ok } from "../../base/result.ts";
import type { McpConnection } from "../../contracts/mcp/connection.ts";
import type { McpFleet, McpServerGlance } from "../../contracts/mcp/fleet.ts";
import { completeLine } from "./complete-line.ts";
import { promptCommands } from "./prompt-commands.ts";
import { resourceReferences } from "./resource-references.ts";

const review = {
  name: "Review Code",
  description: "",
  arguments: [
    { name: "language", description: "", isRequired: true },
    { name: "style", description: "", isRequired: false },
  ],
};
const glance = (name: string, more: Partial<McpServerGlance> = {}): McpServerGlance => ({
  name,
  state: "known",
  prompts: [],
  hasResources: false,
  hasCompletions: false,
  ...more,
});

/** Fake servers whose connections answer completion requests and list resources. */
function fleetOf(servers: readonly McpServerGlance[]): McpFleet {
  const resource = { name: "", description: "" };
  const connection: Partial<McpConnection> = {
    complete: async ({ of, argument, value, others }) =>
      ok([`${value}${"prompt" in of ? of.prompt.length : of.resource}`, JSON.stringify([argument, others ?? null])]),
    listResources: async () =>
      ok([
        { ...resource, uri: "file:///a", isTemplate: false },
        { ...resource, uri: "db://{table}/rows/{id}", isTemplate: true },
        { ...resource, uri: "evil\u001b[2J", isTemplate: false },
      ]),
  };
  return {
    glance: () => servers,
    // The cast is safe: only these two functions of a connection are used.
    use: async (name, exchange) =>
      name === "dead"
        ? err({ kind: "transport", message: "gone", isSent: false })
        : exchange(connection as McpConnection, undefined as never),
  } as Partial<McpFleet> as McpFleet;
}

const fleet = fleetOf([
  glance("code", { prompts: [review], hasCompletions: true, hasResources: true }),
  glance("dead", { prompts: [review], hasCompletions: true, hasResources: true }),
  glance("plain", { prompts: [{ ...review, name: "x" }] }),
  glance("off", { prompts: [review], state: "disabled", hasResources: true }),
]);
const limits = { signal: new AbortController().signal, timeoutMs: 1_000 };
const complete = (line: string) => completeLine(line, fleet, limits);

test("prompt names, their arguments and argument values are completed", async () => {
  assert.deepEqual(
    promptCommands(fleet).map(({ name }) => name),
    ["code:review_code", "dead:review_code", "plain:x"],
  );
  assert.deepEqual(await complete("/code:"), ["/code:review_code "]);
  assert.deepEqual(await complete("/code:review_code "), ["/code:review_code language=", "/code:review_code style="]);
  assert.deepEqual(await complete("/code:review_code language=c s"), ["/code:review_code language=c style="]);
  assert.deepEqual(await complete("/code:review_code style=b language=py"), [
    "/code:review_code style=b language=py11 ",
  ]);
  for (const line of ["/dead:review_code language=p", "/plain:x language=p", "/nothing:x ", "/off:"])
    assert.deepEqual(await complete(line), []);
});

test("references to resources are completed, including the variables of templates", async () => {
  assert.deepEqual(await complete("see @"), ["see @code:", "see @dead:"]);
  assert.deepEqual(await complete("see @code:"), ["see @code:file:///a", "see @code:db://"]);
  assert.deepEqual(await complete("see @code:db://us"), ["see @code:db://usdb://{table}/rows/{id}/rows/"]);
  assert.deepEqual(await complete("mail anna@co"), []);
  assert.deepEqual(await complete("see @dead:f"), []);
});

test("only words that start with the name of a configured server are references", () => {
  const text = 'Compare @a:file:///x.txt, (@a:db://t/1) and "@b.c:y"; not anna@a:z, @none:x, @a: or @a:file:///x.txt.';
  assert.deepEqual(resourceReferences(text, ["a", "b.c"]), [
    { server: "a", uri: "file:///x.txt" },
    { server: "a", uri: "db://t/1" },
    { server: "b.c", uri: "y" },
  ]);
});
