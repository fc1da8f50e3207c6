import { z } from "zod";

import type { JsonObject } from "../../base/json.ts";
import { quoteForShell } from "../../base/text/shell-quote.ts";
import { type CodeOutcome, type CodeRunLanguage, codeRunLanguages } from "../../contracts/code/code-run.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fail, json } from "../../contracts/tool/tool-result.ts";

export default defineTool({
  name: "execute_code",
  toolset: "code_execution",
  description:
    "Run a script that calls tools; only what it prints returns. For 3+ calls with logic, loops, filtering large " +
    "outputs; not for one call or results to read in full. `from hermes_tools import …`: {stubs}; json_parse, " +
    "shell_quote, retry, parallel. Results are parsed; do all I/O with them. {seconds} s, {calls} calls, 50 KB stdout.",
  emoji: "🐍",
  input: z.object({
    code: z.string(),
    language: z.enum(codeRunLanguages).optional(),
    kernel: z.boolean().default(false).describe("Keep variables"),
  }),
  needs: ["code", "call", "toolIndex"],
  // The calls of a script declare their own effects. Without a sandbox, the script itself can have any effect.
  async effects({ code, language }, { cwd, backend, unconfinedScripts }) {
    if ((await unconfinedScripts?.()) === undefined) return [];
    if (backend !== "local") return [{ kind: "opaque", isAskedEachTime: true }];
    return [{ kind: "exec", command: inlineCommand(code, language), cwd, background: false }];
  },
  preview: async ({ code }, { effects }) => (effects.length > 0 ? code : undefined),
  async run({ code, language, kernel }, ctx) {
    const { toolIndex, cwd, signal, progress, printed, waitedMs = () => 0 } = ctx;
    if (code.trim() === "") return fail("No code provided.", "invalid_args");
    const languages = await ctx.code.languages();
    const chosen = language ?? languages[0] ?? "typescript";
    if (!languages.includes(chosen))
      return fail(
        `There is no interpreter for ${chosen} here. Use language: ${languages.join(" or ")}.`,
        "unavailable",
      );
    const tools = toolIndex.forScripts();
    const outcome = await ctx.code.run({
      code,
      language: chosen,
      isKernel: kernel,
      tools,
      isExcluded: (name) => toolIndex.describe(name) !== undefined,
      cwd,
      call: ctx.call,
      waitedMs,
      signal,
      progress,
      printed,
    });
    return json(resultOf(outcome));
  },
});

/** Returns a command with the same effects, for the analysis and for the person who approves it. */
function inlineCommand(code: string, language: CodeRunLanguage = "python"): string {
  return `${language === "python" ? "python3 -c" : "node -e"} ${quoteForShell(code)}`;
}

/** Short fields come first, because they are kept when a long result is truncated. */
function resultOf({
  status,
  output,
  errors,
  exitCode,
  toolCalls,
  durationMs,
  captured,
  ...rest
}: CodeOutcome): JsonObject {
  const { isTruncated, bytesCaptured, bytesTotal, spill, note } = captured;
  const { hint, weakness, lost } = rest;
  return {
    status,
    ...(exitCode !== undefined && { exit_code: exitCode }),
    tool_calls_made: toolCalls,
    duration_seconds: Math.round(durationMs / 10) / 100,
    stdout_truncated: isTruncated,
    stdout_bytes_captured: bytesCaptured,
    stdout_bytes_total: bytesTotal,
    stdout_bytes_omitted: bytesTotal - bytesCaptured,
    ...(spill !== undefined && { full_output_path: spill }),
    ...(note !== undefined && { truncation_note: note }),
    ...(lost !== undefined && { lost }),
    ...(hint !== undefined && { hint }),
    ...(weakness !== undefined && { warning: weakness }),
    ...(errors !== "" && { errors }),
    output,
  };
}
