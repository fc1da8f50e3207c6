// covers: data/parity.yaml, src/hosts/cli, src/commands, src/config/slices
import assert from "node:assert/strict";
import { test } from "node:test";

import { parityFaults, readParity } from "../scripts/parity.ts";

test("everything that the parity table marks as present is present", () => {
  assert.deepEqual(parityFaults(readParity()), []);
});

test("the check finds what is missing", () => {
  const table = {
    commands: { "sessions nonsense": "there", "backup --quick": "there", "profile list": "there as profile nothing" },
    "slash commands": { "/queue edit": "there", "/queue fly": "there", "/nonsense": "coming with nothing" },
    keys: { "ctrl+c": "there", "ctrl+alt+f12": "there" },
    "display settings": { skin: "there", sparkles: "there" },
    environment: { HERMES_HOME: "there", HERMES_NONSENSE: "there" },
    "global options": { "--resume": "there", "--nonsense": "somewhere", "--old": "replaced by `hermes nonsense X`" },
  };
  assert.deepEqual(parityFaults(table), [
    "commands: sessions nonsense does not exist",
    "commands: profile nothing does not exist",
    "slash commands: /queue fly does not exist",
    "keys: ctrl+alt+f12 does not exist",
    "display settings: sparkles does not exist",
    "environment: HERMES_NONSENSE does not exist",
    'global options: --nonsense: "somewhere" is not a state',
    "global options: --old names hermes nonsense, which does not exist",
  ]);
});
