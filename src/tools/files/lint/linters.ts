/**
 * A program that parses a text from standard input without running it, and reports errors. Output that does not match
 * the pattern, such as the message for a missing program, does not count as an error of the text.
 */
export interface Linter {
  readonly name: string;
  /** The command for the shell of any backend. */
  readonly command: string;
  /** The pattern of an error message. Groups: `message`, `line`, and optionally `column`. */
  readonly pattern: RegExp;
  /** Returns whether the linter can check this text. */
  readonly takes?: (text: string) => boolean;
}

export function linterFor(path: string): Linter | undefined {
  // A declaration file is not a program, so it is not checked.
  if (/\.d\.[cm]?ts$/u.test(path)) return undefined;
  const ending = /\.(\w+)$/u.exec(path)?.[1]?.toLowerCase() ?? "";
  return linters[ending];
}

/** With `-I`, Python imports nothing from the folder or the user's modules. */
const python: Linter = {
  name: "python3",
  command: `command python3 -I -W ignore -c 'import sys
try: compile(sys.stdin.buffer.read(), "f", "exec", dont_inherit=True)
except SyntaxError as e: print("%s:%s: %s" % (e.lineno or 1, e.offset or 1, e.msg))
except ValueError as e: print("1:1: %s" % e)'`,
  pattern: /^(?<line>\d+):(?<column>\d+): (?<message>.+)$/gmu,
};

/** A `.js` file may be a script or a module: it is invalid only if it is neither. */
const checkSource = `
const vm = require("vm"), kind = process.argv[1];
const code = require("fs").readFileSync(0, "utf8").replace(/^\\ufeff?#!/, "//");
const fault = (work) => { try { work(); } catch (thrown) { return thrown; } };
const names = ["exports", "require", "module", "__filename", "__dirname"];
const asScript = () => fault(() => vm.compileFunction(code, names, { filename: "f" }));
const asModule = () => fault(() => new vm.SourceTextModule(code, { identifier: "f" }));
if (kind === "ts") {
  const strip = require("module").stripTypeScriptTypes;
  const found = strip && fault(() => strip(code, { mode: "transform" }));
  if (found && found.code === "ERR_INVALID_TYPESCRIPT_SYNTAX") console.error(found.stack);
} else {
  const script = kind === "mjs" ? undefined : asScript();
  const other = kind === "mjs" || (script && kind === "js") ? asModule() : script;
  if (other) throw script && !/^\\s*(?:import|export)\\b/m.test(code) ? script : other;
}`;

/** The environment variable with the path of the Node for linting, if it differs from the environment's. */
export const nodeVariable = "HERMES_LINT_NODE";

function node(kind: "js" | "mjs" | "cjs" | "ts"): Linter {
  return {
    name: "node",
    command: `command "\${${nodeVariable}:-node}" --experimental-vm-modules --no-warnings -e '${checkSource}' ${kind}`,
    pattern: /^f?:(?<line>\d+)\n[^]*?\n\w*Error(?: \[\w+\])?: (?<message>.+)$/gmu,
  };
}

const bash: Linter = {
  name: "bash",
  command: "LC_ALL=C command bash -n /dev/stdin",
  pattern: /^\/dev\/stdin: line (?<line>\d+): (?<message>(?!`).+)$/gmu,
  takes: (text) => !text.startsWith("#!") || /^#!.*\b(?:ba|da|k)?sh\b/u.test(text),
};

const gofmt: Linter = {
  name: "gofmt",
  command: "command gofmt -e 2>&1 >/dev/null",
  pattern: /^<standard input>:(?<line>\d+):(?<column>\d+): (?<message>.+)$/gmu,
};

const rustfmt: Linter = {
  name: "rustfmt",
  command: "command rustfmt --edition 2021 2>&1 >/dev/null",
  pattern: /^error(?:\[\w+\])?: (?<message>.+)\n\s*--> <stdin>:(?<line>\d+):(?<column>\d+)$/gmu,
};

const ruby: Linter = {
  name: "ruby",
  command: "command ruby -c 2>&1",
  pattern: /^-:(?<line>\d+): (?<message>.+)$/gmu,
};

const php: Linter = {
  name: "php",
  command: "command php -n -d display_errors=stdout -d log_errors=0 -l",
  pattern: /(?:Parse|Fatal) error: +(?<message>.+) in .+ on line (?<line>\d+)$/gmu,
};

const lua: Linter = {
  name: "luac",
  command: "command luac -p - 2>&1",
  pattern: /^luac[\d.]*: stdin:(?<line>\d+): (?<message>.+)$/gmu,
};

const xml: Linter = {
  name: "xmllint",
  command: "command xmllint --noout --nonet - 2>&1",
  pattern: /^-:(?<line>\d+): parser error : (?<message>.+)$/gmu,
};

const linters: Readonly<Record<string, Linter>> = {
  py: python,
  pyi: python,
  js: node("js"),
  mjs: node("mjs"),
  cjs: node("cjs"),
  ts: node("ts"),
  mts: node("ts"),
  cts: node("ts"),
  sh: bash,
  bash,
  go: gofmt,
  rs: rustfmt,
  rb: ruby,
  php,
  lua,
  xml,
  svg: xml,
};
