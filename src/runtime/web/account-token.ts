import { err, type Result } from "../../base/result.ts";
import type { Models } from "../models/models.ts";

/** The token of the account that is signed in at a provider. Undefined: there is no sign-in. Never rejects. */
export async function accountToken(
  models: Models | undefined,
  provider: string,
  signal: AbortSignal,
): Promise<Result<string> | undefined> {
  if (!models?.pool.stores(provider)) return undefined;
  const route = models.resolve({ provider });
  if (!route.ok || route.value === "offline") return undefined;
  const credential = models.pool.list(route.value).find(({ account }) => account === "sign-in");
  if (!credential) return undefined;
  const sent = await models.sends(credential, route.value, signal);
  if (sent.ok && sent.value) return { ok: true, value: sent.value.key };
  const why = sent.ok ? "there is no token" : sent.error.message;
  return err({ message: `The account at ${provider} cannot be used: ${why}. hermes auth add ${provider} --oauth` });
}
