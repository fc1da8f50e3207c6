import { join } from "node:path";

import { userFolder } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { RefusedAccess } from "../../plugins/process/plugin-process.ts";
import { grantWarning } from "../../safety/grant-warning.ts";

/** A warning about the danger of allowing a refused access. Undefined: no special danger. */
export function refusalWarning({ permission, target }: RefusedAccess, config: LoadedConfig): string | undefined {
  if (permission !== "read" && permission !== "write") return undefined;
  const home = userFolder(config.env);
  const person = { home, userId: process.getuid?.() ?? 0, env: config.env };
  const hermesHomes = [config.home.root, config.home.path, join(home, ".hermes")];
  return grantWarning(permission, target.replace(/^~(?=\/|$)/u, home).replace(/\/+(?:\*.*)?$/u, ""), {
    person,
    hermesHomes,
  });
}

/** Warnings about grants such as `read:~/.ssh`, with the command to revoke them. */
export function grantWarnings(grants: readonly string[], config: LoadedConfig): readonly string[] {
  return grants.flatMap((grant) => {
    const [, permission, target = ""] = /^(read|write):(.*)$/su.exec(grant) ?? [];
    const warning = permission && refusalWarning({ permission: permission as "read" | "write", target }, config);
    return warning ? [`${target}: ${warning} \`hermes plugins revoke\` withdraws it.`] : [];
  });
}
