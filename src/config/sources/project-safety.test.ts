import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../../test/support/temp-home.ts";
import { systemClock } from "../../base/clock.ts";
import { sha256 } from "../../base/digest.ts";
import type { JsonValue } from "../../base/json.ts";
import { valueAt, withValue } from "../keys/deprecated-keys.ts";
import { keyText } from "../keys/key-path.ts";
import { operatorKeys, originalKeys } from "../keys/original-keys.ts";
import { loadConfig } from "../load.ts";
import { keyTree, type Leaf, leaves } from "../schema.ts";
import { trustFolder } from "./trust.ts";

/** What a user has, what a trusted project asks for, and what comes out. JSON is YAML. */
async function outcome(path: readonly string[], user: JsonValue | undefined, project: JsonValue) {
  await using folder = await tempHome();
  const home = join(folder.path, "home");
  const work = join(folder.path, "work");
  await mkdir(home, { mode: 0o700 });
  await mkdir(join(work, ".hermes"), { recursive: true });
  await writeFile(join(home, "config.yaml"), JSON.stringify(user === undefined ? {} : withValue({}, path, user)));
  const text = JSON.stringify(withValue({}, path, project));
  await writeFile(join(work, ".hermes", "config.yaml"), text);
  const at = { signal: new AbortController().signal, clock: systemClock };
  assert.ok((await trustFolder(home, { path: work, sha256: sha256(Buffer.from(text)), trustedAt: 1 }, at)).ok);
  const loaded = await loadConfig({ env: { HERMES_HOME: home }, cwd: work });
  assert.ok(loaded.ok, JSON.stringify(loaded));
  const { values, warnings, unused } = loaded.value;
  const value = valueAt(values, path);
  return { value, unused, isRefused: warnings.some((warning) => warning.includes("refused")) };
}

interface Case {
  readonly user: JsonValue;
  readonly looser?: JsonValue;
  readonly stricter?: { readonly asked: JsonValue; readonly becomes: JsonValue };
}

/** A looser and a stricter wish for a leaf, by its rule. */
function casesOf({ project, type, rule, options }: Leaf): readonly Case[] {
  if (typeof project !== "string") {
    return project.map((user, index) => ({
      user,
      ...(index + 1 < project.length && { looser: project[index + 1] as string }),
      ...(index > 0 && { stricter: { asked: project[index - 1] as string, becomes: project[index - 1] as string } }),
    }));
  }
  const low = rule.minimum ?? 0;
  const step = Math.min(1, ((rule.maximum ?? Infinity) - low) / 4);
  switch (project) {
    case "true":
    case "false": {
      const strict = project === "true";
      return [
        { user: strict, looser: !strict },
        { user: !strict, stricter: { asked: strict, becomes: strict } },
      ];
    }
    case "lower":
      return [{ user: low + step, looser: low + 2 * step, stricter: { asked: low, becomes: low } }];
    case "grow":
      return [{ user: ["a"], stricter: { asked: ["b"], becomes: ["a", "b"] } }];
    case "shrink":
    case "within":
      return [{ user: ["a", "b"], looser: ["a", "c"], stricter: { asked: ["a"], becomes: ["a"] } }];
    case "never": {
      const values = {
        boolean: [true, false],
        number: [low, low + step],
        string: rule.pattern ? ["1", "2"] : ["a", "b"],
        strings: [["a"], ["b"]],
        entries: [[{ provider: "a", model: "a" }], [{ provider: "b", model: "b" }]],
        json: ["a", "b"],
      };
      const [user = "", looser = ""] = type === "words" ? options : values[type];
      return [{ user, looser }];
    }
    case "allow":
      return [];
  }
}

const all = leaves(keyTree()).map(({ path, leaf }) => ({
  path: path.map((part) => (part === "*" ? "x" : part)),
  leaf,
}));

test("no project file loosens a setting, every one may make it stricter", async () => {
  for (const { path, leaf } of all) {
    for (const { user, looser, stricter } of casesOf(leaf)) {
      if (looser !== undefined) {
        const { value, isRefused } = await outcome(path, user, looser);
        assert.deepEqual({ value, isRefused }, { value: user, isRefused: true }, keyText(path));
      }
      if (stricter !== undefined) {
        const { value, isRefused } = await outcome(path, user, stricter.asked);
        assert.deepEqual({ value, isRefused }, { value: stricter.becomes, isRefused: false }, keyText(path));
      }
    }
  }
});

test("a safety setting is never free for a project to set", () => {
  for (const { path, leaf } of all) if (leaf.safety) assert.notEqual(leaf.project, "allow", keyText(path));
});

test("what is the operator's a project file cannot set: it is refused, and nobody gets its value", async () => {
  for (const key of operatorKeys) {
    // Of a section that is used in part, one of the keys that are not.
    const path = originalKeys.has(key)
      ? [key]
      : [...originalKeys].find((each) => each.startsWith(`${key}.`))?.split(".");
    const { isRefused, unused } = await outcome(path ?? [], undefined, { x: { command: "evil" } });
    assert.deepEqual({ isRefused, unused: [...unused] }, { isRefused: true, unused: [] }, key);
  }
});
