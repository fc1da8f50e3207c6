import { ownValue } from "../../../base/json.ts";
import { withoutUndefined } from "../../../base/without-undefined.ts";
import type { Skin, SkinColor } from "../../../contracts/host/skin.ts";
import { createPaint } from "../paint.ts";
import type { TerminalColours, Theme, ThemeRole } from "../screen/parts.ts";
import { basicColour, indexIn256, luminance, invertLightness, readableOn, type Rgb, rgbOf } from "./colours.ts";

/**
 * The skin in the colours that the terminal supports. Colours with too little contrast to the background become lighter
 * or darker, so that every skin is readable on light and dark terminals.
 */
export function createTheme(skin: Skin, terminal: TerminalColours): Theme {
  const { depth, isLight } = terminal;
  const isColoured = depth !== "none";
  const basic = createPaint(isColoured);
  const styles = new Map<ThemeRole, Style>();
  const paintAs = (role: ThemeRole, text: string): string => {
    if (!isColoured || text === "") return text;
    let style = styles.get(role);
    if (!style) styles.set(role, (style = styleOf(role, skin, terminal)));
    return painted(text, style);
  };
  const { waiting_faces: waitingFaces, thinking_faces: thinkingFaces, thinking_verbs: verbs, wings } = skin.spinner;
  const { agent_name, welcome, goodbye, response_label, help_header, prompt_symbol = "❯" } = skin.branding;
  return {
    ...basic,
    dim: (text) => paintAs("dim", text),
    good: (text) => paintAs("ok", text),
    bad: (text) => paintAs("error", text),
    warn: (text) => paintAs("warn", text),
    accent: (text) => paintAs("accent", text),
    skin: skin.name,
    isLight,
    paintAs,
    promptSymbol: prompt_symbol,
    toolPrefix: skin.tool_prefix,
    toolEmoji: (tool) => ownValue(skin.tool_emojis, tool),
    spinner: { waitingFaces, thinkingFaces, verbs, wings },
    branding: withoutUndefined({
      agentName: agent_name,
      welcome,
      goodbye,
      responseLabel: response_label,
      helpHeader: help_header,
    }),
    banner: { logo: skin.banner_logo, hero: skin.banner_hero },
  };
}

/** Escape sequences before and after a text. */
interface Style {
  readonly open: string;
  readonly close: string;
}

/** Text colours by role. */
const textColours: Readonly<Partial<Record<ThemeRole, SkinColor>>> = {
  border: "banner_border",
  title: "banner_title",
  accent: "ui_accent",
  dim: "banner_dim",
  text: "banner_text",
  label: "ui_label",
  ok: "ui_ok",
  error: "ui_error",
  warn: "ui_warn",
  prompt: "prompt",
  rule: "input_rule",
  response: "response_border",
  session: "session_label",
  added: "ui_ok",
  removed: "ui_error",
  code: "banner_accent",
};

/** Roles that colour the background. */
const backgrounds: Readonly<Partial<Record<ThemeRole, SkinColor>>> = {
  status: "status_bar_bg",
  selection: "selection_bg",
  menu: "completion_menu_bg",
  menuCurrent: "completion_menu_current_bg",
  menuMeta: "completion_menu_meta_bg",
  menuCurrentMeta: "completion_menu_meta_current_bg",
};

const faintRoles: readonly ThemeRole[] = ["dim", "rule"];

function styleOf(role: ThemeRole, { colors }: Skin, { depth, isLight, background }: TerminalColours): Style {
  const behind = rgbOf(background ?? "") ?? (isLight ? lightBackground : darkBackground);
  const backgroundName = backgrounds[role];
  if (backgroundName === undefined) {
    const colour = rgbOf(colors[textColours[role] ?? "banner_text"]);
    if (depth === "16" && faintRoles.includes(role)) return faint;
    return colour ? textStyle(readableOn(colour, behind, faintRoles.includes(role) ? 3 : 4.5), depth) : plain;
  }
  // With 16 colours a background may hide its text, so only the selected row is marked.
  if (depth === "16") return role === "menu" || role === "status" || role === "menuMeta" ? plain : reversed;
  const given = rgbOf(colors[backgroundName]);
  if (!given) return plain;
  const isOnOtherSide = luminance(given) > 0.4 !== luminance(behind) > 0.4;
  const bar = isOnOtherSide ? invertLightness(given) : given;
  const fallback = luminance(bar) > 0.4 ? darkBackground : lightBackground;
  const isMeta = role === "menuMeta" || role === "menuCurrentMeta";
  const words = rgbOf(colors[isMeta ? "banner_dim" : "banner_text"]) ?? fallback;
  const text = textStyle(readableOn(words, bar, 4.5), depth);
  return { open: `${backgroundCode(bar, depth)}${text.open}`, close: `${text.close}\x1b[49m` };
}

/** Typical backgrounds, for terminals that do not report theirs. */
const lightBackground: Rgb = [250, 250, 250];
const darkBackground: Rgb = [24, 24, 24];

const plain: Style = { open: "", close: "" };
const faint: Style = { open: "\x1b[2m", close: "\x1b[22m" };
const reversed: Style = { open: "\x1b[7m", close: "\x1b[27m" };

function textStyle(colour: Rgb, depth: TerminalColours["depth"]): Style {
  const close = "\x1b[39m";
  if (depth === "true") return { open: `\x1b[38;2;${colour.join(";")}m`, close };
  if (depth === "256") return { open: `\x1b[38;5;${indexIn256(colour)}m`, close };
  const basic = basicColour(colour);
  return basic === undefined ? plain : { open: `\x1b[${30 + basic}m`, close };
}

function backgroundCode(colour: Rgb, depth: TerminalColours["depth"]): string {
  return depth === "true" ? `\x1b[48;2;${colour.join(";")}m` : `\x1b[48;5;${indexIn256(colour)}m`;
}

/** Painted parts of the text end their own colour; the outer one continues after them. */
function painted(text: string, { open, close }: Style): string {
  if (open === "") return text;
  const inner = text.includes("\x1b")
    ? text.replaceAll(endings, (ending) => (close.includes(ending) ? `${ending}${open}` : ending))
    : text;
  return `${open}${inner}${close}`;
}

// oxlint-disable-next-line no-control-regex -- escape sequences are what it looks for
const endings = /\x1b\[(?:22|27|39|49)m/gu;
