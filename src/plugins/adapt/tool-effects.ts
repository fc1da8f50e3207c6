import { isIP } from "node:net";
import { isAbsolute, normalize, resolve } from "node:path";

import { expandHome } from "../../base/files/path.ts";
import { isObject, type JsonObject } from "../../base/json.ts";
import type { Permissions } from "../../contracts/plugin/manifest.ts";
import type { Effect, Place } from "../../contracts/tool/effect.ts";
import { absolutePattern, coversPath, hostRule, patternBase } from "../permissions.ts";

/** The facts that are needed to turn a plugin's permissions into effects. */
export interface EffectFacts {
  readonly permissions: Permissions;
  /** The home folder of the user, which `~` stands for. */
  readonly userFolder: string;
}

/** The effects of a call that may use every permission of the plugin. */
export function permittedEffects(facts: EffectFacts, args: JsonObject, place: Place): readonly Effect[] {
  const { read, write, net, exec } = facts.permissions;
  const paths = (patterns: readonly string[]) =>
    patterns.flatMap((pattern) => absolutePattern(pattern, placesOf(facts, place)) ?? []).map(patternBase);
  return [
    ...paths(read).map((path) => ({ kind: "read", path, isGranted: true }) as const),
    ...paths(write).map((path) => ({ kind: "write", path, isGranted: true }) as const),
    ...net.map((host) => connection(`https://${isIP(host) === 6 ? `[${host}]` : host}/`, args)),
    ...(exec ? [{ kind: "opaque" } as const] : []),
  ];
}

/**
 * The effects that the plugin declared for one call. Returns undefined if one of them is malformed or exceeds the
 * permissions; then the whole declaration is ignored.
 */
export function declaredWithin(
  declared: unknown,
  facts: EffectFacts,
  args: JsonObject,
  place: Place,
): readonly Effect[] | undefined {
  if (!Array.isArray(declared) || declared.length > maxDeclared) return undefined;
  const effects = declared.map((effect: unknown) => permitted(effect, facts, args, place));
  return effects.every((effect) => effect !== undefined) ? effects : undefined;
}

const maxDeclared = 100;

function permitted(effect: unknown, facts: EffectFacts, args: JsonObject, place: Place): Effect | undefined {
  if (!isObject(effect)) return undefined;
  const { kind } = effect;
  const { read, write, net, exec } = facts.permissions;
  if (kind === "opaque") return exec ? { kind } : undefined;
  if (kind === "network") {
    const url = typeof effect["url"] === "string" ? URL.parse(effect["url"]) : null;
    if (!url) return undefined;
    const port = Number(url.port || (url.protocol === "http:" ? 80 : 443));
    const host = url.hostname.replaceAll(/^\[|\]$/gu, "");
    return hostRule(net, host, port).isAllowed ? connection(url.href, args) : undefined;
  }
  if (kind !== "read" && kind !== "write" && kind !== "delete") return undefined;
  const path = typeof effect["path"] === "string" ? expandHome(effect["path"], facts.userFolder) : undefined;
  if (path === undefined) return undefined;
  const full = isAbsolute(path) ? normalize(path) : resolve(place.cwd, path);
  const patterns = kind === "read" ? [...read, ...write] : write;
  return coversPath(patterns, full, placesOf(facts, place)) ? { kind, path: full, isGranted: true } : undefined;
}

function placesOf({ userFolder }: EffectFacts, { workspace }: Place) {
  return { home: userFolder, workspace };
}

/** The plugin may send its arguments to this host. Short arguments are normal: a search query or a page address. */
function connection(url: string, args: JsonObject): Effect {
  const sends = JSON.stringify(args).length > maxUnsentChars;
  return { kind: "network", url, isGranted: true, ...(sends && { sends }) };
}

const maxUnsentChars = 200;
