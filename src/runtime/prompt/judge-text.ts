import { readFileSync } from "node:fs";
import { join } from "node:path";

import { sha256 } from "../../base/digest.ts";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { oneLine } from "../../base/text/text.ts";
import { version } from "../../base/version.ts";
import { homeFiles } from "../../config/home.ts";
import type { JudgeText } from "../../kernel/prompt/context-files.ts";

/** Texts that this version found harmless are known again by their hash: the scanner costs more than the rest of a start. */
const mostKnown = 500;

/** Rules for the model that come from a file: why they may not reach it. The scanner is loaded by the first new text. */
export function createJudge(home: string, surface: "context" | "memory" = "context"): JudgeText {
  const file = join(home, homeFiles.harmlessTexts);
  let known: readonly string[] | undefined;

  return async (text) => {
    const hash = sha256(`${version} ${surface} ${text}`).slice(0, 32);
    known ??= readKnown(file);
    if (known.includes(hash)) return undefined;
    const { scanText } = await import("../../safety/injection/scan-text.ts");
    const { verdict, findings } = scanText(text, surface);
    if (verdict === "block") return reason(findings[0]);
    known = [...known, hash].slice(-mostKnown);
    // What cannot be kept is scanned again next time.
    await writeFileAtomic(file, `${known.join("\n")}\n`, { mode: 0o600 });
    return undefined;
  };
}

function readKnown(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\n").filter(Boolean);
  } catch {
    return [];
  }
}

function reason(finding: { readonly rule: string; readonly quote: string } | undefined): string {
  const quote = finding ? ` (${finding.rule}: "${oneLine(finding.quote, 80)}")` : "";
  return `it looks like an attempt to take over the model${quote}`;
}
