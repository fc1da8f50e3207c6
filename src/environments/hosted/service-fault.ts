import type { LinkFault } from "../remote/link.ts";

/** Why a service did not do what it should. */
export interface ServiceFault {
  /** `settings`: the settings are at fault, asking again is useless. */
  readonly kind: string;
  readonly message: string;
  readonly hint?: string;
}

export function linkFaultOf({ kind, message, hint }: ServiceFault): LinkFault {
  if (kind === "aborted") return { how: "aborted" };
  return { how: kind === "settings" ? "misconfigured" : "broken", message, ...(hint !== undefined && { hint }) };
}
