import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../../test/support/temp-home.ts";
import { systemClock } from "../../base/clock.ts";
import { sha256 } from "../../base/digest.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { valueAt, withValue } from "../keys/deprecated-keys.ts";
import { keyText } from "../keys/key-path.ts";
import { operatorKeys, originalKeys } from "../keys/original-keys.ts";
import { loadConfig } from "../load.ts";
import { keyTree, type Leaf, leaves } from "../schema.ts";
import { trustFolder } from "./trust.ts";

/** Loads the settings of a home and of a trusted project. The files are JSON, which is also valid YAML. */
async function loaded(user: JsonObject, project: JsonObject) {
  await using folder = await tempHome();
  const home = join(folder.path, "home");
  const work = join(folder.path, "work");
  await mkdir(home, { mode: 0o700 });
  await mkdir(join(work, ".hermes"), { recursive: true });
  await writeFile(join(home, "config.yaml"), JSON.stringify(user));
  const text = JSON.stringify(project);
  await writeFile(join(work, ".hermes", "config.yaml"), text);
  const context = { signal: new AbortController().signal, clock: systemClock };
  assert.ok((await trustFolder(home, { path: work, sha256: sha256(Buffer.from(text)), trustedAt: 1 }, context)).ok);
  const config = await loadConfig({ env: { HERMES_HOME: home }, cwd: work });
  assert.ok(config.ok, JSON.stringify(config));
  return config.value;
}

interface Case {
  readonly user: JsonValue;
  readonly looser?: JsonValue;
  readonly stricter?: { readonly asked: JsonValue; readonly becomes: JsonValue };
}

interface Wish {
  readonly path: readonly string[];
  readonly user: JsonValue;
  readonly asked: JsonValue;
  readonly becomes: JsonValue;
  readonly isRefused: boolean;
}

/** A looser and a stricter project value for a setting, derived from its rule. */
function casesOf({ project, type, rule, options }: Leaf): readonly Case[] {
  if (typeof project !== "string") {
    return project.map((user, index) => ({
      user,
      ...(index + 1 < project.length && { looser: project[index + 1] as string }),
      ...(index > 0 && { stricter: { asked: project[index - 1] as string, becomes: project[index - 1] as string } }),
    }));
  }
  const low = rule.minimum ?? 0;
  const step = rule.type === "integer" ? 1 : Math.min(1, ((rule.maximum ?? Infinity) - low) / 4);
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

test("no project file can loosen a setting, but each may tighten it", async () => {
  // Each load tests one value of every setting at once: the first load the first values, the second load the second
  // values, and so on.
  const rounds: Wish[][] = [];
  for (const { path, leaf } of all) {
    const wishes = casesOf(leaf).flatMap(({ user, looser, stricter }): Wish[] => [
      ...(looser === undefined ? [] : [{ path, user, asked: looser, becomes: user, isRefused: true }]),
      ...(stricter === undefined ? [] : [{ path, user, ...stricter, isRefused: false }]),
    ]);
    for (const [index, wish] of wishes.entries()) (rounds[index] ??= []).push(wish);
  }
  assert.ok(rounds.length > 1);
  for (const round of rounds) {
    const fileOf = (name: "user" | "asked") =>
      round.reduce<JsonObject>((tree, wish) => withValue(tree, wish.path, wish[name]), {});
    const { values, warnings } = await loaded(fileOf("user"), fileOf("asked"));
    for (const { path, becomes, isRefused } of round)
      assert.deepEqual(
        {
          value: valueAt(values, path),
          isRefused: warnings.some((warning) => warning.includes(`: ${keyText(path)}: refused: `)),
        },
        { value: becomes, isRefused },
        `${keyText(path)}\n${warnings.join("\n")}`,
      );
  }
});

test("no safety setting can be set freely by a project", () => {
  for (const { path, leaf } of all) if (leaf.safety) assert.notEqual(leaf.project, "allow", keyText(path));
});

test("a project file cannot set operator keys: they are rejected and have no effect", async () => {
  for (const key of operatorKeys) {
    // For a section that this version uses partially, the test takes one of the unused keys.
    const path = originalKeys.has(key)
      ? [key]
      : [...originalKeys].find((each) => each.startsWith(`${key}.`))?.split(".");
    const { warnings, unused } = await loaded({}, withValue({}, path ?? [], { x: { command: "evil" } }));
    assert.ok(
      warnings.some((warning) => warning.includes("refused")),
      key,
    );
    assert.deepEqual([...unused], [], key);
  }
});
