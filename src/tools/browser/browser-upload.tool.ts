import { basename, resolve } from "node:path";

import { z } from "zod";

import { expandHome } from "../../base/files/path.ts";
import { homeFolder } from "../../base/this-user.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fail } from "../../contracts/tool/tool-result.ts";
import type { UploadedFile } from "../../contracts/web/browser.ts";
import { askBrowser, pageTraits, refWords } from "./browser-call.ts";
import { sendsToPage } from "./page-effects.ts";

export default defineTool({
  name: "browser_upload",
  toolset: "browser",
  description: "Choose files for a file field of the open page, or for the button that opens its file chooser.",
  emoji: "⬆️",
  input: z.object({
    ref: z.string().optional().describe(`${refWords}; without it: the chooser that is open`),
    paths: z.array(z.string().min(1)).min(1).max(20),
  }),
  needs: ["browser", "environment"],
  traits: { ...pageTraits },
  effects: async ({ paths, ref }, place) => [
    ...paths.map((path) => ({ kind: "read" as const, path: fullPath(path, place.cwd) })),
    ...(await sendsToPage(place, ref === undefined ? "focus" : { refs: [ref] })),
  ],
  async run({ ref, paths }, ctx) {
    const files: UploadedFile[] = [];
    // The effects contain the real paths, in the same order.
    const reads = ctx.effects.flatMap((effect) => (effect.kind === "read" ? [effect.path] : []));
    for (const [index, path] of paths.entries()) {
      const content = await ctx.environment.files.read(reads[index] ?? fullPath(path, ctx.cwd), ctx.signal);
      if (!content.ok) return fail(`${path}: ${content.error.message}`);
      if (content.value.length > maxBytes) return fail(`${path}: larger than ${maxBytes / 1e6} MB`);
      files.push({ name: basename(path), bytes: content.value });
    }
    return askBrowser({ do: "upload", files, ...(ref !== undefined && { ref }) }, ctx);
  },
});

const maxBytes = 100_000_000;

function fullPath(path: string, cwd: string): string {
  return resolve(cwd, expandHome(path, homeFolder()));
}
