import type { LinkFault } from "../remote/link.ts";

export interface ServiceFault {
  /** `settings`: the settings are wrong, so a retry is useless. */
  readonly kind: string;
  readonly message: string;
  readonly hint?: string;
}

export function linkFaultOf({ kind, message, hint }: ServiceFault): LinkFault {
  if (kind === "aborted") return { how: "aborted" };
  return { how: kind === "settings" ? "misconfigured" : "broken", message, ...(hint !== undefined && { hint }) };
}
