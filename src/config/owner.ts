import type { Principal } from "../contracts/safety/principal.ts";
import type { LoadedConfig } from "./load.ts";

/** The person who runs the program owns the home: their memory and their permanent grants are those of the home. */
export function isOwner({ user }: Pick<LoadedConfig, "user">, { id }: Principal): boolean {
  return id === `local:${user}`;
}
