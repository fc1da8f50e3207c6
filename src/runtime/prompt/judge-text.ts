import { readFileSync } from "node:fs";
import { join } from "node:path";

import { sha256 } from "../../base/digest.ts";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { valueOr } from "../../base/result.ts";
import { oneLine } from "../../base/text/text.ts";
import { version } from "../../base/version.ts";
import { homeFiles } from "../../config/home.ts";
import type { JudgeText } from "../../kernel/prompt/context-files.ts";
import { findInjectedOrder } from "../../safety/injected-text.ts";

/** Hashes of texts that this version found harmless: the scanner takes longer than the rest of a start. */
const maxHashes = 500;

/** Judges a text of a file before the model reads it: the reason to leave it out. The first new text loads the scanner. */
export function createJudge(home: string, surface: "context" | "memory" = "context"): JudgeText {
  const file = join(home, homeFiles.harmlessTexts);
  let harmless: readonly string[] | undefined;

  return async (text) => {
    const hash = sha256(`${version} ${surface} ${text}`).slice(0, 32);
    harmless ??= readHashes(file);
    if (harmless.includes(hash)) return undefined;
    const order = await findInjectedOrder(text, surface);
    if (order) return reason(order);
    harmless = [...harmless, hash].slice(-maxHashes);
    // Without the file the text is scanned again next time.
    await writeFileAtomic(file, `${harmless.join("\n")}\n`, { mode: 0o600 });
    return undefined;
  };
}

function readHashes(file: string): readonly string[] {
  return valueOr(() => readFileSync(file, "utf8").split("\n").filter(Boolean), []);
}

function reason({ rule, quote }: { readonly rule: string; readonly quote: string }): string {
  return `it looks like an attempt to take over the model (${rule}: "${oneLine(quote, 80)}")`;
}
