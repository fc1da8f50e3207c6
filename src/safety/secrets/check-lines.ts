import { systemClock } from "../../base/clock.ts";
import { lineCheck } from "../../contracts/host/line-check.ts";
import { type RedactionMode, redactSecrets } from "./redact.ts";

/** Handles one line of `hermes check secrets`: `{id, text, mode, command?}` in, `{id, text}` out. */
export const checkSecretsLine = lineCheck("id, text and mode", ({ text, mode, command }) => {
  if (typeof text !== "string") return "text is missing";
  if (!isMode(mode)) return `mode must be one of ${modes.join(", ")}`;
  if (command !== undefined && command !== null && typeof command !== "string") return "command must be a text";
  const startedAt = systemClock.elapsed();
  const shown = redactSecrets(text, mode, typeof command === "string" ? { command } : {});
  return { text: shown, us: Math.round((systemClock.elapsed() - startedAt) * 1000) };
});

const modes = ["log", "terminal", "file", "egress"] as const satisfies readonly RedactionMode[];

function isMode(mode: unknown): mode is RedactionMode {
  return modes.some((each) => each === mode);
}
