import { systemClock } from "../../../../base/clock.ts";
import type { PluginStatus } from "../../../../contracts/plugin/status.ts";
import { servicesOf } from "../../../../operations/operation.ts";
import { createRunner } from "../../../../operations/run-operation.ts";
import type { OpenedRuntime } from "../../../../runtime/create-runtime.ts";
import type { CliContext } from "../../command.ts";
import { pluginText } from "../../commands/plugins/plugin-text.ts";
import { escapeInvisible } from "../../escape-invisible.ts";

/** Asks a question with the answers y and n before a session is open. Undefined: the user interrupted it. */
export type AskYesNo = (text: string, prompt: string) => Promise<boolean | undefined>;

/** Offers each new plugin of the home once, before the session starts. The answer is saved in the settings. */
export async function offerPlugins(
  offers: readonly PluginStatus[],
  { services }: OpenedRuntime,
  ctx: CliContext,
  ports: { readonly ask: AskYesNo; readonly tell: (line: string) => void },
): Promise<void> {
  const { principal, cwd, signal, paint } = ctx;
  const report = ({ message }: { readonly message: string }) => ports.tell(paint.dim(`hermes: ${message}`));
  const run = createRunner(
    servicesOf(() => services, {}),
    { principal, signal, clock: systemClock, cwd, report },
  );
  for (const { plugin } of offers.slice(0, maxOffers)) {
    const { key: name } = plugin;
    const shown = await run("plugins.info", { name });
    if (!shown.ok) continue;
    const isWanted = await ports.ask(
      `${paint.warn("New plugin")} ${pluginText(shown.value, ctx)}`,
      `Enable ${escapeInvisible(name)}? [y/N] `,
    );
    if (isWanted === undefined) return;
    const changed = await run(isWanted ? "plugins.enable" : "plugins.disable", { name });
    if (!changed.ok) ports.tell(`${paint.warn("warning:")} ${changed.error.message}`);
    else if (!isWanted) ports.tell(paint.dim(`Not loaded. To load it later: hermes plugins enable ${name}`));
  }
  if (offers.length > maxOffers)
    ports.tell(paint.dim(`${offers.length - maxOffers} more plugins are new: hermes plugins list`));
}

/** A notice for programs, which cannot answer the question. */
export function offerNotice(offers: readonly PluginStatus[]): string {
  const names = offers.map(({ plugin }) => plugin.key);
  if (names.length > 3) return `${names.length} new plugins are not loaded: hermes plugins list`;
  const command = `hermes plugins enable ${names.length === 1 ? names[0] : "NAME"}`;
  const subject = names.length === 1 ? `The new plugin ${names[0]} is` : `The new plugins ${names.join(", ")} are`;
  return `${subject} not loaded. To load: ${command}`;
}

/** The maximum for one start. */
const maxOffers = 5;
