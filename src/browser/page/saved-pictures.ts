import type { Clock } from "../../base/clock.ts";
import { randomHex } from "../../base/digest.ts";
import { type BoundedFolder, createBoundedFolder } from "../../base/files/bounded-folder.ts";
import { isObject } from "../../base/json.ts";
import { ok } from "../../base/result.ts";
import type { Browser, BrowserAnswer, PagePicture } from "../../contracts/web/browser.ts";

/** The same browser, whose pictures are also files that a person can open. They are removed after a day. */
export function savePictures(browser: Browser, folder: string, clock: Clock): Browser {
  const files = createBoundedFolder(folder, { maxTotalBytes: 100_000_000, maxAgeMs: 86_400_000 }, clock);
  return {
    facts: (target) => browser.facts(target),
    async run(request, signal) {
      const answered = await browser.run(request, signal);
      if (!answered.ok || answered.value.picture === undefined) return answered;
      return ok(await withFile(answered.value, answered.value.picture, files, clock.now()));
    },
  };
}

async function withFile(
  answer: BrowserAnswer,
  { mimeType, data: base64 }: PagePicture,
  files: BoundedFolder,
  now: number,
): Promise<BrowserAnswer> {
  const stamp = new Date(now).toISOString().replaceAll(/[-:]|\..*/gu, "");
  const name = `page-${stamp}-${randomHex(3)}.${mimeType === "image/jpeg" ? "jpg" : "png"}`;
  const saved = await files.write(name, Buffer.from(base64, "base64"));
  if (!saved.ok) return { ...answer, text: `${answer.text}\nThe picture was not saved: ${saved.error.message}` };
  const data = isObject(answer.data) ? { ...answer.data, screenshot_path: saved.value } : answer.data;
  return { ...answer, text: `${answer.text}\nSaved for a day: ${saved.value}`, ...(data !== undefined && { data }) };
}
