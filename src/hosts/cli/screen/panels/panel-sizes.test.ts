import assert from "node:assert/strict";
import { test } from "node:test";

import { panelRig } from "../../../../../test/support/panel-rig.ts";
import { err, ok } from "../../../../base/result.ts";
import type { ApprovalQuestion } from "../../../../contracts/safety/approval.ts";
import { createPicker } from "../pickers/picker.ts";
import { screenQuestions } from "./screen-questions.ts";
import { createTextView } from "./text-view.ts";

const hostile = "\u001b[2J日本語 👨‍👩‍👧 \u202e rm -rf /\r\n\tעברית ".repeat(5);
const approval: ApprovalQuestion = {
  tool: "terminal",
  text: hostile,
  cwd: "/a very long folder name/".repeat(9),
  backend: "ssh",
  preview: `@@ -1 +1 @@\n-${hostile}\n+${hostile}`,
  leavesSandbox: true,
  asks: [{ key: "k", rule: "rule", reason: hostile, spans: [{ from: 5, to: 30 }], covers: `rule of ${hostile}` }],
};

/** Functions that open a panel and press the keys that show its other views. */
const openers: Readonly<Record<string, (rig: ReturnType<typeof panelRig>) => readonly string[]>> = {
  approval(rig) {
    void questionsOf(rig).asker.approve?.(approval, signal);
    return ["?", "escape", "tab", "escape", "a"];
  },
  clarify(rig) {
    const choices = Array.from({ length: 12 }, (_, index) => ({ label: `${index} ${hostile}`, description: hostile }));
    void questionsOf(rig).asker.ask({ from: hostile, text: hostile, choices, hasSeveral: true }, signal);
    return ["down", "space", "up", "up", "x"];
  },
  form(rig) {
    void questionsOf(rig).asker.fillIn(
      {
        from: hostile,
        text: hostile,
        fields: [
          { kind: "text", name: "a", title: hostile, description: hostile, isRequired: true },
          { kind: "choice", name: "b", isRequired: true, hasSeveral: false, choices: [{ value: "1", title: hostile }] },
          { kind: "yes_no", name: "c", isRequired: true },
        ],
      },
      signal,
    );
    return ["x", "enter", "enter", "tab", "tab", "enter"];
  },
  secret(rig) {
    void questionsOf(rig).secrets.askSecret(hostile, hostile, signal);
    return ["x"];
  },
  confirmation(rig) {
    void questionsOf(rig).confirmCommand(hostile, signal);
    return ["up"];
  },
  picker(rig) {
    const items = Array.from({ length: 30 }, (_, index) => ({
      id: `${index}`,
      title: hostile,
      detail: hostile,
      mark: "●",
    }));
    void rig.panels.open<true>((close, redraw) =>
      createPicker({
        ...rig,
        title: hostile,
        empty: "",
        theme: rig.theme(),
        load: async () => items,
        preview: async () => [{ text: hostile }],
        actions: [
          {
            chords: ["ctrl+t"],
            hint: "Ctrl-T name",
            run: async (_item, picker) => void (await picker.ask("Name:", hostile)),
          },
        ],
        redraw,
        close: () => close(true),
      }),
    );
    return ["down", "tab", "tab", "ctrl+t"];
  },
  text(rig) {
    const lines = Array.from({ length: 10 }, () => ({ text: hostile }));
    void rig.panels.open<true>((close, redraw) =>
      createTextView({ ...rig, title: hostile, lines, theme: rig.theme(), redraw, close: () => close(true) }),
    );
    return ["G", "/", "x", "enter"];
  },
};

const { signal } = new AbortController();

function questionsOf(rig: ReturnType<typeof panelRig>) {
  return screenQuestions({
    ...rig,
    note() {},
    stopConfirming: async () => {},
    tryRule: async (rule) =>
      rule === ""
        ? err({ message: "" })
        : ok({ rule, covers: hostile, uncovered: [], calls: 0, allows: [], leaves: [] }),
  });
}

for (const [name, open] of Object.entries(openers)) {
  test(`every view of the panel fits every window: ${name}`, async () => {
    for (const columns of [12, 40, 120])
      for (const rows of [2, 5, 8, 24]) {
        const rig = panelRig({ columns, rows });
        const keys = open(rig);
        await rig.settle();
        rig.ready();
        for (const key of keys) {
          rig.lines();
          rig.press(key);
          await rig.settle();
          rig.clock.advance(200);
          await rig.settle();
        }
        assert.ok(rig.lines().length > 0);
        if (name === "approval") assert.doesNotMatch(rig.lines().slice(1).join("\n"), /^── Approval/mu);
      }
  });
}

test("an approval in a tiny window still shows the call and the answers", () => {
  for (const rows of [2, 3, 4, 5]) {
    const rig = panelRig({ columns: 40, rows });
    void questionsOf(rig).asker.approve?.({ ...approval, text: "rm -rf build", asks: [] }, signal);
    rig.ready();
    assert.match(rig.text(), /rm -rf build[^]*❯d deny/u, `${rows} rows`);
  }
});

test("in a window of a few rows, the page keys reach every line of a panel", async () => {
  const long = (name: string) => Array.from({ length: 12 }, (_, index) => `${name}${index}`).join(" ");
  const choices = ["one", "two"].map((label) => ({ label, description: long(`${label}-about`) }));
  const panels: Readonly<Record<string, (questions: ReturnType<typeof questionsOf>) => unknown>> = {
    approval: ({ asker }) => asker.approve?.({ ...shortApproval, text: long("call").replaceAll(" ", "\n") }, signal),
    clarify: ({ asker }) => asker.ask({ from: "the agent", text: long("question"), choices }, signal),
    form: ({ asker }) => asker.fillIn({ from: "a server", text: long("form"), fields: [field] }, signal),
    secret: ({ secrets }) => secrets.askSecret("KEY", long("prompt"), signal),
    confirmation: ({ confirmCommand }) => confirmCommand(long("sure"), signal),
  };
  const shortApproval = {
    tool: "terminal",
    cwd: "/work",
    backend: "local",
    leavesSandbox: true,
    asks: [{ key: "k", rule: "rule", reason: long("reason"), spans: [], covers: long("cover") }],
  };
  const field = { kind: "text", name: "a", title: "A", description: long("field"), isRequired: true } as const;
  const words = {
    approval: ["call11", "reason11", "cover11", "outside the sandbox", "❯d deny"],
    clarify: ["question11", "one-about11", "1. one"],
    form: ["form11", "field11", "❯ A"],
    secret: ["prompt11"],
    confirmation: ["sure11", "❯ 3 c"],
  };
  for (const rows of [4, 10])
    for (const [name, expected] of Object.entries(words)) {
      const rig = panelRig({ columns: 40, rows });
      void panels[name]?.(questionsOf(rig));
      await rig.settle();
      rig.ready();
      let seen = "";
      for (let page = 0; page < 60; page++) {
        seen += `${rig.text().replaceAll(/\s+/gu, " ")} `;
        rig.press(page < 30 ? "pagedown" : "pageup");
      }
      for (const word of expected) assert.ok(seen.includes(word), `${name}, ${rows} rows: ${word}\n${rig.text()}`);
    }
});
