import { err, ok } from "../../base/result.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import { flag, integer, object, optional, string } from "../../contracts/host/input-schema.ts";
import { attachedPart } from "../../contracts/session/attached-part.ts";
import { fieldsOf, viewResult } from "../../contracts/tool/result-view.ts";
import type { ToolResult } from "../../contracts/tool/tool-result.ts";
import { fenceText } from "../../kernel/dispatch/result/untrusted.ts";
import { writeOperation } from "../operation.ts";

const maxSeconds = 120;
const interruptedCode = 130;
const timeoutCode = 124;

export const operations = {
  run: writeOperation({
    summary:
      "Run a command of the user in the session's shell, under the same policy as commands of the agent; the model does not see it",
    input: object({
      command: string("the command line"),
      timeoutSeconds: optional(integer("default: 120", { minimum: 1, maximum: maxSeconds })),
      isLive: optional(flag("report output while the command runs; default: true")),
    }),
    needs: ["session", "liveSessions"],
    async run(
      { command, timeoutSeconds = maxSeconds, isLive = true },
      { session, liveSessions },
      { signal, report, clock },
    ) {
      const live = liveSessions.get(session.id);
      if (!live) return err({ message: "This session is read-only here." });
      const startedAt = clock.elapsed();
      const result = await live.callTool({
        name: "terminal",
        args: { command, timeout: timeoutSeconds },
        origin: "user",
        signal,
        isQuiet: true,
        emit(event) {
          if (isLive && event.type === "tool.printed") report({ message: event.lines.join("\n") });
        },
      });
      const durationMs = clock.elapsed() - startedAt;
      const { output = "", outputPath, summary } = viewResult(result);
      const exitCode = exitCodeOf(result, signal);
      if (exitCode === undefined) return err({ message: result.ok ? summary : result.error.message });
      const text = fenceText(output, "command");
      const attachment = attachedPart(`!${command}`, `exit code ${exitCode}`, { type: "text", text });
      return ok({ exitCode, output, durationMs, attachment, ...withoutUndefined({ outputPath }) });
    },
  }),
};

/** The result of the command. Undefined: it did not run. */
function exitCodeOf(result: ToolResult, signal: AbortSignal): number | undefined {
  const { exit_code: code } = fieldsOf(result);
  if (typeof code === "number") return code;
  if (signal.aborted) return interruptedCode;
  return !result.ok && result.error.kind === "timeout" ? timeoutCode : undefined;
}
