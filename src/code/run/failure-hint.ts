import type { CodeRequest } from "../../contracts/code/code-run.ts";

/** A likely cause of a failure and its remedy, by the standard error. */
export function failureHint(errors: string, { tools }: Pick<CodeRequest, "tools">): string | undefined {
  const names = tools.map(({ name }) => name).join(", ") || "none";
  for (const [sign, hint] of signs) {
    const match = sign.exec(errors);
    if (match) return hint(match[1] ?? "", names);
  }
  return undefined;
}

const signs: readonly (readonly [sign: RegExp, hint: (name: string, tools: string) => string])[] = [
  [
    /cannot import name '(\w+)' from 'hermes_tools'|'hermes_tools' has no attribute '(\w+)'|hermes_tools' does not provide an export named '(\w+)'/u,
    (_, tools) => `hermes_tools has these tools here: ${tools}; and json_parse, shell_quote, retry, parallel.`,
  ],
  [
    /name '(json_parse|shell_quote|retry|parallel)' is not defined|\b(?:json_parse|shell_quote|retry|parallel) is not defined/u,
    () => "Import it: from hermes_tools import json_parse, shell_quote, retry, parallel.",
  ],
  [
    /No module named '([\w.]+)'|Cannot find (?:package|module) '([^']+)'/u,
    (name) =>
      `${name === "" ? "The module" : name} is not installed in the interpreter of scripts, and scripts have no network. Use the standard library, or run the program with terminal().`,
  ],
  [
    /string indices must be integers|'dict' object has no attribute '(?:strip|split|splitlines|lower|replace|startswith)'|'str' object has no attribute 'get'|expected string or bytes-like object/u,
    () => "Tools return parsed values: most are a dict. Print one value, or its keys, to see its shape.",
  ],
  [
    /Read-only file system|Permission denied: '|EROFS|Errno 30/u,
    () =>
      "Scripts can write only to their temporary folder (the variable TMPDIR), and files with keys are hidden. Change files with write_file() or patch().",
  ],
  [
    /Name or service not known|Temporary failure in name resolution|Network is unreachable|ENETUNREACH|EAI_AGAIN|ENOTFOUND/u,
    () => "Scripts have no network. Use the web tools, or a command with terminal().",
  ],
  [/MemoryError|JavaScript heap out of memory/u, () => "The script reached its memory limit: read less at a time."],
];
