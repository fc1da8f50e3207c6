import assert from "node:assert/strict";
import { test } from "node:test";

import { chosenInterface, type InterfaceFacts } from "./choose-interface.ts";

const defaultFacts: InterfaceFacts = {
  wantsPlain: false,
  wantsScreen: false,
  hasTerminal: true,
  env: { TERM: "xterm-256color" },
  columns: 80,
  rows: 24,
};

test("the command line wins over the terminal, the terminal over the environment, and the environment over the settings", () => {
  const cases: readonly (readonly [Partial<InterfaceFacts>, "screen" | "plain" | undefined])[] = [
    [{}, undefined],
    [{ wantsPlain: true, wantsScreen: true }, "plain"],
    [{ wantsScreen: true, env: { TERM: "xterm", HERMES_TUI: "0" }, columns: 20 }, "screen"],
    [{ wantsScreen: true, hasTerminal: false }, "plain"],
    [{ wantsScreen: true, env: { TERM: "dumb" } }, "plain"],
    [{ wantsScreen: true, env: {} }, "plain"],
    [{ columns: 20 }, "plain"],
    [{ rows: 4 }, "plain"],
    [{ env: { TERM: "xterm", HERMES_TUI: "1" } }, "screen"],
    [{ env: { TERM: "xterm", HERMES_TUI: "0" } }, "plain"],
    [{ env: { TERM: "xterm", HERMES_TUI: "1", HERMES_SCREEN_READER: "1" } }, "plain"],
  ];
  for (const [facts, expected] of cases)
    assert.equal(chosenInterface({ ...defaultFacts, ...facts }), expected, JSON.stringify(facts));
});
