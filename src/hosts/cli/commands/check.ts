import { schemaLineChecker } from "../../../runtime/schema-lines.ts";
import type { CliCommand } from "../command.ts";
import { stdinLines } from "../stdin-text.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["check", "schemas"],
    summary: "Rewrite tool schemas as a provider accepts them",
    details:
      "Reads one JSON object per line from standard input, {id, schema, provider}, and writes one per line, {id, schema}.\n" +
      "provider is one of openai, anthropic, gemini, xai, moonshot, llamacpp. A line that cannot be read is answered with {id, error}.",
    examples: [`echo '{"id":1,"provider":"gemini","schema":{"type":["string","null"]}}' | hermes check schemas`],
    async run(_input, ctx) {
      const check = await schemaLineChecker();
      let failed = false;
      for await (const { text, tooLong } of stdinLines(ctx.io, maxLineChars, ctx.signal)) {
        if (text.trim() === "") continue;
        const answer = tooLong
          ? { ok: false, line: JSON.stringify({ error: `the line is longer than ${maxLineChars} characters` }) }
          : check(text);
        failed ||= !answer.ok;
        await ctx.io.write(`${answer.line}\n`);
      }
      return { exitCode: failed ? 1 : 0 };
    },
  },
];

const maxLineChars = 20_000_000;
