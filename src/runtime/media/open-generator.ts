import { tmpdir } from "node:os";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { MediaGenerator } from "../../contracts/media/generate.ts";
import type { Backend } from "../../contracts/plugin/backend.ts";
import type { ToolGateway } from "../../contracts/web/tool-gateway.ts";
import { createGenerator, type GeneratorSettings, type ServiceAccount } from "../../media/generate/create-generator.ts";
import type { Models } from "../models/models.ts";
import { openWeb } from "../policy/open-web.ts";

export interface OpenGeneratorDeps {
  readonly cwd: string;
  readonly clock: Clock;
  readonly backends: () => Promise<readonly Backend[]>;
  readonly gateway: () => Promise<ToolGateway>;
  /** Undefined: the embedding program provides the model, and there are no accounts. */
  readonly models: () => Promise<Models | undefined>;
}

/** Creates images and videos according to the settings. */
export function openGenerator(config: LoadedConfig, deps: OpenGeneratorDeps): MediaGenerator {
  const { values, secrets, env } = config;
  const { cwd, clock, backends } = deps;
  return createGenerator({
    settings: {
      image: settingsOf(values.image_gen, values.image_gen.quality),
      video: settingsOf(values.video_gen, ""),
    },
    web: once(async () => openWeb(config, { cwd, clock })),
    secret: (name) => secrets.get(name),
    account: async (kind, provider, signal) =>
      provider === "fal"
        ? gatewayAccount(await deps.gateway(), values[`${kind}_gen`].use_gateway, signal)
        : accountOf(await deps.models(), provider, signal),
    usesGateway: (kind) => values[`${kind}_gen`].use_gateway,
    backends,
    async runCommand(command, wish, _, signal) {
      const { runGenerator } = await import("../../media/generate/command-generator.ts");
      const tempFolder = tmpdir();
      return runGenerator(command, wish, { tempFolder, env, clock }, signal);
    },
    clock,
  });
}

function settingsOf(
  { provider, model, base_urls: baseUrls, providers }: LoadedConfig["values"]["video_gen"],
  quality: string,
): GeneratorSettings {
  const commands = Object.entries(providers).map(([name, { command, model: own, output_format, timeout }]) => [
    name,
    { command, model: own, format: output_format, timeoutSeconds: timeout },
  ]);
  return { provider, model, quality, baseUrls, commands: Object.fromEntries(commands) };
}

async function accountOf(
  models: Models | undefined,
  provider: string,
  signal: AbortSignal,
): Promise<ServiceAccount | undefined> {
  if (!models?.pool.stores(provider)) return undefined;
  const route = models.resolve({ provider });
  if (!route.ok || route.value === "offline") return undefined;
  const credential = models.pool.list(route.value).find(({ account }) => account === "sign-in");
  const sent = credential && (await models.sends(credential, route.value, signal));
  return sent?.ok && sent.value ? { token: sent.value.key, headers: sent.value.headers ?? {} } : undefined;
}

/** fal through the Nous tool gateway. */
async function gatewayAccount(
  gateway: ToolGateway,
  isForced: boolean,
  signal: AbortSignal,
): Promise<ServiceAccount | undefined> {
  if (!isForced && !gateway.isSetUpFor("fal-queue")) return undefined;
  const access = await gateway.access("fal-queue", signal);
  if (!access.ok) return undefined;
  const { token, baseUrl, isNamedBySettings } = access.value;
  return { token, headers: { authorization: `Bearer ${token}` }, server: { baseUrl, isNamedBySettings } };
}
