import { cut, oneLine } from "../../base/text/text.ts";
import type { Redactor } from "../../contracts/tool/dispatch.ts";
import { describeEffect, type ResolvedEffect } from "../../contracts/tool/effect.ts";

/** The command, paths or hosts of a call in one line, with masked secrets. */
export function describeEffects(effects: readonly ResolvedEffect[], redactor: Redactor): string {
  const words = effects.map((effect) => {
    if (effect.kind === "exec") return effect.command;
    return effect.kind === "network" ? (URL.parse(effect.url)?.host ?? effect.url) : describeEffect(effect);
  });
  return oneLine(redactor.redact(cut([...new Set(words)].join("; "), 4 * maxChars)), maxChars);
}

const maxChars = 300;
