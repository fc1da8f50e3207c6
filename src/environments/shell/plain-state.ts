import { quoteForShell } from "../../base/text/shell-quote.ts";
import type { CarriedState } from "./carried-state.ts";
import type { ShellDialect } from "./dialect.ts";

/** The state that a shell starts with: environment variables, and code that it reads. */
export interface PlainState {
  readonly env: Readonly<Record<string, string>>;
  /** The script, one byte per character. */
  readonly script: string;
}

/**
 * Sanitizes a state that may be forged: a command in a sandbox can forge the state its shell leaves, and the next shell
 * may run outside. Reading the result runs nothing: functions use the one form that can only define a function, values
 * are literal, and everything else is dropped.
 */
export function plainState(state: CarriedState, dialect: ShellDialect): PlainState {
  const names = Object.keys(state.functions).filter((name) => ordinaryName.test(name));
  const functions = names.flatMap((name) => functionOf(name, state.functions[name] ?? "", dialect) ?? []);
  const lines = [
    state.options ?? "",
    ...(state.odd ?? []).filter((line) => literalExport.test(line)),
    ...functions.map(({ code }) => code),
    ...Object.entries(state.aliases).map(([name, value]) =>
      ordinaryName.test(name) ? `alias ${name}=${quoteForShell(asBytes(value))}` : "",
    ),
  ].filter(Boolean);
  return {
    env: Object.fromEntries(functions.flatMap(({ variable }) => (variable ? [variable] : []))),
    script: lines.length > 0 ? `${lines.join("\n")}\n` : "",
  };
}

interface PlainFunction {
  readonly variable?: readonly [name: string, value: string];
  readonly code: string;
}

/**
 * bash accepts exactly one definition from a variable of such a name; zsh parses an element of `functions` without
 * running it.
 */
function functionOf(name: string, text: string, dialect: ShellDialect): PlainFunction | undefined {
  const start = dialect.functionStart(name);
  if (!text.startsWith(start) || text.length > maxFunctionChars) return undefined;
  const body = text.slice(start.length).trimEnd();
  if (dialect.name === "zsh") {
    return body.endsWith("}") ? { code: `functions[${name}]=${quoteForShell(asBytes(body.slice(0, -1)))}` } : undefined;
  }
  if (dialect.name !== "bash") return undefined;
  const [, definition = body, exported] = /^([^]*)\ndeclare -(\w+) \S+$/u.exec(body) ?? [];
  return {
    variable: [`BASH_FUNC_${name}%%`, `() {${definition}`],
    code: exported?.includes("x") ? "" : `export -nf ${name}`,
  };
}

const ordinaryName = /^[A-Za-z_][\w.+:@-]*$/u;
/** Linux accepts no variable over 128 KiB. */
const maxFunctionChars = 30_000;

/** The format of `export -p`: every special character is escaped or inside single quotes. */
const literalExport =
  /^(?:declare|typeset|export)(?: -\w+)* [A-Za-z_]\w*(?:=(?:[\w./:,+@%=-]|"(?:[^"\\$`]|\\[^])*"|\$?'(?:[^'\\]|\\[^])*'|[()[\] ])*)?$/u;

function asBytes(text: string): string {
  return Buffer.from(text).toString("latin1");
}
