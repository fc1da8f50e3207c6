import { resolve } from "node:path";

import { z } from "zod";

import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fail, text } from "../../contracts/tool/tool-result.ts";
import { browserFailure } from "./browser-call.ts";
import { readsPage } from "./page-effects.ts";

export default defineTool({
  name: "browser_pdf",
  toolset: "browser",
  description: "Save the open page as a PDF file.",
  emoji: "📄",
  input: z.object({ path: z.string().min(1).default("page.pdf") }),
  needs: ["browser", "environment"],
  traits: { timeoutMs: 120_000 },
  effects: async ({ path }, place) => [{ kind: "write", path: resolve(place.cwd, path) }, ...(await readsPage(place))],
  async run({ path }, { browser, environment, effects, cwd, signal }) {
    const answered = await browser.run({ do: "pdf" }, signal);
    if (!answered.ok) return browserFailure(answered.error);
    const { file } = answered.value;
    if (!file) return fail("The browser returned no PDF.");
    const [target = resolve(cwd, path)] = effects.flatMap((effect) => (effect.kind === "write" ? [effect.path] : []));
    const written = await environment.files.write(target, file.bytes, signal);
    if (!written.ok) return fail(`${target}: ${written.error.message}`);
    return text(`Saved ${file.bytes.length} bytes to ${target}.`, {
      success: true,
      path: target,
      bytes: file.bytes.length,
    });
  },
});
