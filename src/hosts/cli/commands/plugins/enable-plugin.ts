import type { OutputOf } from "../../../../operations/catalog.ts";
import type { CliContext, Reply } from "../../command.ts";
import { withoutControls } from "../../without-controls.ts";
import { askVariables } from "./ask-variables.ts";
import { type CommandClash, commandClashes } from "./command-clashes.ts";

/** Asks for missing variables, then enables the plugin. The user has agreed. */
export async function enableNow(
  key: string,
  variables: OutputOf<"plugins.info">["variables"],
  ctx: CliContext,
): Promise<Reply> {
  await askVariables(variables, ctx);
  const renewed = ctx.renewed();
  const data = await renewed.run("plugins.enable", { name: key });
  const { state, why, tools, refusedTools, contributes } = data;
  if (state !== "active") return { data, text: withoutControls(`Enabled, not loaded. ${why ?? state}`), exitCode: 1 };
  const parts = [
    ...tools.flatMap(({ name, refused }) => (refused === undefined ? [name] : [])),
    ...Object.entries(contributes).map(([kind, names]) => `${kind} ${names.join(", ")}`),
  ];
  const { plugins } = await renewed.run("plugins.list", {});
  const clashes = (await commandClashes(plugins, ctx)).filter(({ plugin }) => plugin === key);
  const lines = [
    `Enabled ${key}: ${parts.join(", ") || "it contributes nothing"}`,
    ...refusedTools.map((tool) =>
      `Note: its tool ${tool.name} is not used: ${tool.why}. ${tool.advice ?? ""}`.trimEnd(),
    ),
    ...clashes.map(noteOf),
  ];
  return { data: { ...data, clashes }, text: withoutControls(lines.join("\n")) };
}

function noteOf({ message }: CommandClash): string {
  return `Note: ${message}`;
}
