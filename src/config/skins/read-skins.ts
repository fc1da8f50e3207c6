import { readdirSync } from "node:fs";
import { basename, join } from "node:path";

import { isObject, ownValue } from "../../base/json.ts";
import { err, ok, type Result, valueOr } from "../../base/result.ts";
import { didYouMean, nearest } from "../../base/text/nearest.ts";
import { byText } from "../../base/text/order.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import { type Skin, type SkinColor, skinColors, skinTexts, type SkinText } from "../../contracts/host/skin.ts";
import type { Problem } from "../problem.ts";
import { readYaml } from "../yaml/read-yaml.ts";
import type { SettingsFile } from "../yaml/settings-file.ts";
import { builtinSkins, defaultSkin, type SkinParts } from "./builtin-skins.ts";

export interface SkinName {
  readonly name: string;
  readonly description: string;
  /** The file of the user. Absent: built in. */
  readonly file?: string;
}

export interface ReadSkin {
  readonly skin: Skin;
  readonly file?: string;
  /** Values of the file that were not used. */
  readonly problems: readonly Problem[];
}

/** The built-in skins and those in the folder. A file of the user replaces a built-in skin with its name. */
export async function listSkins(folder: string): Promise<readonly SkinName[]> {
  const files = filesIn(folder);
  const own = await Promise.all(
    files.map(async ({ name, file }) => {
      const read = await readSkinFile(name, file);
      return { name, file, description: read.ok ? read.value.skin.description : "cannot be read" };
    }),
  );
  const builtin = builtinSkins.filter(({ name }) => !own.some((each) => each.name === name));
  return [...builtin.map(({ name, description }) => ({ name, description })), ...own];
}

/** A skin by name. Fails if there is none, or if its file is not YAML; other problems are returned with the skin. */
export async function findSkin(folder: string, name: string): Promise<Result<ReadSkin, readonly Problem[]>> {
  const requested = name.trim().toLowerCase();
  const files = filesIn(folder);
  const own = files.find((each) => each.name === requested);
  if (own) return readSkinFile(own.name, own.file);
  const builtin = builtinSkins.find((each) => each.name === requested);
  if (builtin) return ok({ skin: wholeSkin(builtin), problems: [] });
  const names = [...builtinSkins, ...files].map((each) => each.name);
  const close = didYouMean(requested, names);
  return err([{ message: `There is no skin ${name}. ${close === "" ? `Skins: ${names.join(", ")}` : close}` }]);
}

function wholeSkin({ colors, spinner, branding, tool_emojis, ...rest }: SkinParts): Skin {
  return {
    ...defaultSkin,
    ...rest,
    colors: { ...defaultSkin.colors, ...colors },
    spinner: { ...defaultSkin.spinner, ...spinner },
    branding: { ...defaultSkin.branding, ...branding },
    tool_emojis: { ...defaultSkin.tool_emojis, ...tool_emojis },
  };
}

function filesIn(folder: string): readonly { readonly name: string; readonly file: string }[] {
  const names = valueOr(() => readdirSync(folder), []).toSorted(byText);
  return names.flatMap((each) => {
    const name = basename(each).replace(/\.ya?ml$/iu, "");
    return name !== each && isSkinName(name.toLowerCase())
      ? [{ name: name.toLowerCase(), file: join(folder, each) }]
      : [];
  });
}

function isSkinName(name: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/u.test(name);
}

async function readSkinFile(name: string, file: string): Promise<Result<ReadSkin, readonly Problem[]>> {
  const yaml = await readYaml(file);
  if (!yaml.ok) return yaml;
  const problems: Problem[] = [];
  const values = yaml.value ? partsIn(yaml.value, problems) : {};
  const parts: SkinParts = { name, description: `Your skin in ${basename(file)}`, ...values };
  return ok({ skin: wholeSkin(parts), file, problems });
}

type SkinValues = Partial<Omit<SkinParts, "name">>;

/** The valid values of a file. Every other one becomes a problem. */
function partsIn(file: SettingsFile, problems: Problem[]): SkinValues {
  const { tree } = file;
  const report = (path: readonly string[], message: string, hint?: string) => {
    const place = file.place(path);
    problems.push({ file: file.file, ...place, key: path.join("."), message, ...(hint !== undefined && { hint }) });
    return undefined;
  };
  const texts = (path: readonly string[], value: unknown, maxChars: number): string | undefined =>
    typeof value === "string" && value.length <= maxChars
      ? cleaned(value)
      : report(path, `must be a text of at most ${maxChars} characters`);
  const section = <Name extends string, Value>(
    key: string,
    names: readonly Name[] | undefined,
    read: (path: readonly string[], value: unknown) => Value | undefined,
  ): Partial<Record<Name, Value>> => {
    const value = ownValue(tree, key);
    const entries: Partial<Record<Name, Value>> = {};
    if (value === undefined || value === null) return entries;
    if (!isObject(value)) {
      report([key], "must be a list of names with values");
      return entries;
    }
    for (const [given, each] of Object.entries(value)) {
      const path = [key, given];
      const name = names === undefined ? (given as Name) : names.find((each) => each === given);
      if (name === undefined) report(path, "is not a key of a skin", hintFor(given, names ?? []));
      else {
        const parsed = read(path, each);
        if (parsed !== undefined) entries[name] = parsed;
      }
    }
    return entries;
  };
  const colors = section<SkinColor, string>("colors", skinColors, (path, value) => {
    const color = typeof value === "string" ? colorIn(value) : undefined;
    return color ?? report(path, 'must be a colour such as "#4fb3bf", or default', "put quotes around it");
  });
  const spinner = section("spinner", spinnerKeys, (path, value) => value ?? report(path, "must be a list"));
  const branding = section<SkinText, string>("branding", skinTexts, (path, value) =>
    texts(path, value, path[1] === "prompt_symbol" ? 16 : 200),
  );
  const emojis = section<string, string>("tool_emojis", undefined, (path, value) => texts(path, value, 16));
  const keys = ["name", "description", "colors", "spinner", "branding", "tool_prefix", "tool_emojis", ...drawings];
  for (const key of Object.keys(tree))
    if (!keys.includes(key)) report([key], "is not a key of a skin", hintFor(key, keys));
  const single = (key: string, maxChars: number) => {
    const value = ownValue(tree, key);
    return value === undefined || value === null ? undefined : texts([key], value, maxChars);
  };
  const faces = (key: "waiting_faces" | "thinking_faces" | "thinking_verbs") => {
    const value = spinner[key];
    if (value === undefined) return undefined;
    const isList = Array.isArray(value) && value.length > 0 && value.every((each) => isShort(each));
    return isList
      ? value.map((each: string) => cleaned(each))
      : report(["spinner", key], "must be a list of short texts");
  };
  const description = single("description", 200);
  const prefix = single("tool_prefix", 16);
  const [logo, hero] = drawings.map((key) => single(key, 20_000)?.replaceAll(markup, ""));
  return {
    ...withoutUndefined({ description, tool_prefix: prefix, banner_logo: logo, banner_hero: hero }),
    colors,
    spinner: withoutUndefined({
      waiting_faces: faces("waiting_faces"),
      thinking_faces: faces("thinking_faces"),
      thinking_verbs: faces("thinking_verbs"),
      wings: wingsIn(spinner.wings, report),
    }),
    branding,
    tool_emojis: emojis,
  };
}

const spinnerKeys = ["waiting_faces", "thinking_faces", "thinking_verbs", "wings"] as const;
const drawings = ["banner_logo", "banner_hero"] as const;

/** Colour marks of the Python version, such as `[bold #ffd700]` and `[/]`. */
const markup = /\[(?:\/|bold|dim|italic|#[0-9a-f]{3,6})[^\]\n]*\]/giu;

function wingsIn(
  value: unknown,
  report: (path: readonly string[], message: string) => undefined,
): Skin["spinner"]["wings"] | undefined {
  if (value === undefined) return undefined;
  const pairs = Array.isArray(value)
    ? value.flatMap((pair: unknown): (readonly [string, string])[] => {
        const [left, right] = Array.isArray(pair) ? (pair as readonly unknown[]) : [];
        return isShort(left) && isShort(right) ? [[cleaned(left), cleaned(right)]] : [];
      })
    : [];
  return Array.isArray(value) && pairs.length === value.length
    ? pairs
    : report(["spinner", "wings"], "must be a list of pairs of short texts");
}

function isShort(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= 40;
}

/** `#abc` and `#aabbcc`; `default` and an empty text are the colour of the terminal. */
function colorIn(value: string): string | undefined {
  const text = value.trim().toLowerCase();
  if (text === "" || text === "default") return "default";
  if (/^#[0-9a-f]{6}$/u.test(text)) return text;
  const [, short] = /^#([0-9a-f]{3})$/u.exec(text) ?? [];
  return short === undefined ? undefined : `#${short.replaceAll(/./gu, "$&$&")}`;
}

/** Removes control characters: a skin must not move the cursor. */
function cleaned(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, (sign) => (sign === "\n" ? sign : ""));
}

function hintFor(given: string, names: readonly string[]): string {
  const [close] = nearest(given, names, 1);
  return close === undefined ? `known keys: ${names.join(", ")}` : `did you mean ${close}?`;
}
