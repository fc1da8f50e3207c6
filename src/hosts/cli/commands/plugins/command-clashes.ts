import type { OutputOf } from "../../../../operations/catalog.ts";
import type { CliContext } from "../../command.ts";

export interface CommandClash {
  /** Key of the plugin whose command is left out. */
  readonly plugin: string;
  readonly message: string;
}

/** Commands of active plugins that cannot be reached, because Hermes or an earlier plugin has the name. */
export async function commandClashes(
  plugins: OutputOf<"plugins.list">["plugins"],
  ctx: CliContext,
): Promise<readonly CommandClash[]> {
  const { builtinCommands } = await import("../../../../commands/builtin-commands.ts");
  const slashNames = builtinCommands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const owners = new Map<string, string>([
    ...slashNames.map((name) => [`/${name}`, "Hermes"] as const),
    ...ctx.groups.flatMap(({ name, alias = name }) =>
      [name, alias].map((word) => [`hermes ${word}`, "Hermes"] as const),
    ),
  ]);
  const clashes: CommandClash[] = [];
  for (const { key, state, contributes } of plugins) {
    if (state !== "active") continue;
    for (const name of [...(contributes["commands"] ?? []), ...(contributes["hermes commands"] ?? [])]) {
      const owner = owners.get(name);
      if (owner === undefined) owners.set(name, `the plugin ${key}`);
      else clashes.push({ plugin: key, message: `${name} is not available: ${owner} has a command of this name` });
    }
  }
  return clashes;
}
