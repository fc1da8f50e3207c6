import assert from "node:assert/strict";
import { test } from "node:test";

import { attachedPart } from "../../../../contracts/session/attached-part.ts";
import type { Session } from "../../../../contracts/session/runtime.ts";
import type { Settings } from "../../../../operations/settings/load-settings.ts";
import { createPaint } from "../../paint.ts";
import { createChangingTexts } from "../../screen/texts/changing-texts.ts";
import { earlierPanel } from "./earlier-exchanges.ts";

test("a resumed session shows its last exchanges, or one line if the settings say so", async () => {
  // The fake session implements only the members that the panel reads.
  const session = {
    id: "ses_1",
    history: () => [
      {
        role: "user",
        content: [
          { type: "text", text: "hello" },
          attachedPart("@a.txt", "1 line", { type: "text", text: "x" }),
          { type: "text", text: "[You now run on custom/m2.]" },
        ],
      },
      { role: "assistant", content: [], calls: [{ name: "terminal" }], stop: "calls" },
      { role: "assistant", content: [{ type: "text", text: "hi there" }], calls: [], stop: "end" },
      { role: "user", content: [{ type: "text", text: "look" }] },
      {
        role: "assistant",
        content: [{ type: "text", text: "I read it." }],
        calls: [{ name: "read_file" }],
        stop: "calls",
      },
    ],
    record: async () => ({ title: "Greeting" }),
    tree: async () => ({ branches: [], exchanges: [] }),
  } as unknown as Session;
  const settings = (resume_display: string) => ({ values: { display: { resume_display } } }) as unknown as Settings;
  const full = await earlierPanel(session, createPaint(false), 80, settings("full"));
  assert.match(full, /❯ hello\n│ ⚙ terminal\n│ hi there\n│ ❯ look\n│ I read it\.\n│ ⚙ read_file\n/u);
  assert.equal(await earlierPanel(session, createPaint(false), 80, settings("minimal")), "Greeting · 2 exchanges\n");
  const { translate, useLanguage } = createChangingTexts();
  await useLanguage("zh");
  const translated = await earlierPanel(session, createPaint(false), 80, settings("minimal"), translate);
  assert.equal(translated, "Greeting · 2 轮对话\n");
});
