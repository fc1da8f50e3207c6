import { type ConfigFault, type Problem } from "../../config/load.ts";
import { CommandFailed } from "./command.ts";

/** A configuration that must not be used, as one message: every problem with its place, and what to do. */
export function showFaults({ problems }: ConfigFault): CommandFailed {
  const lines = problems.map(placed);
  const hints = new Set(problems.flatMap(({ hint }) => hint ?? []));
  return new CommandFailed(
    lines.length === 1 ? (lines[0] ?? "") : `The configuration cannot be used:\n  ${lines.join("\n  ")}`,
    [...hints].join("\n") || "`hermes config check` shows it again; `hermes config edit` opens the file.",
  );
}

function placed({ file, line, column, key, message }: Problem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  return [place, key, message].filter(Boolean).join(": ");
}
