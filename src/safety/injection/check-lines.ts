import { systemClock } from "../../base/clock.ts";
import { lineCheck } from "../../contracts/host/line-check.ts";
import type { Surface } from "./rule.ts";
import { scanText } from "./scan-text.ts";

/** Handles one line of `hermes check injection`: `{id, text, surface}` in, `{id, verdict, findings}` out. */
export const checkInjectionLine = lineCheck("id, text and surface", ({ text, surface }) => {
  if (typeof text !== "string") return "text is missing";
  if (!isSurface(surface)) return `surface must be one of ${surfaces.join(", ")}`;
  const startedAt = systemClock.elapsed();
  const { verdict, findings } = scanText(text, surface);
  const us = Math.round((systemClock.elapsed() - startedAt) * 1000);
  return { verdict, findings: findings.map((finding) => ({ ...finding })), us };
});

const surfaces = ["memory", "context", "skill", "tool_result"] as const satisfies readonly Surface[];

function isSurface(surface: unknown): surface is Surface {
  return surfaces.some((each) => each === surface);
}
