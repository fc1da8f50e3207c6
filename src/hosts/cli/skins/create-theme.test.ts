import assert from "node:assert/strict";
import { test } from "node:test";

import { builtinSkins } from "../../../config/skins/builtin-skins.ts";
import { findSkin } from "../../../config/skins/read-skins.ts";
import type { Skin } from "../../../contracts/host/skin.ts";
import type { TerminalColours, ThemeRole } from "../screen/parts.ts";
import { basicColour, contrast, indexIn256, type Rgb, rgbOf } from "./colours.ts";
import { createTheme } from "./create-theme.ts";

async function skinOf(name: string): Promise<Skin> {
  const read = await findSkin("/nonexistent", name);
  assert.ok(read.ok);
  return read.value.skin;
}

function terminal(depth: TerminalColours["depth"], isLight = false): TerminalColours {
  return { depth, isLight };
}

const roles: readonly ThemeRole[] = [
  "border",
  "title",
  "accent",
  "label",
  "ok",
  "error",
  "warn",
  "prompt",
  "response",
  "session",
  "code",
];

test("every skin is readable on a light and on a dark terminal", async () => {
  for (const { name } of builtinSkins) {
    const skin = await skinOf(name);
    for (const background of ["#ffffff", "#000000", "#fdf6e3", "#002b36"]) {
      const theme = createTheme(skin, { depth: "true", isLight: background.startsWith("#f"), background });
      for (const role of roles) {
        const [, red, green, blue] = /38;2;(\d+);(\d+);(\d+)m/u.exec(theme.paintAs(role, "x")) ?? [];
        const colour: Rgb = [Number(red), Number(green), Number(blue)];
        assert.ok(contrast(colour, rgbOf(background) ?? [0, 0, 0]) >= 4.5, `${name} ${role} on ${background}`);
      }
      for (const bar of ["status", "selection", "menu", "menuCurrent", "menuMeta", "menuCurrentMeta"] as const) {
        const codes = /48;2;(\d+);(\d+);(\d+)m.*38;2;(\d+);(\d+);(\d+)m/u.exec(theme.paintAs(bar, "x")) ?? [];
        const [behind, text] = [codes.slice(1, 4), codes.slice(4, 7)].map((each) => each.map(Number) as unknown as Rgb);
        assert.ok(behind && text && contrast(behind, text) >= 4.5, `${name} ${bar} on ${background}`);
      }
    }
  }
});

test("without colours every text stays unchanged", async () => {
  const theme = createTheme(await skinOf("ares"), terminal("none"));
  assert.equal(theme.isColoured, false);
  assert.equal(theme.paintAs("menuCurrent", theme.bad(theme.bold("plain"))), "plain");
  assert.equal(theme.promptSymbol, "⚔");
  assert.equal(theme.branding.agentName, "Ares");
});

test("the colour of a role resumes after a part in another colour", async () => {
  const theme = createTheme(await skinOf("slate"), terminal("true"));
  const bar = theme.paintAs("status", `a ${theme.good("b")} c`);
  const open = theme.paintAs("status", "|").split("|")[0] ?? "";
  assert.ok(bar.startsWith(`${open}a `));
  assert.ok(bar.endsWith(`\x1b[39m${open} c\x1b[39m\x1b[49m`));
});

test("256 and 16 colours use the nearest colour of their palette", async () => {
  assert.equal(indexIn256([255, 0, 0]), 196);
  assert.equal(indexIn256([18, 18, 18]), 233);
  assert.equal(indexIn256([255, 255, 255]), 231);
  assert.deepEqual(
    ["#e06c6c", "#d9a441", "#5fb36a", "#4fb3bf", "#3f6ea8", "#b05ac0", "#808080"].map((hex) =>
      basicColour(rgbOf(hex) ?? [0, 0, 0]),
    ),
    [1, 3, 2, 6, 4, 5, undefined],
  );
  const basic = createTheme(await skinOf("default"), terminal("16"));
  assert.equal(basic.paintAs("error", "x"), "\x1b[31mx\x1b[39m");
  assert.equal(basic.dim("x"), "\x1b[2mx\x1b[22m");
  assert.equal(basic.paintAs("menuCurrent", "x"), "\x1b[7mx\x1b[27m");
  assert.equal(basic.paintAs("text", "x"), "x");
  // oxlint-disable-next-line no-control-regex -- escape sequences are what it checks
  assert.match(createTheme(await skinOf("default"), terminal("256")).accent("x"), /^\x1b\[38;5;\d+mx\x1b\[39m$/u);
});
