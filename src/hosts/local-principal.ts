import { userName } from "../base/this-user.ts";
import type { Principal } from "../contracts/safety/principal.ts";

/** The user who runs this program. Only hosts know it; everything below takes a principal as a parameter. */
export function localPrincipal(): Principal {
  return { id: `local:${userName()}` };
}
