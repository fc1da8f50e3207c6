import type { ScriptTool } from "../../contracts/code/code-run.ts";
import { identifiers, type StubShape, stubShapes, type StubType } from "./stub-shape.ts";

/**
 * The module `hermes_tools` as JavaScript, each function below its TypeScript signature. Texts of a tool appear only in
 * literals that consist of ASCII, so no description, name or default can become code.
 */
export function javascriptModule(tools: readonly ScriptTool[]): string {
  const { shapes, nameOf, names } = namedShapes(tools);
  return [
    `import { ${["stub as $stub", ...javascriptHelpers].join(", ")} } from "./hermes_rpc.mjs";`,
    `export { ${javascriptHelpers.join(", ")} };`,
    ...shapes.flatMap((shape) => [
      `/** ${signature(shape, nameOf(shape.tool))} */`,
      `export const ${nameOf(shape.tool)} = $stub(${text(shape.tool)}, ${argumentNames(shape)});`,
      ...(shape.alias === undefined ? [] : [`export const ${nameOf(shape.alias)} = ${nameOf(shape.tool)};`]),
    ]),
    `export default { ${[...names, ...javascriptHelpers].join(", ")} };`,
    "",
  ].join("\n");
}

/** The declarations of the module. */
export function typescriptDeclarations(tools: readonly ScriptTool[]): string {
  const { shapes, nameOf } = namedShapes(tools);
  return [
    ...shapes.flatMap((shape) => [
      `/** ${text(shape.summary).slice(1, -1).replaceAll("*/", "* /")} */`,
      `export declare function ${signature(shape, nameOf(shape.tool))};`,
      `export declare function ${nameOf(shape.tool)}(args: ${argumentsType(shape)}): Promise<any>;`,
      ...(shape.alias === undefined
        ? []
        : [`export declare const ${nameOf(shape.alias)}: typeof ${nameOf(shape.tool)};`]),
    ]),
    "export declare class AgentDisconnected extends Error {}",
    "export declare function call_tool(name: string, args?: Record<string, unknown>): Promise<any>;",
    "export declare function json_parse(text: string): any;",
    "export declare function parallel<T>(calls: Iterable<Promise<T> | (() => T | Promise<T>)>, limit?: number): Promise<T[]>;",
    "export declare function retry<T>(fn: () => T | Promise<T>, max_attempts?: number, delay?: number, exponential?: boolean): Promise<T>;",
    "export declare function shell_quote(text: string): string;",
    "",
  ].join("\n");
}

/** Names in the module besides the tools. */
export const javascriptHelpers: readonly string[] = [
  "AgentDisconnected",
  "call_tool",
  "json_parse",
  "parallel",
  "retry",
  "shell_quote",
];

function namedShapes(tools: readonly ScriptTool[]) {
  const shapes = stubShapes(tools);
  const all = shapes.flatMap(({ tool, alias }) => [tool, ...(alias === undefined ? [] : [alias])]);
  const names = identifiers(all, new Set([...keywords, ...javascriptHelpers]));
  return { shapes, names: [...names.values()], nameOf: (text: string) => names.get(text) ?? "_" };
}

/** In the order of the parameters. The second list: those that take an object. */
function argumentNames(shape: StubShape): string {
  const all = shape.arguments.map(({ name }) => text(name));
  const objects = shape.arguments.filter(({ type }) => takesObject(type)).map(({ name }) => text(name));
  return `[${all.join(", ")}], [${objects.join(", ")}], ${shape.isOpen}`;
}

function takesObject(type: StubType): boolean {
  if (type.kind === "union") return type.of.some(takesObject);
  return type.kind === "object" || type.kind === "any";
}

function signature(shape: StubShape, name: string): string {
  const names = identifiers(
    shape.arguments.map((each) => each.name),
    new Set(keywords),
  );
  const parameters = shape.arguments.map(
    (each) => `${names.get(each.name) ?? "_"}${each.isRequired ? "" : "?"}: ${typescriptType(each.type)}`,
  );
  if (shape.isOpen) parameters.push("more?: Record<string, unknown>");
  return `${name}(${parameters.join(", ")}): Promise<any>`;
}

function argumentsType(shape: StubShape): string {
  const members = shape.arguments.map(
    (each) => `${text(each.name)}${each.isRequired ? "" : "?"}: ${typescriptType(each.type)}`,
  );
  return `{ ${[...members, ...(shape.isOpen ? ["[name: string]: unknown"] : [])].join("; ")} }`;
}

function typescriptType(type: StubType): string {
  switch (type.kind) {
    case "text":
      return "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
    case "null":
      return type.kind;
    case "any":
      return "unknown";
    case "object":
      return "Record<string, unknown>";
    case "list":
      return `Array<${typescriptType(type.of)}>`;
    case "values":
      return type.values.map((value) => (typeof value === "string" ? text(value) : String(value))).join(" | ");
    case "union":
      return type.of.map(typescriptType).join(" | ");
  }
}

/** A literal on one line that consists of printable ASCII and cannot end a comment. */
function text(value: string): string {
  return JSON.stringify(value.toWellFormed())
    .replaceAll("*/", "*\\/")
    .replace(/[^ -~]/gu, (character) =>
      Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
        .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
        .join(""),
    );
}

const keywords: readonly string[] = (
  "arguments async await break case catch class const continue debugger default delete do else enum eval export extends " +
  "false finally for from function get if implements import in instanceof interface let new null of package private " +
  "protected public return set static super switch this throw true try typeof undefined var void while with yield any " +
  "boolean never number object string symbol unknown"
).split(" ");
