import assert from "node:assert/strict";
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
