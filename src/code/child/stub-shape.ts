import { isObject, ownValue, type JsonValue } from "../../base/json.ts";
import type { ScriptTool } from "../../contracts/code/code-run.ts";

/** The type of an argument, in terms that every language has. */
export type StubType =
  | { readonly kind: "text" | "integer" | "number" | "boolean" | "null" | "any" | "object" }
  | { readonly kind: "list"; readonly of: StubType }
  | { readonly kind: "values"; readonly values: readonly (string | number | boolean)[] }
  | { readonly kind: "union"; readonly of: readonly StubType[] };

export interface StubArgument {
  /** The tool's own name, which may be any text. */
  readonly name: string;
  readonly type: StubType;
  readonly isRequired: boolean;
  readonly hasNull: boolean;
  /** The default in the schema. Null: there is none, or it is long. */
  readonly default: JsonValue;
}

export interface StubShape {
  readonly tool: string;
  readonly alias?: string;
  /** One line. It may contain any character but line breaks. */
  readonly summary: string;
  /** Arguments, required ones first. */
  readonly arguments: readonly StubArgument[];
  /** The tool accepts additional arguments. */
  readonly isOpen: boolean;
}

/** One shape for each name. An alias that is the name of another tool, or of an earlier alias, is left out. */
export function stubShapes(tools: readonly ScriptTool[]): readonly StubShape[] {
  const shapes = [...new Map(tools.map((tool) => [tool.name, tool])).values()].map(stubShape);
  const used = new Set(shapes.map(({ tool }) => tool));
  return shapes.map(({ alias, ...shape }) => {
    if (alias === undefined || used.has(alias)) return shape;
    used.add(alias);
    return { ...shape, alias };
  });
}

/**
 * The arguments of a tool according to its schema. A schema can come from anywhere: everything that it leaves open
 * becomes `any`.
 */
export function stubShape(tool: ScriptTool): StubShape {
  const document: SchemaDocument = { root: tool.inputSchema, nodesLeft: maxNodes };
  const root = flatten(tool.inputSchema, document, 0);
  const names = Object.keys(root.properties);
  const listed = names.slice(0, maxArguments).map((name): StubArgument => {
    const schema = root.properties[name];
    const type = typeOf(schema, document, 0);
    return {
      name,
      type,
      isRequired: root.required.has(name),
      hasNull: allowsNull(type),
      default: defaultOf(schema),
    };
  });
  return {
    tool: tool.name,
    ...(tool.alias !== undefined && { alias: tool.alias }),
    summary: firstSentence(tool.description),
    arguments: [...listed.filter(({ isRequired }) => isRequired), ...listed.filter(({ isRequired }) => !isRequired)],
    isOpen: root.isOpen || names.length > maxArguments,
  };
}

/**
 * A name for each text: unique, an identifier, and none of `reserved`. Equal texts get one name. Only ASCII letters,
 * because Python treats some different letters as equal.
 */
export function identifiers(texts: readonly string[], reserved: ReadonlySet<string>): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const used = new Set(reserved);
  // Names that are already identifiers stay unchanged, whatever precedes them.
  const plainFirst = [...texts].toSorted((a, b) => Number(plain(b)) - Number(plain(a)));
  for (const text of plainFirst) {
    if (names.has(text)) continue;
    const letters = text.replace(/[^A-Za-z0-9_]/gu, "_").slice(0, maxNameChars) || "_";
    const base = /^(?:\d|__)/u.test(letters) ? `t_${letters.replace(/^_+/u, "")}` : letters;
    let name = base;
    for (let count = 1; used.has(name); count++) name = count === 1 ? `${base}_` : `${base}_${count}`;
    used.add(name);
    names.set(text, name);
  }
  return names;
}

function plain(text: string): boolean {
  return /^(?!__)[A-Za-z_][A-Za-z0-9_]*$/u.test(text);
}

/** The schema of a tool, and how many of its nodes may still be read, because references can be circular. */
interface SchemaDocument {
  readonly root: unknown;
  nodesLeft: number;
}

interface FlatObject {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: ReadonlySet<string>;
  readonly isOpen: boolean;
}

const anyArguments: FlatObject = { properties: {}, required: new Set(), isOpen: true };

/** The properties of a schema and of the schemas that it combines. */
function flatten(schema: unknown, document: SchemaDocument, depth: number): FlatObject {
  const own = resolve(schema, document.root);
  if (!isObject(own) || depth > maxDepth || document.nodesLeft-- <= 0) return anyArguments;
  const properties = isObject(own["properties"]) ? own["properties"] : {};
  const required = new Set(textsOf(own["required"]).filter((name) => Object.hasOwn(properties, name)));
  const parts = listOf(own["allOf"]).map((part) => flatten(part, document, depth + 1));
  const choices = [...listOf(own["anyOf"]), ...listOf(own["oneOf"])].map((part) => flatten(part, document, depth + 1));
  const more = own["additionalProperties"];
  const isBare = !isObject(own["properties"]) && more !== false && parts.length === 0 && choices.length === 0;
  return {
    properties: fromParts(
      [...choices, ...parts].map((part) => part.properties),
      properties,
    ),
    required: new Set([
      ...required,
      ...parts.flatMap((part) => [...part.required]),
      ...[...(choices[0]?.required ?? [])].filter((name) => choices.every((choice) => choice.required.has(name))),
    ]),
    isOpen:
      isBare ||
      more === true ||
      isObject(more) ||
      isObject(own["patternProperties"]) ||
      [...parts, ...choices].some((part) => part.isOpen && Object.keys(part.properties).length === 0),
  };
}

/** `own` comes first, because a schema lists its arguments in order of importance. */
function fromParts(
  parts: readonly Readonly<Record<string, unknown>>[],
  own: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const entries = [own, ...parts].flatMap((part) => Object.entries(part));
  const first = new Map<string, unknown>();
  for (const [name, schema] of entries) if (!first.has(name)) first.set(name, schema);
  return Object.fromEntries(first);
}

function typeOf(given: unknown, document: SchemaDocument, depth: number): StubType {
  const schema = resolve(given, document.root);
  if (!isObject(schema) || depth > maxDepth || document.nodesLeft-- <= 0) return { kind: "any" };
  const values = "const" in schema ? [schema["const"]] : listOf(schema["enum"]);
  if (values.length > 0) return valuesType(values);
  const choices = [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])];
  if (choices.length > 0)
    return union(choices.slice(0, maxChoices).map((choice) => typeOf(choice, document, depth + 1)));
  const types = typeof schema["type"] === "string" ? [schema["type"]] : textsOf(schema["type"]);
  return union(types.map((type) => namedType(type, schema, document, depth)));
}

function namedType(
  type: string,
  schema: Readonly<Record<string, unknown>>,
  document: SchemaDocument,
  depth: number,
): StubType {
  switch (type) {
    case "string":
      return { kind: "text" };
    case "integer":
    case "number":
    case "boolean":
    case "null":
    case "object":
      return { kind: type };
    case "array":
      return { kind: "list", of: typeOf(schema["items"], document, depth + 1) };
    default:
      return { kind: "any" };
  }
}

function valuesType(values: readonly unknown[]): StubType {
  const plainValues = values.filter(isPlainValue);
  const isShort = values.length <= maxChoices && JSON.stringify(plainValues).length <= maxValueChars;
  const isComplete = plainValues.length === values.filter((value) => value !== null).length;
  if (!isShort || !isComplete || plainValues.length === 0) return { kind: "any" };
  const type: StubType = { kind: "values", values: plainValues };
  return values.includes(null) ? union([type, { kind: "null" }]) : type;
}

function isPlainValue(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function union(types: readonly StubType[]): StubType {
  const flat = types.flatMap((type) => (type.kind === "union" ? type.of : [type]));
  if (flat.length === 0 || flat.some(({ kind }) => kind === "any")) return { kind: "any" };
  const different = [...new Map(flat.map((type) => [JSON.stringify(type), type])).values()];
  const [only] = different;
  return different.length === 1 && only ? only : { kind: "union", of: different };
}

function allowsNull(type: StubType): boolean {
  return type.kind === "null" || (type.kind === "union" && type.of.some(allowsNull));
}

/** Follows `#/…` within the document. */
function resolve(schema: unknown, root: unknown): unknown {
  let current = schema;
  for (let steps = 0; steps < maxDepth; steps++) {
    const reference = isObject(current) ? current["$ref"] : undefined;
    if (typeof reference !== "string") return current;
    if (!reference.startsWith("#/")) return undefined;
    current = reference
      .slice(2)
      .split("/")
      .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
      .reduce<unknown>((node, step) => (isObject(node) ? ownValue(node, step) : undefined), root);
  }
  return undefined;
}

function defaultOf(schema: unknown): JsonValue {
  if (!isObject(schema)) return null;
  const value = ownValue(schema, "default");
  return value !== undefined && JSON.stringify(value).length <= maxDefaultChars ? (value as JsonValue) : null;
}

function firstSentence(text: string): string {
  const line = text.replace(/\s+/gu, " ").trim();
  const end = /[.!?](?= [A-Z`"'(]|$)/u.exec(line)?.index ?? line.length;
  const sentence = line.slice(0, end + 1);
  return sentence.length <= maxSummaryChars ? sentence : `${sentence.slice(0, maxSummaryChars - 1)}…`;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textsOf(value: unknown): readonly string[] {
  return listOf(value).filter((each): each is string => typeof each === "string");
}

const maxArguments = 60;
const maxChoices = 24;
const maxDefaultChars = 200;
const maxDepth = 8;
const maxNodes = 500;
const maxNameChars = 120;
const maxSummaryChars = 160;
const maxValueChars = 600;
