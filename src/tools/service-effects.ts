import type { Effect, Place, ServiceFeature } from "../contracts/tool/effect.ts";

/** The connections to the service behind a feature. None for a program on this machine. `sends`: more than a few words. */
export async function serviceEffects(
  feature: ServiceFeature,
  { serviceTargets }: Place,
  { sends, provider }: { readonly sends?: true; readonly provider?: string | undefined } = {},
): Promise<readonly Effect[]> {
  const targets = (await serviceTargets?.(feature, provider)) ?? [];
  return targets.map((target) => ({ kind: "network", ...target, isService: true, ...(sends && { sends }) }));
}
