import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { clientConfig } from "./client-configs.ts";

test("each MCP client gets the command or the file in its own format", () => {
  const words = ["/my bin/hermes", "mcp", "serve"] as const;
  for (const name of ["claude-code", "Claude Desktop", "Codex", "cursor", "VS Code", "gemini", "Gemini CLI"]) {
    const config = clientConfig(name, words);
    assert.ok(!("error" in config), name);
    if (config.text.startsWith("{")) assert.match(JSON.stringify(JSON.parse(config.text)), /"\/my bin\/hermes"/u);
    else assert.match(config.text, /'\/my bin\/hermes'|command = "\/my bin\/hermes"/u);
  }
  assert.deepEqual(clientConfig("cursr", words), {
    error:
      "There is no client cursr. Did you mean cursor? Known: claude-code, claude-desktop, codex, cursor, vscode, gemini.",
  });
});

test("the guide shows the entry of each client", async () => {
  const guide = await readFile(new URL("../../../../../docs/guide/mcp.md", import.meta.url), "utf8");
  const plain = guide.replaceAll(/\s/gu, "");
  for (const name of ["claude-code", "claude-desktop", "cursor", "vscode", "gemini", "codex"]) {
    const config = clientConfig(name, ["hermes", "mcp", "serve"]);
    assert.ok("text" in config);
    assert.ok(plain.includes(`(\`${name}\`)`), name);
    const pieces = name === "codex" ? config.text.split("\n") : [config.text];
    for (const piece of [...pieces, config.file ?? ""]) assert.ok(plain.includes(piece.replaceAll(/\s/gu, "")), piece);
  }
});
