import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { nearest } from "../../base/text/nearest.ts";
import { oneLine } from "../../base/text/text.ts";
import { coerceSetting } from "../keys/coerce.ts";
import { type KeyPath, keyText } from "../keys/key-path.ts";
import { isOriginalKey, originalKeys } from "../keys/original-keys.ts";
import { checkValue, type InvalidValue } from "../keys/rule.ts";
import { isSecretName } from "../keys/secret-names.ts";
import type { Problem } from "../problem.ts";
import { describeValidValues, type KeyNode, type Leaf, leaves, type Section } from "../schema.ts";

/** The values of one source, by leaf, and their problems. */
export interface Layer {
  readonly values: ReadonlyMap<string, LayerValue>;
  /** Unused keys, known or unknown, with their values. */
  readonly unused: ReadonlyMap<string, JsonValue>;
  /** Problems that prevent the start. */
  readonly faults: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** The unused keys that belong to the Python version. */
  readonly original: readonly string[];
}

export interface LayerValue {
  readonly path: KeyPath;
  readonly leaf: Leaf;
  readonly value: unknown;
}

/**
 * Reads a tree against the known keys. `place` returns the position of a key; `hide` removes secrets from messages.
 * Never throws.
 */
export function readLayer(
  root: Section,
  tree: JsonObject,
  place: (path: KeyPath) => Pick<Problem, "file" | "line" | "column">,
  hide: (text: string) => string,
): Layer {
  const values = new Map<string, LayerValue>();
  const unused = new Map<string, JsonValue>();
  const faults: Problem[] = [];
  const warnings: Problem[] = [];
  const original: string[] = [];

  function visit(node: KeyNode, value: JsonValue, path: KeyPath): void {
    if (value === null) return;
    if (node.kind === "leaf") return visitLeaf(node, value, path);
    const inner =
      node.kind === "section" && node.shorthand !== undefined && !isObject(value) ? node.shorthand : undefined;
    if (node.kind === "section" && inner !== undefined) return visitSection(node, { [inner]: value }, path);
    if (!isObject(value))
      return refuse(node.safety, path, `must hold keys and values, not ${shown(path, value, hide)}`);
    if (node.kind === "section") return visitSection(node, value, path);
    for (const [name, child] of Object.entries(value)) {
      if (checkValue(node.names, name).ok) visit(node.each, child, [...path, name]);
      else refuse(node.safety, [...path, name], "is not a usable name");
    }
  }

  function visitSection(node: Section, object: JsonObject, path: KeyPath): void {
    for (const [name, child] of Object.entries(object)) {
      const childPath = [...path, name];
      const childNode = node.keys.get(name) ?? (isObject(child) ? node.others : undefined);
      if (childNode !== undefined) visit(childNode, child, childPath);
      else visitUnknown(node, childPath, child);
    }
  }

  function visitLeaf(leaf: Leaf, raw: JsonValue, path: KeyPath): void {
    const verdict = checkValue(leaf.rule, coerceSetting(leaf, raw));
    if (verdict.ok) values.set(keyText(path), { path, leaf, value: verdict.value });
    else refuse(leaf.safety, path, badValue(leaf, path, raw, verdict.error, hide));
  }

  function visitUnknown(section: Section, path: KeyPath, value: JsonValue): void {
    const key = keyText(path);
    unused.set(key, value);
    if (isOriginalKey(path)) {
      original.push(key);
      return;
    }
    const { message, hint, grave } = unknownKey(root, section, path);
    const problem = { ...place(path), key, message, ...(hint === undefined ? {} : { hint }) };
    if (section.safety || grave) faults.push(problem);
    else warnings.push(problem);
  }

  function refuse(safety: boolean, path: KeyPath, message: string): void {
    const problem = { ...place(path), key: keyText(path), message };
    if (safety) faults.push({ ...problem, hint: "correct it: Hermes does not start with an invalid safety setting" });
    else warnings.push({ ...problem, hint: "the default is used" });
  }

  visitSection(root, tree, []);
  return { values, unused, faults, warnings, original };
}

/** Why a value is rejected: the expected and the actual value. A secret is not repeated. */
export function badValue(
  leaf: Leaf,
  path: KeyPath,
  raw: unknown,
  misfit: InvalidValue,
  hide: (text: string) => string,
): string {
  const requested = `must be ${describeValidValues(leaf)}`;
  const entry = misfit.path.length === 0 ? "" : `entry ${misfit.path.join(".")}: `;
  const isPart = leaf.type === "string" || (leaf.type === "entries" && Array.isArray(raw));
  const tellsMore = entry !== "" || (isPart && misfit.message !== requested);
  return `${requested}, not ${shown(path, raw, hide)}${tellsMore ? ` (${entry}${misfit.message})` : ""}`;
}

/**
 * The problem for an unknown key. `grave`: it resembles a safety setting, so the intended protection would be missing.
 */
function unknownKey(
  root: Section,
  section: Section,
  path: KeyPath,
): { readonly message: string; readonly hint: string | undefined; readonly grave: boolean } {
  const name = String(path.at(-1) ?? "");
  const siblings = [...section.keys.keys(), ...originalSiblings(path)];
  const close = nearest(name, siblings, 1)[0];
  const prefix = path.slice(0, -1);
  const homes = close === undefined ? elsewhere(root, name) : [];
  const target = close === undefined ? homes[0] : keyText([...prefix, close]);
  const graveClose = close !== undefined && prefix.length === 0 && nodeIsSafety(section.keys.get(close));
  const graveHome = homes.length > 0 && prefix.length === 0 && !everydayWords.has(name) && homes.some(inSafety);
  return {
    message: section.safety ? "is not a key of this safety section" : "is not a known key",
    hint: target === undefined ? undefined : `did you mean ${target}?`,
    grave: graveClose || graveHome,
  };

  function inSafety(home: string): boolean {
    return nodeIsSafety(root.keys.get(home.split(".")[0] ?? ""));
  }
}

function nodeIsSafety(node: KeyNode | undefined): boolean {
  return node?.kind === "section" ? node.safety : node?.kind === "leaf" && node.safety && node.project === "shrink";
}

/** Names too common to guess the intended setting. */
const everydayWords: ReadonlySet<string> = new Set(["mode", "timeout", "enabled", "disabled"]);

/** Full keys that end in this name, e.g. `agent.disabled_toolsets`. */
function elsewhere(root: Section, name: string): string[] {
  const matches = leaves(root).filter(({ path }) => path.length > 1 && path.at(-1) === name);
  return matches.map(({ path }) => keyText(path));
}

function originalSiblings(path: KeyPath): string[] {
  const prefix = path.length > 1 ? `${path.slice(0, -1).join(".")}.` : "";
  return [...originalKeys]
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length))
    .filter((key) => !key.includes("."));
}

function shown(path: KeyPath, value: unknown, hide: (text: string) => string): string {
  if (path.some((part) => isSecretName(String(part)))) return "the current value";
  return oneLine(hide(JSON.stringify(value) ?? String(value)), 60);
}
