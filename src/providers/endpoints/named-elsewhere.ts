import { nearest } from "../../base/text/nearest.ts";
import { modelFamilies } from "../facts/families.ts";
import { endpointRows, findRow, providerIdOf } from "./find-row.ts";
import type { RouteContext } from "./make-route.ts";
import { type Route, routeName } from "./route.ts";

export interface ListContext extends RouteContext {
  /** Returns whether the last model list of the endpoint contains this model. */
  isListed?(route: Route): boolean;
}

/**
 * Returns why a name without a known provider must not be sent to `route`, the provider in the settings: the name seems
 * to belong to another provider. A prompt is never sent to a company other than the one that the user named.
 */
export function namedElsewhere(name: string, route: Route, scene: ListContext): string | undefined {
  const { settings } = scene;
  if (name === settings.model.default || scene.isListed?.(route)) return undefined;
  const slash = name.indexOf("/");
  const head = slash < 0 ? (/^([^:]+):/u.exec(name)?.[1] ?? name) : name.slice(0, slash);
  const row = findRow(route.providerId);
  const hostsOthers = !row || row.local === true || row.defaultModel?.includes("/") === true;
  if (slash > 0 && hostsOthers && (makers.has(head.toLowerCase()) || row?.defaultModel?.startsWith(`${head}/`)))
    return undefined;
  const servers = [...Object.keys(settings.providers), ...settings.custom_providers.flatMap((one) => one.name ?? [])];
  const remote = endpointRows.filter(({ local }) => !local).flatMap(({ id, aliases = [] }) => [id, ...aliases]);
  const names = [...servers, ...remote];
  const close = [...new Set(nearest(head, names).map((name) => providerIdOf(name)))];
  const isSpelledAlike = names.some(
    (each) => Math.abs(each.length - head.length) <= 2 && nearest(head, [each]).length > 0,
  );
  // A single word is treated as a model, unless it looks like a provider.
  if (slash < 0 && (!isSpelledAlike || head.length < minChars || /\d/u.test(head) || route.local || isModel(head)))
    return undefined;
  const [first] = close;
  const rest = name.slice(head.length);
  const advice = first === undefined ? "" : ` Did you mean ${first}${rest}?`;
  return `There is no provider ${head}.${advice} If it is a model of ${route.providerId}, write ${routeName({ ...route, model: name })}. \`hermes model list --all\` shows all providers.`;
}

const minChars = 5;

function isModel(name: string): boolean {
  return modelFamilies.some(({ match }) => match.test(name.toLowerCase()));
}

/** Vendors of models, as hosts and routers spell them before the model name. */
const makers: ReadonlySet<string> = new Set(
  (
    "anthropic openai google x-ai deepseek qwen mistralai moonshotai z-ai minimax nvidia xiaomi arcee-ai stepfun upstage " +
    "meta-llama meta deepseek-ai zai-org minimaxai nousresearch cohere coherelabs microsoft amazon ai21 perplexity baidu tencent " +
    "bytedance bytedance-seed inclusionai liquid thudm thedrummer sao10k inception allenai ibm-granite openrouter " +
    "huggingfacetb tiiuae unsloth bartowski lmstudio-community mlx-community thebloke hf.co accounts black-forest-labs"
  ).split(" "),
);
