import type { JsonObject } from "../../base/json.ts";
import { ok } from "../../base/result.ts";
import type { PluginClient } from "../../contracts/plugin/client.ts";
import type { PromptSectionContribution } from "../../contracts/plugin/plugin.ts";
import type { PluginRegistration } from "../../contracts/plugin/registration.ts";
import { maxAllSectionChars } from "../registration/read-registration.ts";
import { textOrNone } from "./plugin-object.ts";

const renderTimeoutMs = 5000;

/** The prompt sections of one plugin. `report` receives the reason when a section is skipped. */
export function pluginSections(
  { promptSections }: PluginRegistration,
  client: PluginClient,
  report: (sentence: string) => void,
): readonly PromptSectionContribution[] {
  return promptSections.map(({ id, position, maxChars, content }) => ({
    name: `${client.key}:${id}`,
    id,
    plugin: client.key,
    position,
    async render(info, signal) {
      const limits = { signal, timeoutMs: renderTimeoutMs };
      const answer = content === undefined ? await client.request("section.render", { id, info }, limits) : ok(content);
      if (!answer.ok) report(`The prompt section ${id} of the plugin ${client.key} failed: ${answer.error.message}`);
      const text = textOrNone(answer).trim();
      if (text.length <= maxChars) return text;
      report(
        `The prompt section ${id} of the plugin ${client.key} has more than ${maxChars} characters and is skipped`,
      );
      return "";
    },
  }));
}

export interface RenderedSections {
  readonly beforeMemory: string;
  readonly afterMemory: string;
}

/**
 * The sections for a new session, sorted by id, each between two comments that name it. Their total length is
 * limited: a section that no longer fits is skipped. They are rendered once, so that the prompt stays the same.
 */
export async function renderSections(
  sections: readonly PromptSectionContribution[],
  info: JsonObject,
  signal: AbortSignal,
): Promise<RenderedSections> {
  const sorted = sections.toSorted((a, b) => (a.id < b.id || (a.id === b.id && a.plugin < b.plugin) ? -1 : 1));
  const texts = await Promise.all(sorted.map((section) => section.render(info, signal)));
  let chars = 0;
  const fenced = sorted.map(({ id }, index) => {
    const text = texts[index] ?? "";
    if (text === "" || chars + text.length > maxAllSectionChars) return "";
    chars += text.length;
    return `<!-- plugin section ${id} -->\n${text}\n<!-- end of plugin section ${id} -->`;
  });
  const placed = (isBefore: boolean) =>
    fenced.filter((text, index) => text !== "" && (sorted[index]?.position === "before_memory") === isBefore);
  return { beforeMemory: placed(true).join("\n\n"), afterMemory: placed(false).join("\n\n") };
}
