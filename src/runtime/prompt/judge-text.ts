import { readFileSync } from "node:fs";
import { join } from "node:path";

import { sha256 } from "../../base/digest.ts";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { valueOr } from "../../base/result.ts";
import { oneLine } from "../../base/text/text.ts";
import { version } from "../../base/version.ts";
import { homeFiles } from "../../config/home.ts";
import { trustedFolders } from "../../config/sources/trusted-folders.ts";
import { type JudgeText, contextText } from "../../kernel/prompt/context-files.ts";
import { findInjectedOrders, type TextFinding } from "../../safety/injected-text.ts";

/**
 * The maximum number of stored hashes of texts that this version considers harmless. They are stored because scanning
 * takes longer than the rest of a start.
 */
const maxHashes = 500;

/**
 * Checks the text of a file before the model reads it, and returns the reason if it may be an attack. The scanner is
 * loaded with the first new text. The user can approve exactly this content with `hermes trust FILE`.
 */
export function createJudge(home: string, surface: "context" | "memory" = "context"): JudgeText {
  const file = join(home, homeFiles.harmlessTexts);
  let harmless: readonly string[] | undefined;
  const isCleared = async (text: string) => {
    const cleared = await trustedFolders(home);
    return cleared.ok && cleared.value.some((each) => each.sha256 === sha256(text));
  };

  return async (text) => {
    const hash = sha256(`${version} ${surface} ${text}`).slice(0, 32);
    harmless ??= readHashes(file);
    if (harmless.includes(hash)) return undefined;
    const [order] = await findInjectedOrders(text, surface);
    if (order) return (await isCleared(text)) ? undefined : reason(order);
    harmless = [...harmless, hash].slice(-maxHashes);
    // If writing fails, the text is scanned again next time.
    await writeFileAtomic(file, `${harmless.join("\n")}\n`, { mode: 0o600 });
    return undefined;
  };
}

/** Checks a rules file for `hermes trust`: the digest of its content, and each suspicious sentence. */
export async function judgeRules(
  path: string,
  text: string,
): Promise<{ readonly sha256: string; readonly suspicions: readonly string[] }> {
  const rules = contextText(path, text);
  return { sha256: sha256(rules), suspicions: (await findInjectedOrders(rules, "context")).map(sentenceOf) };
}

function readHashes(file: string): readonly string[] {
  return valueOr(() => readFileSync(file, "utf8").split("\n").filter(Boolean), []);
}

function reason(order: TextFinding): string {
  return `it looks like an attempt to take over the model: ${sentenceOf(order)}`;
}

function sentenceOf({ line, says, quote }: TextFinding): string {
  return `line ${line} ${says} ("${oneLine(quote, 120)}")`;
}
