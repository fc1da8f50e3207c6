import { userName } from "../../base/this-user.ts";
import type { CliCommandContribution } from "../../contracts/plugin/plugin.ts";
import { loadSettings } from "../../operations/settings/load-settings.ts";
import { openServices } from "../../runtime/services.ts";
import { localPrincipal } from "../local-principal.ts";
import type { CliHost, CommandGroup } from "./command.ts";

/** The `hermes …` commands of the active plugins, except those whose name a built-in command has. */
export interface OpenedCommands extends AsyncDisposable {
  find(name: string): CliCommandContribution | undefined;
  list(): readonly CliCommandContribution[];
}

/**
 * Opens the commands of plugins without starting a plugin process. Undefined: the settings cannot be read; other
 * commands report that.
 */
export async function openPluginCommands(
  groups: readonly CommandGroup[],
  profile: string | undefined,
  { cwd, env, signal, io }: Pick<CliHost, "cwd" | "env" | "signal" | "io">,
): Promise<OpenedCommands | undefined> {
  const config = await loadSettings({ env, cwd, user: userName(), profile });
  if (!config.ok) return undefined;
  const say = (sentence: string) => io.warn(`hermes: ${sentence}\n`);
  const services = openServices(config.value, { cwd, principal: localPrincipal(), signal, say });
  const contributions = await services.get("contributions");
  await contributions.load("cliCommands");
  const isFree = ({ name }: CliCommandContribution) => groups.every((group) => group.name !== name);
  return {
    find: (name) => contributions.cliCommands.find(name),
    list: () => contributions.cliCommands.list().filter(isFree),
    [Symbol.asyncDispose]: () => services[Symbol.asyncDispose](),
  };
}
