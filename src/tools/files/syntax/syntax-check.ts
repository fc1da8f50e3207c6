import { basename, dirname } from "node:path";

import { oneLine } from "../../../base/text/text.ts";
import { jsonFault, jsonWithCommentsFault } from "./json-fault.ts";
import { hasTemplateBranches, withoutTemplateMarks } from "./template-marks.ts";
import { placeIn, type TextFault, type TextPlace } from "./text-fault.ts";
import { tomlFault } from "./toml-fault.ts";
import { yamlFault } from "./yaml-fault.ts";

/** What is wrong with a new text for a file of data; or that it is not what its name says, and may be written so. */
export type SyntaxVerdict =
  | { readonly kind: "good" }
  | { readonly kind: "odd"; readonly note: string }
  | { readonly kind: "broken"; readonly format: string; readonly why: string; readonly place: TextPlace };

/**
 * Judges the new text of a JSON, YAML or TOML file, by its name. A text that did not parse before need not now, so that it
 * can be repaired step by step. Nor need a template that an engine fills in: when it parses with its marks out of the
 * way, or when the marks decide which of its lines there will be.
 */
export async function checkSyntax(path: string, before: string | undefined, after: string): Promise<SyntaxVerdict> {
  const named = formatOf(path);
  if (!named) return { kind: "good" };
  // A file with comments has a reader that takes them.
  const format = named === json && before !== undefined && hasComments(plain(before)) ? jsonWithComments : named;
  if (after.length > format.mostChars)
    return { kind: "odd", note: `It is too long to check that it is ${format.name}.` };
  const text = plain(after);
  const fault = await format.fault(text);
  if (!fault) return { kind: "good" };
  const place = placeIn(text, fault.at);
  const why = oneLine(fault.why, 200);
  const where = `line ${place.line}, column ${place.column}: ${why}`;
  const wasBroken =
    before !== undefined &&
    before.trim() !== "" &&
    before.length <= format.mostChars &&
    (await format.fault(plain(before)));
  if (wasBroken) return { kind: "odd", note: `It is not ${format.name}, as it was not before: ${where}.` };
  const filled = withoutTemplateMarks(text);
  if (filled !== undefined && (hasTemplateBranches(text) || !(await format.fault(filled))))
    return {
      kind: "odd",
      note: `It has template marks and is not ${format.name} before they are filled in: ${where}.`,
    };
  return { kind: "broken", format: format.name, why: why + (format.hint?.(text) ?? ""), place };
}

function hasComments(text: string): boolean {
  return jsonFault(text) !== undefined && jsonWithCommentsFault(text) === undefined;
}

interface Format {
  readonly name: string;
  /** Parsing more would hold everything else up. */
  readonly mostChars: number;
  fault(text: string): TextFault | undefined | Promise<TextFault | undefined>;
  hint?(text: string): string;
}

const json: Format = {
  name: "JSON",
  mostChars: 20_000_000,
  fault: jsonFault,
  hint: (text) => (jsonWithCommentsFault(text) ? "" : " (comments and last commas belong in .jsonc)"),
};
const jsonWithComments: Format = { name: "JSON with comments", mostChars: 20_000_000, fault: jsonWithCommentsFault };
const yaml: Format = { name: "YAML", mostChars: 1_000_000, fault: yamlFault };
const toml: Format = { name: "TOML", mostChars: 10_000_000, fault: tomlFault };

function formatOf(path: string): Format | undefined {
  const name = basename(path).toLowerCase();
  const [, ending] = /\.(\w+(?:-workspace)?)$/u.exec(name) ?? [];
  switch (ending) {
    case "json":
      return commented.test(name) || commentedFolders.has(basename(dirname(path))) ? jsonWithComments : json;
    case "ipynb":
      return json;
    case "jsonc":
    case "code-workspace":
      return jsonWithComments;
    case "yaml":
    case "yml":
      return yaml;
    case "toml":
      return toml;
    default:
      return undefined;
  }
}

/** Files whose own readers take comments, though they end in .json. */
const commented =
  /^(?:[tj]sconfig\b.*|.*\.tsconfig|devcontainer|\.?(?:eslint|oxlint|swc|babel|jshint|jscs|markdownlint)rc|\.(?:markdownlint|devcontainer)|api-extractor|deno|biome|turbo|nx|rush|angular|typedoc|tslint|wrangler|firebase|renovate|language-configuration)\.json$/u;
const commentedFolders: ReadonlySet<string> = new Set([".vscode", ".zed", ".devcontainer"]);

function plain(text: string): string {
  return text.replace(/^\ufeff/u, "");
}
