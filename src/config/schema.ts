import { z } from "zod";

import { agent } from "./slices/agent.ts";
import { approvals, command_allowlist } from "./slices/approvals.ts";
import { logging } from "./slices/logging.ts";
import { plugins } from "./slices/plugins.ts";
import { security } from "./slices/security.ts";
import { type ProjectRule, rulesOf, type SettingRules } from "./slices/setting.ts";
import { tool_output } from "./slices/tool-output.ts";
import { tools } from "./slices/tools.ts";
import { custom_toolsets, platform_toolsets, toolsets } from "./slices/toolsets.ts";

/** Every key this version reads, one slice per subject. */
export const configSchema = z.object({
  agent,
  toolsets,
  platform_toolsets,
  custom_toolsets,
  tools,
  tool_output,
  plugins,
  approvals,
  command_allowlist,
  security,
  logging,
});

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

export type Config = DeepReadonly<z.output<typeof configSchema>>;

/** A node of the key tree: what the rest of this folder needs to know of the slices. */
export type KeyNode = Section | Family | Leaf;

export interface Section {
  readonly kind: "section";
  readonly about: string;
  readonly safety: boolean;
  readonly shorthand: string | undefined;
  readonly keys: ReadonlyMap<string, KeyNode>;
}

/** Names that the user makes up, each with the same below it. */
export interface Family {
  readonly kind: "family";
  readonly about: string;
  readonly safety: boolean;
  readonly names: z.ZodType;
  readonly each: KeyNode;
}

export interface Leaf {
  readonly kind: "leaf";
  readonly about: string;
  /** A bad value stops the start. */
  readonly safety: boolean;
  readonly env: string | undefined;
  readonly project: ProjectRule;
  readonly words: NonNullable<SettingRules["words"]>;
  readonly schema: z.ZodType;
  readonly type: "boolean" | "number" | "string" | "words" | "strings";
  readonly options: readonly string[];
  /** Undefined below a family: an entry is there or not. */
  readonly initial: unknown;
}

/** The slices as a tree. Made anew on every call: once per process is enough. */
export function keyTree(): Section {
  const root = nodeOf(configSchema, false);
  if (root.kind !== "section") throw new Error("the schema of the configuration is not an object");
  return root;
}

/** The node at a path, and whether every step of it is a known name. */
export function nodeAt(root: Section, path: readonly (string | number)[]): KeyNode | undefined {
  let node: KeyNode | undefined = root;
  for (const step of path) {
    if (node?.kind === "section") node = node.keys.get(String(step));
    else if (node?.kind === "family") node = node.each;
    else return undefined;
  }
  return node;
}

/** Every leaf with its path; `*` stands for a name of the user's. */
export function* leaves(
  node: KeyNode,
  path: readonly string[] = [],
): Generator<{ path: readonly string[]; leaf: Leaf }> {
  if (node.kind === "leaf") yield { path, leaf: node };
  else if (node.kind === "family") yield* leaves(node.each, [...path, "*"]);
  else for (const [name, child] of node.keys) yield* leaves(child, [...path, name]);
}

/** What a value of this key looks like, for messages and the reference. */
export function expectation(leaf: Leaf): string {
  switch (leaf.type) {
    case "boolean":
      return "true or false";
    case "words":
      return `one of ${leaf.options.join(", ")}`;
    case "strings":
      return "a list of texts";
    case "string":
      return "a text";
    case "number":
      return numberText(leaf.schema);
  }
}

function nodeOf(schema: z.ZodType, withinSafety: boolean): KeyNode {
  const rules = rulesOf(schema);
  const about = schema.description ?? "";
  const safety = withinSafety || rules.safety === true;
  if (schema instanceof z.ZodObject) {
    const keys = new Map<string, KeyNode>();
    for (const [name, child] of Object.entries(schema.shape)) keys.set(name, nodeOf(child as z.ZodType, safety));
    return { kind: "section", about, safety, shorthand: rules.shorthand, keys };
  }
  if (schema instanceof z.ZodRecord) {
    const each = nodeOf(schema.valueType as z.ZodType, safety);
    return { kind: "family", about, safety, names: schema.keyType as z.ZodType, each };
  }
  return leafOf(schema, about, safety, rules);
}

function leafOf(schema: z.ZodType, about: string, safety: boolean, rules: SettingRules): Leaf {
  const inner = bare(schema);
  return {
    kind: "leaf",
    about,
    safety,
    env: rules.env,
    project: rules.project ?? "never",
    words: rules.words ?? {},
    schema: inner,
    type: typeOf(inner),
    options: inner instanceof z.ZodEnum ? inner.options.map(String) : [],
    initial: schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined,
  };
}

function bare(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodDefault ? (schema.def.innerType as z.ZodType) : schema;
}

function typeOf(schema: z.ZodType): Leaf["type"] {
  if (schema instanceof z.ZodBoolean) return "boolean";
  if (schema instanceof z.ZodNumber) return "number";
  if (schema instanceof z.ZodEnum) return "words";
  if (schema instanceof z.ZodArray) return "strings";
  return "string";
}

function numberText(schema: z.ZodType): string {
  if (!(schema instanceof z.ZodNumber)) return "a number";
  const kind = schema.isInt ? "a whole number" : "a number";
  return `${kind} from ${schema.minValue} to ${schema.maxValue}`;
}
