import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { chatTerminal } from "../../../../test/support/chat-terminal.ts";
import { scriptedModel } from "../../../../test/support/scripted-model.ts";
import { tempHome } from "../../../../test/support/temp-home.ts";

test("saving a model as the default keeps the address of its provider, even if the model was chosen by an alias", async () => {
  await using home = await tempHome();
  const file = join(home.path, "config.yaml");
  const settings = "{provider: openai, default: old, base_url: http://proxy/v1, key_env: K, supports_vision: yes}";
  await writeFile(file, `model: ${settings}\n`);
  const model = scriptedModel([], { provider: "openai-api", model: "gpt-x" });
  await using terminal = chatTerminal([], { home: home.path, model });
  await terminal.until("❯");
  terminal.type("/model gpt-x --global\r");
  await terminal.until(/It is now the default/u);
  const kept = await readFile(file, "utf8");
  assert.match(kept, /base_url: http:\/\/proxy\/v1/u);
  assert.match(kept, /key_env: K/u);
  assert.doesNotMatch(kept, /supports_vision/u, "the setting belonged to the previous model");
});
