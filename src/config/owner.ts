import type { Principal } from "../contracts/safety/principal.ts";
import type { LoadedConfig } from "./load.ts";

/**
 * Whether the principal is the user who runs the program and owns the home, including its memory and permanent grants.
 */
export function isOwner({ user }: Pick<LoadedConfig, "user">, { id }: Principal): boolean {
  return id === `local:${user}`;
}
