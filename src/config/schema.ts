import type { z } from "zod";

import type { JsonValue } from "../base/json.ts";
import type { Rule } from "./keys/rule.ts";
import { sliceData, type SliceNode } from "./slice-data.ts";
import type { ProjectRule, SettingRules } from "./slices/setting.ts";
import type { configSchema } from "./slices/whole.ts";

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

export type Config = DeepReadonly<z.output<typeof configSchema>>;

/** A node of the key tree, with the facts about a slice that this folder needs. */
export type KeyNode = Section | Family | Leaf;

export interface Section {
  readonly kind: "section";
  readonly about: string;
  readonly safety: boolean;
  readonly shorthand: string | undefined;
  readonly keys: ReadonlyMap<string, KeyNode>;
  /** The keys below names that the section does not list, if it accepts such names. */
  readonly others: KeyNode | undefined;
}

/** Names that the user chooses, each with the same keys below it. */
export interface Family {
  readonly kind: "family";
  readonly about: string;
  readonly safety: boolean;
  /** The environment variable that sets the whole family as JSON. */
  readonly env: string | undefined;
  readonly names: Rule;
  /** Names that always exist in the section. */
  readonly always: readonly string[];
  readonly each: KeyNode;
}

export interface Leaf {
  readonly kind: "leaf";
  readonly about: string;
  /** True: an invalid value prevents the start. */
  readonly safety: boolean;
  readonly env: string | undefined;
  readonly project: ProjectRule;
  readonly words: NonNullable<SettingRules["words"]>;
  readonly rule: Rule;
  /** `entries`: a list of objects. `json`: any value. */
  readonly type: "boolean" | "number" | "string" | "words" | "strings" | "entries" | "json";
  readonly options: readonly string[];
  /** Undefined: an entry of a family, which may be missing. */
  readonly initial: JsonValue | undefined;
}

/** The slices as a tree. Builds a new tree on every call; call it once per process. */
export function keyTree(): Section {
  return sectionOf(sliceData, false);
}

/** The node at a path, and whether every part of the path is known. */
export function nodeAt(root: Section, path: readonly (string | number)[]): KeyNode | undefined {
  let node: KeyNode | undefined = root;
  for (const step of path) {
    if (node?.kind === "section") node = node.keys.get(String(step)) ?? node.others;
    else if (node?.kind === "family") node = node.each;
    else return undefined;
  }
  return node;
}

/** All leaves with their paths; `*` is a name that the user chooses. */
export function leaves(node: KeyNode, path: readonly string[] = []): { path: readonly string[]; leaf: Leaf }[] {
  if (node.kind === "leaf") return [{ path, leaf: node }];
  if (node.kind === "family") return leaves(node.each, [...path, "*"]);
  const children = [...node.keys, ...(node.others ? [["*", node.others] as const] : [])];
  return children.flatMap(([name, child]) => leaves(child, [...path, name]));
}

export function families(node: KeyNode, path: readonly string[] = []): { path: readonly string[]; family: Family }[] {
  if (node.kind === "leaf") return [];
  if (node.kind === "family") return [{ path, family: node }];
  return [...node.keys].flatMap(([name, child]) => families(child, [...path, name]));
}

/** Describes valid values of this key, for messages and the reference. */
export function describeValidValues(leaf: Leaf): string {
  switch (leaf.type) {
    case "boolean":
      return "true or false";
    case "words":
      return `one of ${leaf.options.join(", ")}`;
    case "strings":
      return "a list of texts";
    case "entries":
      return `a list, each with ${Object.keys(leaf.rule.items?.properties ?? {}).join(", ")}`;
    case "json":
      return "anything";
    case "string":
      return "a text";
    case "number":
      return numberText(leaf.rule);
  }
}

function nodeOf(slice: SliceNode, withinSafety: boolean): KeyNode {
  if (slice.properties !== undefined) return sectionOf(slice, withinSafety);
  const { description: about = "", rules = {}, propertyNames, additionalProperties } = slice;
  const safety = withinSafety || rules.safety === true;
  if (propertyNames !== undefined && additionalProperties)
    return {
      kind: "family",
      about,
      safety,
      env: rules.env,
      names: propertyNames,
      always: rules.always ?? [],
      each: nodeOf(additionalProperties, safety),
    };
  return leafOf(ruleOf(slice), about, safety, slice.default);
}

/** Null means no value, like a missing key. */
function ruleOf({ anyOf, ...slice }: SliceNode): Rule {
  const rule = anyOf?.find((one): one is Rule => one.type !== "null");
  return { ...slice, ...rule };
}

function sectionOf(slice: SliceNode, withinSafety: boolean): Section {
  const { description = "", rules = {}, properties = {}, additionalProperties } = slice;
  const safety = withinSafety || rules.safety === true;
  const keys = new Map<string, KeyNode>();
  for (const [name, child] of Object.entries(properties)) keys.set(name, nodeOf(child, safety));
  const others = additionalProperties ? nodeOf(additionalProperties, safety) : undefined;
  return { kind: "section", about: description, safety, shorthand: rules.shorthand, keys, others };
}

function leafOf(rule: Rule, about: string, safety: boolean, initial: JsonValue | undefined): Leaf {
  const { env, project = "never", words = {} } = rule.rules ?? {};
  return {
    kind: "leaf",
    about,
    safety,
    env,
    project,
    words,
    rule,
    type: typeOf(rule),
    options: rule.enum ?? [],
    initial,
  };
}

function typeOf(rule: Rule): Leaf["type"] {
  if (rule.enum !== undefined) return "words";
  switch (rule.type) {
    case undefined:
    case "object":
      return "json";
    case "integer":
      return "number";
    case "array":
      return rule.items?.type === "object" ? "entries" : "strings";
    default:
      return rule.type;
  }
}

function numberText({ type, minimum, maximum }: Rule): string {
  const kind = type === "integer" ? "a whole number" : "a number";
  if (maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER) return `${kind} from ${minimum} on`;
  return `${kind} from ${minimum} to ${maximum}`;
}
