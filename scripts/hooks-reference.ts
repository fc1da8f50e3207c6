import { readFileSync } from "node:fs";
import { join } from "node:path";

import { hookAliases, hookFacts, type HookName, originalHookNames } from "../src/contracts/host/hook.ts";
import { hookArguments } from "../src/plugins/hooks/hook-arguments.ts";

/**
 * The sections of the reference page about hooks: an overview, then each hook with its typed event and its arguments in
 * the Python version.
 */
export function hooksParts(): readonly string[] {
  const source = readFileSync(join(import.meta.dirname, "..", "src/contracts/host/hook-events.ts"), "utf8");
  const originals = Map.groupBy(Object.entries(originalHookNames), ([, name]): HookName => name);
  const aliases = Map.groupBy(Object.entries(hookAliases), ([, original]): string => original);
  const names = Object.keys(hookFacts) as HookName[];
  const namesOf = (hook: HookName) => originals.get(hook)?.map(([original]) => original) ?? [];
  const rows = names.map((name) => {
    const { kind, when, waitsFor } = hookFacts[name];
    const waits = waitsFor === undefined ? "" : ` **Not fired yet: waits for ${waitsFor}.**`;
    const shown = namesOf(name).map((original) => `\`${original}\``);
    return `| [\`${name}\`](#${name.toLowerCase()}) | ${kind} | ${when.replaceAll("|", "\\|")}${waits} | ${shown.join(", ")} |`;
  });
  const sections = names.map((name) => {
    const lines = namesOf(name).map((original) => {
      const { args, answer, note } = hookArguments[original as keyof typeof hookArguments];
      const others = aliases.get(original)?.map(([alias]) => `\`${alias}\``) ?? [];
      const sentences = [
        `\`${original}\`${others.length > 0 ? ` (also ${others.join(", ")})` : ""}: ${args
          .split(" ")
          .map((arg) => `\`${arg}\``)
          .join(", ")}.`,
        ...(note === undefined ? [] : [note]),
        ...(answer === undefined ? [] : [`Answer: ${answer}.`]),
      ];
      return `- ${sentences.join(" ")}`;
    });
    const typed = ["```ts", typedEvent(source, name), "```"].join("\n");
    return [`## ${name}`, typed, ...(lines.length > 0 ? [lines.join("\n")] : [])].join("\n\n");
  });
  return [
    "An *observer* only watches: Hermes ignores what it returns or throws. An *interceptor* may return a result. A hook marked *not fired yet* can be registered, but nothing calls it in this version. Types are in `hermes-agent-ts/plugin`. The last column has the Python original's names; Python plugins, shell hooks and the names in `hooks:` of the settings use them. Every hook of the original also gets `telemetry_schema_version`; `task_id` is the session. Secrets are masked. `reply` is the answer of a typed interceptor.",
    ["| hook | kind | when | original |", "|---|---|---|---|", ...rows].join("\n"),
    ...sections,
  ];
}

/** The declaration of one event, from the source. `InSession`, `InCall` and `InModelCall` add ids and facts of the session. */
function typedEvent(source: string, name: HookName): string {
  const lines = source.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`  ${name}: `));
  const isWhole = (lines[start] ?? "").endsWith(";");
  const end = isWhole ? start : lines.findIndex((line, index) => index > start && /^ {2}\S.*;$/u.test(line));
  const shown = lines.slice(start, end + 1).map((line) => line.slice(2).replaceAll("readonly ", ""));
  return shown.join("\n");
}
