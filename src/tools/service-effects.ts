import type { Effect, Place, ServiceFeature } from "../contracts/tool/effect.ts";

/**
 * Returns the connections to the configured service of a feature. Empty for a program on this machine. `sends`: the
 * call sends more than a few words.
 */
export async function serviceEffects(
  feature: ServiceFeature,
  { serviceTargets }: Place,
  { sends, provider }: { readonly sends?: true; readonly provider?: string | undefined } = {},
): Promise<readonly Effect[]> {
  const targets = (await serviceTargets?.(feature, provider)) ?? [];
  return targets.map((target) => ({ kind: "network", ...target, isService: true, ...(sends && { sends }) }));
}
