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
      const { checkSchemaLine } = await import("../../../providers/schema/check-lines.ts");
      let failed = 0;
      for await (const { text, tooLong } of stdinLines(ctx.io, 20_000_000)) {
        if (ctx.signal.aborted) break;
        if (text.trim() === "") continue;
        const answer = tooLong
          ? JSON.stringify({ error: "the line is longer than 20,000,000 characters" })
          : checkSchemaLine(text);
        if (answer.includes('"error"')) failed += 1;
        await ctx.io.write(`${answer}\n`);
      }
      return { data: null, text: "", exitCode: failed > 0 ? 1 : 0 };
    },
  },
];
