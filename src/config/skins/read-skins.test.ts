import assert from "node:assert/strict";
import { mkdtempDisposableSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { skinColors } from "../../contracts/host/skin.ts";
import { problemText } from "../problem.ts";
import { builtinSkins, defaultSkin } from "./builtin-skins.ts";
import { findSkin, listSkins } from "./read-skins.ts";

function folder(files: Readonly<Record<string, string>>) {
  const home = mkdtempDisposableSync(join(tmpdir(), "hermes-skins-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home.path, name), text);
  return home;
}

test("every built-in skin has valid colours and sets all of them", async () => {
  using home = folder({});
  assert.deepEqual(
    builtinSkins.map(({ name }) => name),
    ["default", "ares", "mono", "slate", "daylight", "warm-lightmode", "poseidon", "sisyphus", "charizard"],
  );
  for (const { name } of builtinSkins) {
    const read = await findSkin(home.path, name);
    assert.ok(read.ok);
    const { colors } = read.value.skin;
    for (const key of skinColors) assert.match(colors[key], /^(?:#[0-9a-f]{6}|default)$/u, `${name} ${key}`);
  }
});

test("a skin of the user inherits from the default skin and wins on a name clash", async () => {
  using home = folder({
    "slate.yaml": [
      "name: anything",
      "description: mine",
      "colors:",
      '  banner_title: "#ABC"',
      "  ui_ok: default",
      "branding:",
      '  prompt_symbol: "»"',
      "tool_emojis:",
      '  terminal: "🖥"',
      'spinner: {thinking_verbs: [humming], wings: [["<", ">"]]}',
      'banner_logo: "[bold #FFD700]LOGO[/]\\e[2J"',
    ].join("\n"),
  });
  const read = await findSkin(home.path, "SLATE");
  assert.ok(read.ok);
  const { skin, problems } = read.value;
  assert.deepEqual(problems, []);
  assert.equal(skin.name, "slate");
  assert.deepEqual(skin.colors, { ...defaultSkin.colors, banner_title: "#aabbcc", ui_ok: "default" });
  assert.deepEqual(skin.branding, { agent_name: "Hermes", prompt_symbol: "»" });
  assert.deepEqual(skin.tool_emojis, { terminal: "🖥" });
  assert.deepEqual(skin.spinner, { ...defaultSkin.spinner, thinking_verbs: ["humming"], wings: [["<", ">"]] });
  assert.equal(skin.banner_logo, "LOGO[2J");
  const own = (await listSkins(home.path)).filter(({ name }) => name === "slate");
  assert.deepEqual(
    own.map(({ description }) => description),
    ["mine"],
  );
});

test("invalid values are reported with their position, and the rest is used", async () => {
  using home = folder({
    "mine.yaml": ["colors:", "  banner_titel: '#123456'", "  ui_ok: 12", "extras: 1", "tool_prefix: '>>'"].join("\n"),
  });
  const read = await findSkin(home.path, "mine");
  assert.ok(read.ok);
  const texts = read.value.problems.map((problem) => problemText(problem).replace(home.path, ""));
  assert.deepEqual(texts, [
    "/mine.yaml:2:3: colors.banner_titel: is not a key of a skin (did you mean banner_title?)",
    '/mine.yaml:3:3: colors.ui_ok: must be a colour such as "#4fb3bf", or default (put quotes around it)',
    "/mine.yaml:4:1: extras: is not a key of a skin (known keys: name, description, colors, spinner, branding, tool_prefix, tool_emojis, banner_logo, banner_hero)",
  ]);
  assert.equal(read.value.skin.tool_prefix, ">>");
});

test("a file that is not YAML, a folder and an unknown name are refused with a reason", async () => {
  using home = folder({ "broken.yaml": "colors: [", "list.yaml": "- a" });
  symlinkSync(home.path, join(home.path, "folder.yaml"));
  for (const [name, why] of [
    ["broken", /malformed YAML/u],
    ["folder", /is a folder/u],
    ["pozeidon", /There is no skin pozeidon\. Did you mean poseidon\?/u],
    ["../../etc/passwd", /There is no skin/u],
  ] as const) {
    const read = await findSkin(home.path, name);
    assert.ok(!read.ok, name);
    assert.match(read.error.map(problemText).join("\n"), why);
  }
  assert.deepEqual(
    (await listSkins(home.path)).filter(({ file }) => file !== undefined).map(({ name }) => name),
    ["broken", "folder", "list"],
  );
});
