import { defineTool } from "../src/contracts/tool/define-tool.ts";
/** How long a search over many tools takes. */
import { fromJsonSchema } from "../src/contracts/tool/json-input.ts";
import { text } from "../src/contracts/tool/tool-result.ts";
import { createRegistry } from "../src/kernel/registry/registry.ts";
import { everythingAvailable, searchDefaults } from "./support/catalogs.ts";
import { quantile, report, rounded } from "./support/measure.ts";

const verbs = ["list", "create", "update", "delete", "search", "export", "import", "archive", "restore", "share"];
const nouns = [
  "issue",
  "invoice",
  "calendar",
  "contact",
  "repository",
  "message",
  "document",
  "payment",
  "meeting",
  "ticket",
];
const words = [
  "open",
  "recent",
  "customer",
  "by date",
  "with labels",
  "for a project",
  "in a workspace",
  "as CSV",
  "in bulk",
  "with comments",
];

const count = 2_000;
const registry = createRegistry();
for (let index = 0; index < count; index++) {
  const verb = verbs[index % 10] ?? "";
  const noun = nouns[Math.floor(index / 10) % 10] ?? "";
  const server = `server${Math.floor(index / 100)}`;
  const tool = defineTool({
    name: `mcp__${server}__${verb}_${noun}_${index}`,
    toolset: `mcp-${server}`,
    description: `${verb} ${noun} ${words[index % 7]} ${words[index % 9]}. Works on the ${noun} store of ${server}.`,
    input: fromJsonSchema({
      type: "object",
      properties: { [`${noun}_id`]: { type: "string" }, limit: { type: "integer" } },
    }),
    run: async () => text("ok"),
  });
  const added = registry.add(tool, { kind: "mcp", server });
  if (!added.ok) throw new Error(added.error.message);
}
const catalog = await registry.catalog({ enabled: ["all"] }, everythingAvailable, {
  signal: new AbortController().signal,
  search: searchDefaults,
});
const queries = [
  "create invoice",
  "delete calendar meeting",
  "payment export",
  "serch repositry",
  "customer contact bulk update",
  "xyzzy",
  "issue",
  "list messages by date",
];
catalog.search.search("warm up", 5);
const times: number[] = [];
for (let round = 0; round < 250; round++) {
  for (const query of queries) {
    const startedAt = performance.now();
    catalog.search.search(query, 5);
    times.push(performance.now() - startedAt);
  }
}
const p99 = quantile(times, 0.99);
report("tool-search", `search over ${count} tools`, {
  p50Ms: rounded(quantile(times, 0.5)),
  p99Ms: rounded(p99),
  limitMs: 5,
  holds: p99 <= 5,
});
