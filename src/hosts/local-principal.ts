import { userName } from "../base/this-user.ts";
import type { Principal } from "../contracts/safety/principal.ts";

/** The person who runs this program. Only hosts know who that is; everything below takes a principal as a parameter. */
export function localPrincipal(): Principal {
  return { id: `local:${userName()}` };
}
