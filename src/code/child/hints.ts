import { didYouMean } from "../../base/text/nearest.ts";
import type { CodeRunLanguage, ScriptTool } from "../../contracts/code/code-run.ts";
import { pythonHelpers } from "./python-module.ts";
import { stubShape } from "./stub-shape.ts";
import { javascriptHelpers } from "./typescript-module.ts";

/** A likely cause of a failure and its remedy, derived from the script's standard error. */
export function hintFor(language: CodeRunLanguage, stderr: string, tools: readonly ScriptTool[]): string | undefined {
  // Uses the last error, because it ended the script.
  const end = stderr.slice(-maxChars);
  for (const [pattern, hint] of language === "python" ? pythonHints : typescriptHints) {
    const match = [...end.matchAll(pattern)].at(-1);
    const text = match && hint(match[1] ?? "", tools);
    if (text !== undefined) return text;
  }
  return undefined;
}

type Hint = (name: string, tools: readonly ScriptTool[]) => string | undefined;

const parsed =
  'Tools return parsed values, not JSON text: use them as they are, e.g. result["content"], without json.loads. ' +
  'A failed tool returns {"error": "…"}. Print the result once to see its keys.';
const offline =
  "Scripts have no network. Use web_search, web_extract or terminal from hermes_tools, if they are listed.";
const readOnly =
  "Scripts can write only to their temporary folder. Use write_file, patch or terminal from hermes_tools for other files.";

const pythonHints: readonly (readonly [RegExp, Hint])[] = [
  [
    /^ImportError: cannot import name '([^']+)' from 'hermes_tools'/gmu,
    (name, tools) => notExposed(name, tools, pythonHelpers),
  ],
  [
    /^AttributeError: module 'hermes_tools' has no attribute '([^']+)'/gmu,
    (name, tools) => notExposed(name, tools, pythonHelpers),
  ],
  [
    /^NameError: name '([^']+)' is not defined/gmu,
    (name, tools) => notImported(name, tools, pythonHelpers, (it) => `from hermes_tools import ${it}`),
  ],
  [
    /^ModuleNotFoundError: No module named '([^']+)'/gmu,
    (name) => `${name} is not installed for the Python of scripts. Use the standard library, or a program by terminal.`,
  ],
  [
    /^TypeError: (\w+)\(\) (?:got an unexpected keyword|missing \d+ required|takes \d+|takes from \d+|got multiple values)/gmu,
    signatureOf,
  ],
  [
    /^TypeError: (?:the JSON object must be str|string indices must be|expected string or bytes-like object, got '(?:dict|list))/gmu,
    () => parsed,
  ],
  [
    /^(?:TypeError: unhashable type: 'slice'|KeyError: slice|AttributeError: '(?:dict|list)' object has no attribute)/gmu,
    () => parsed,
  ],
  [
    /^TypeError: object (?:dict|list|str|int|NoneType) can't be used in 'await' expression/gmu,
    () =>
      "The functions of hermes_tools are not asynchronous. Call them without await, or use `from hermes_tools import aio` and `await aio.read_file(…)`.",
  ],
  [
    /^KeyError: /gmu,
    () =>
      'A result has no such key. A failed tool returns {"error": "…"}: check result.get("error") first, and print the result once to see its keys.',
  ],
  [
    /^(?:socket\.gaierror|urllib\.error\.URLError|ConnectionRefusedError|requests\.exceptions\.\w+|OSError: \[Errno 101\])/gmu,
    () => offline,
  ],
  [/^OSError: \[Errno 30\]/gmu, () => readOnly],
  [/^MemoryError/gmu, () => "The script reached its memory limit. Process the data in parts."],
];

const typescriptHints: readonly (readonly [RegExp, Hint])[] = [
  [
    /module 'hermes_tools' does not provide an export named '([^']+)'/gu,
    (name, tools) => notExposed(name, tools, javascriptHelpers),
  ],
  [
    /^ReferenceError: (\w+) is not defined/gmu,
    (name, tools) => notImported(name, tools, javascriptHelpers, (it) => `import { ${it} } from "hermes_tools"`),
  ],
  [
    /^ReferenceError: (?:require|module|__dirname) is not defined/gmu,
    () => 'Scripts are ES modules: use import, e.g. import { readFileSync } from "node:fs".',
  ],
  [
    /Cannot find (?:package|module) '([^']+)'/gu,
    (name) => `${name} is not installed here. Use the modules of Node, or a program by terminal.`,
  ],
  [/^SyntaxError: "\[object Object\]" is not valid JSON/gmu, () => parsed],
  [
    /^TypeError: [\w.$() ]+\.(?:split|trim|match|matchAll|replace|replaceAll|slice|startsWith|endsWith|map|filter|forEach|then) is not a function/gmu,
    () => `${parsed} Calls return promises: await each one.`,
  ],
  [
    /^TypeError: Cannot read properties of undefined/gmu,
    () =>
      'Await each call. A failed tool returns {error: "…"}: check result.error first, and print the result once to see its keys.',
  ],
  [/\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH)\b/gu, () => offline],
  [/\bEROFS\b/gu, () => readOnly],
  [/JavaScript heap out of memory/gu, () => "The script reached its memory limit. Process the data in parts."],
];

function notExposed(name: string, tools: readonly ScriptTool[], helpers: readonly string[]): string {
  const names = [
    ...tools.flatMap((tool) => (tool.alias === undefined ? [tool.name] : [tool.name, tool.alias])),
    ...helpers,
  ];
  return [`hermes_tools has no ${name} in this session.`, didYouMean(name, names), `It has: ${names.join(", ")}.`]
    .filter((sentence) => sentence !== "")
    .join(" ");
}

function notImported(
  name: string,
  tools: readonly ScriptTool[],
  helpers: readonly string[],
  statement: (name: string) => string,
): string | undefined {
  const isThere = helpers.includes(name) || tools.some((tool) => tool.name === name || tool.alias === name);
  return isThere ? `Import it first: ${statement(name)}` : undefined;
}

function signatureOf(name: string, tools: readonly ScriptTool[]): string | undefined {
  const tool = tools.find((each) => each.name === name || each.alias === name);
  if (!tool) return undefined;
  const shape = stubShape(tool);
  const parameters = shape.arguments.map((each) => (each.isRequired ? each.name : `${each.name}=…`));
  return `The arguments are: ${name}(${[...parameters, ...(shape.isOpen ? ["…"] : [])].join(", ")}).`;
}

const maxChars = 10_000;
