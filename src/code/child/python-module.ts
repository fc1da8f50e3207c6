import { isObject, type JsonValue } from "../../base/json.ts";
import type { ScriptTool } from "../../contracts/code/code-run.ts";
import { identifiers, type StubArgument, type StubShape, stubShapes, type StubType } from "./stub-shape.ts";

/**
 * The module `hermes_tools` for Python 3.8 and later. Texts of a tool appear only in literals that consist of ASCII, so
 * no description, name or default can become code.
 */
export function pythonModule(tools: readonly ScriptTool[]): string {
  const shapes = stubShapes(tools);
  const names = identifiers(
    shapes.flatMap(({ tool, alias }) => [tool, ...(alias === undefined ? [] : [alias])]),
    new Set([...keywords, ...pythonHelpers, "_call"]),
  );
  const nameOf = (text: string) => names.get(text) ?? "_";
  const exported = [...new Set(names.values()), ...pythonHelpers];
  return [
    '"""Tools of this session. Each returns its parsed result, or {"error": ...} if it failed."""',
    "",
    // The connection module is loaded at the first call.
    "def _call(*given):",
    "    global _call",
    "    from hermes_rpc import call as _call",
    "    return _call(*given)",
    "",
    ...shapes.flatMap((shape) => [stub(shape, nameOf(shape.tool)), ...aliasLine(shape, nameOf)]),
    "",
    "def __getattr__(name):",
    `    if name not in (${pythonHelpers.map(pythonText).join(", ")}):`,
    "        raise AttributeError(\"module 'hermes_tools' has no attribute \" + repr(name))",
    "    import sys, hermes_helpers",
    "    module = sys.modules[__name__]",
    '    value = hermes_helpers.Aio(module) if name == "aio" else getattr(hermes_helpers, name)',
    "    setattr(module, name, value)",
    "    return value",
    "",
    `__all__ = [${exported.map(pythonText).join(", ")}]`,
    "",
  ].join("\n");
}

/** The names in the module other than the tools. */
export const pythonHelpers: readonly string[] = [
  "AgentDisconnected",
  "aio",
  "call_tool",
  "json_parse",
  "parallel",
  "retry",
  "shell_quote",
];

function aliasLine({ tool, alias }: StubShape, nameOf: (text: string) => string): readonly string[] {
  return alias === undefined ? [] : [`${nameOf(alias)} = ${nameOf(tool)}`];
}

function stub(shape: StubShape, name: string): string {
  const reserved = [...keywords, "_call"];
  const names = identifiers(
    shape.arguments.map((each) => each.name),
    new Set(reserved),
  );
  const rest = identifiers(["arguments"], new Set([...reserved, ...names.values()])).get("arguments");
  const nameOf = (text: string) => names.get(text) ?? "_";
  const parameters = shape.arguments.map((each) => {
    const hint = pythonType(each.type);
    if (each.isRequired) return `${nameOf(each.name)}: ${pythonText(hint)}`;
    const open = each.default === null && !each.hasNull && each.type.kind !== "any" ? " | None" : "";
    return `${nameOf(each.name)}: ${pythonText(hint + open)} = ${pythonLiteral(each.default)}`;
  });
  if (shape.isOpen) parameters.push(`**${rest}`);
  const entry = ({ name: key }: StubArgument) => `${pythonText(key)}: ${nameOf(key)}`;
  const required = shape.arguments.filter(({ isRequired }) => isRequired);
  const optional = shape.arguments
    .filter(({ isRequired }) => !isRequired)
    .map((each) => {
      const values = [pythonText(each.name), nameOf(each.name), pythonLiteral(each.default), each.hasNull];
      return `(${values.map((value) => (typeof value === "boolean" ? pythonLiteral(value) : value)).join(", ")}),`;
    });
  const passed = [
    pythonText(shape.tool),
    `{${required.map(entry).join(", ")}}`,
    ...(optional.length > 0 || shape.isOpen ? [`(${optional.join(" ")})`] : []),
    ...(shape.isOpen ? [`${rest}`] : []),
  ];
  return [
    `def ${name}(${parameters.join(", ")}) -> "Any":`,
    `    ${pythonText(shape.summary)}`,
    `    return _call(${passed.join(", ")})`,
    "",
  ].join("\n");
}

function pythonType(type: StubType): string {
  switch (type.kind) {
    case "text":
      return "str";
    case "integer":
      return "int";
    case "number":
      return "float";
    case "boolean":
      return "bool";
    case "null":
      return "None";
    case "object":
      return "dict";
    case "any":
      return "Any";
    case "list":
      return type.of.kind === "any" ? "list" : `list[${pythonType(type.of)}]`;
    case "values":
      return `Literal[${type.values.map(pythonLiteral).join(", ")}]`;
    case "union":
      return type.of.map(pythonType).join(" | ");
  }
}

function pythonLiteral(value: JsonValue): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return pythonText(value);
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "None";
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(", ")}]`;
  const entries = isObject(value) ? Object.entries(value as Record<string, JsonValue>) : [];
  return `{${entries.map(([key, item]) => `${pythonText(key)}: ${pythonLiteral(item)}`).join(", ")}}`;
}

/** A literal on one line that consists of printable ASCII. */
function pythonText(text: string): string {
  const inner = Array.from(text.toWellFormed(), (character) => {
    if (character === '"' || character === "\\") return `\\${character}`;
    if (character >= " " && character <= "~") return character;
    return `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, "0")}`;
  });
  return `"${inner.join("")}"`;
}

const keywords: readonly string[] = (
  "False None True and as assert async await break class continue def del elif else except finally for from global if " +
  "import in is lambda nonlocal not or pass raise return try while with yield"
).split(" ");
