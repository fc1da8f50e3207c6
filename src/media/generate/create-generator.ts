import type { Clock } from "../../base/clock.ts";
import { isObject, type JsonObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import type {
  Generated,
  GeneratorFacts,
  ImageWish,
  MediaGenerator,
  VideoWish,
} from "../../contracts/media/generate.ts";
import { type Backend, backendTargets } from "../../contracts/plugin/backend.ts";
import type { Web } from "../../contracts/safety/web.ts";
import type { CommandGenerator } from "./command-generator.ts";
import { imageServices } from "./image-services.ts";
import { fetchMedia, type MediaLocation, type MediaService, objects, referenceUrl } from "./media-service.ts";
import { videoServices } from "./video-services.ts";

type Kind = "image" | "video";

export interface GeneratorSettings {
  /** The service. If empty, the first service with a key is used. */
  readonly provider: string;
  /** If empty, the default of the service is used. */
  readonly model: string;
  readonly quality: string;
  /** Addresses of the user's own servers, by service. */
  readonly baseUrls: Readonly<Record<string, string>>;
  readonly commands: Readonly<Record<string, CommandGenerator>>;
}

export interface GeneratorDeps {
  readonly settings: Readonly<Record<Kind, GeneratorSettings>>;
  web(): Promise<Web>;
  secret(name: string): string | undefined;
  /** A token and headers of a signed-in account, or of a gateway in front of the service. */
  account(kind: Kind, provider: string, signal: AbortSignal): Promise<ServiceAccount | undefined>;
  /** Whether the gateway is used even if there is a key. */
  usesGateway(kind: Kind): boolean;
  backends(): Promise<readonly Backend[]>;
  runCommand(
    command: CommandGenerator,
    wish: ImageWish,
    kind: Kind,
    signal: AbortSignal,
  ): Promise<Result<MediaLocation>>;
  readonly clock: Clock;
}

export interface ServiceAccount {
  readonly token: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A server that implements the API of the service. */
  readonly server?: { readonly baseUrl: string; readonly isNamedBySettings: boolean };
}

const maxAtOnce = 4;

/**
 * Creates media with a service, a plugin or a program, according to the settings. At most four requests run in
 * parallel.
 */
export function createGenerator(deps: GeneratorDeps): MediaGenerator {
  let running = 0;
  const waiting: (() => void)[] = [];

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= maxAtOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      // The next request takes the slot.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  }

  async function generate<W extends ImageWish>(
    kind: Kind,
    services: readonly MediaService<W>[],
    wish: W,
    signal: AbortSignal,
    progress: (note: string) => void,
  ): Promise<Result<Generated>> {
    const chosen = await choose(kind, services, deps, signal);
    if (!chosen.ok) return chosen;
    return inTurn(() => chosen.value.generate(wish, signal, progress));
  }

  return {
    async facts(kind, signal) {
      const chosen =
        kind === "image"
          ? await choose(kind, imageServices, deps, signal)
          : await choose(kind, videoServices, deps, signal);
      return chosen.ok ? ok(chosen.value.facts) : chosen;
    },
    image: (wish, signal, progress) => generate("image", imageServices, wish, signal, progress),
    video: (wish, signal, progress) => generate("video", videoServices, wish, signal, progress),
  };
}

interface ChosenGenerator<W> {
  readonly facts: GeneratorFacts;
  generate(wish: W, signal: AbortSignal, progress: (note: string) => void): Promise<Result<Generated>>;
}

async function choose<W extends ImageWish>(
  kind: Kind,
  services: readonly MediaService<W>[],
  deps: GeneratorDeps,
  signal: AbortSignal,
): Promise<Result<ChosenGenerator<W>>> {
  const { provider, commands } = deps.settings[kind];
  const backends = (await deps.backends()).filter((each) => each.kind === kind);
  if (provider === "") {
    for (const service of services) {
      const opened = await withKey(kind, service, deps, signal);
      if (opened !== undefined) return ok(fromService(kind, service, opened, deps));
    }
    const [command] = Object.entries(commands);
    if (command) return ok(fromCommand(kind, ...command, deps));
    for (const backend of backends) if (await backend.isAvailable(signal)) return ok(fromBackend(kind, backend, deps));
    const keys = services.flatMap(({ keyVars }) => keyVars.slice(0, 1));
    return err({
      message: `No service for ${kind}s is set up. Set the key of one: hermes config set ${keys[0]} … (or ${keys.slice(1).join(", ")}).`,
    });
  }
  const service = services.find(({ name }) => name === provider);
  if (service) {
    const opened = await withKey(kind, service, deps, signal);
    if (opened !== undefined) return ok(fromService(kind, service, opened, deps));
    const how = service.keyHint ?? `hermes config set ${service.keyVars[0]} …`;
    return err({ message: `${service.title} has no key: ${how}` });
  }
  const command = Object.entries(commands).find(([name]) => name === provider);
  if (command) return ok(fromCommand(kind, ...command, deps));
  const backend = backends.find(({ id }) => id === provider);
  if (backend) return ok(fromBackend(kind, backend, deps));
  const names = [...services.map(({ name }) => name), ...Object.keys(commands), ...backends.map(({ id }) => id)];
  return err({
    message: `${kind}_gen.provider: there is no ${JSON.stringify(provider)}. ${didYouMean(provider, names) || `Use one of ${names.join(", ")}.`}`,
  });
}

interface OpenedKey extends ServiceAccount {
  readonly keyVar: string | undefined;
}

async function withKey<W>(
  kind: Kind,
  { name, keyVars, hasGateway, keyHint }: MediaService<W>,
  deps: GeneratorDeps,
  signal: AbortSignal,
): Promise<OpenedKey | undefined> {
  const isForced = hasGateway === true && deps.usesGateway(kind);
  for (const keyVar of isForced ? [] : keyVars) {
    const token = deps.secret(keyVar);
    if (token !== undefined && token !== "") return { token, headers: {}, keyVar };
  }
  if (keyHint === undefined && !hasGateway) return undefined;
  const account = await deps.account(kind, name, signal);
  return account && { ...account, keyVar: undefined };
}

function fromService<W extends ImageWish>(
  kind: Kind,
  service: MediaService<W>,
  { token, headers, keyVar, server }: OpenedKey,
  deps: GeneratorDeps,
): ChosenGenerator<W> {
  const settings = deps.settings[kind];
  const ownUrl = settings.baseUrls[service.name] ?? "";
  const isOwnServer = server?.isNamedBySettings ?? ownUrl !== "";
  const baseUrl = server?.baseUrl ?? (ownUrl || service.baseUrl);
  const usualModel = settings.model || (service.models[0] ?? "");
  const facts: GeneratorFacts = {
    provider: service.name,
    model: usualModel,
    maxReferences: service.maxReferences(usualModel),
    canUpscale: service.canUpscale?.(usualModel) ?? false,
    targets: [{ url: baseUrl }],
  };
  return {
    facts,
    async generate(wish, signal, progress) {
      const model = ("model" in wish && typeof wish.model === "string" && wish.model) || usualModel;
      const { kept, notes } = fitted(wish, service.name, { ...facts, maxReferences: service.maxReferences(model) });
      if (kept === undefined) return err({ message: notes.join(" ") });
      const { quality } = settings;
      const { clock } = deps;
      const web = await deps.web();
      const use = { model, quality, baseUrl, key: token, isOwnServer, keyVar, headers, web, clock, signal, progress };
      const outcome = await service.generate(kept, use);
      if (!outcome.ok) return err({ message: outcome.error.message });
      const created = await collected(service.name, outcome.value.media, kind, use);
      if (!created.ok) return created;
      const isUpscaled = outcome.value.isUpscaled ?? false;
      return ok({ provider: service.name, model, media: created.value, isUpscaled, notes });
    },
  };
}

/**
 * Removes options that the service does not support, with a note. Reference images are never dropped silently: if
 * they are not supported, the request fails.
 */
function fitted<W extends ImageWish>(
  wish: W,
  name: string,
  { maxReferences, canUpscale, model }: GeneratorFacts,
): { readonly kept: W | undefined; readonly notes: readonly string[] } {
  if (wish.references.length > 0 && maxReferences === 0)
    return {
      kept: undefined,
      notes: [`${name} (${model}) takes no reference images. Call again without them, or choose another service.`],
    };
  const notes: string[] = [];
  if (wish.references.length > maxReferences)
    notes.push(`Only the first ${maxReferences} of ${wish.references.length} reference images were used.`);
  if (wish.upscale && !canUpscale) notes.push(`${name} (${model}) does not upscale.`);
  return {
    kept: { ...wish, references: wish.references.slice(0, maxReferences), upscale: wish.upscale && canUpscale },
    notes,
  };
}

async function collected(
  name: string,
  places: readonly MediaLocation[],
  kind: Kind,
  use: Parameters<typeof fetchMedia>[3],
): Promise<Result<Generated["media"]>> {
  if (places.length === 0)
    return err({ message: `${name} returned no ${kind}. It may have refused the prompt: describe it differently.` });
  const media = [];
  for (const place of places) {
    const fetched = await fetchMedia(name, place, kind, use);
    if (!fetched.ok) return fetched;
    media.push(fetched.value);
  }
  return ok(media);
}

function fromCommand<W extends ImageWish>(
  kind: Kind,
  name: string,
  command: CommandGenerator,
  deps: GeneratorDeps,
): ChosenGenerator<W> {
  const { model } = command;
  const facts: GeneratorFacts = { provider: name, model, maxReferences: 1, canUpscale: false, targets: [] };
  return {
    facts,
    async generate(wish, signal) {
      const { kept, notes } = fitted(wish, name, facts);
      if (kept === undefined) return err({ message: notes.join(" ") });
      const created = await deps.runCommand(command, kept, kind, signal);
      if (!created.ok) return created;
      const use = { web: await deps.web(), signal, isOwnServer: false, baseUrl: "" };
      const media = await collected(name, [created.value], kind, use);
      return media.ok ? ok({ provider: name, model, media: media.value, isUpscaled: false, notes }) : media;
    },
  };
}

function fromBackend<W extends ImageWish>(kind: Kind, backend: Backend, deps: GeneratorDeps): ChosenGenerator<W> {
  const targets = backendTargets(backend);
  const facts: GeneratorFacts = { provider: backend.id, model: "", maxReferences: 16, canUpscale: true, targets };
  return {
    facts,
    async generate(wish, signal) {
      const input: JsonObject = {
        prompt: wish.prompt,
        aspect_ratio: wish.aspectRatio,
        image_urls: wish.references.map(referenceUrl),
        upscale: wish.upscale,
        ...videoFields(wish),
      };
      const answer = await backend.run(input, signal);
      if (!answer.ok) return answer;
      const list = isObject(answer.value) ? answer.value[`${kind}s`] : undefined;
      const places = objects(list).flatMap(({ url, base64 }): readonly MediaLocation[] => {
        if (typeof base64 === "string") return [{ base64 }];
        return typeof url === "string" ? [{ url }] : [];
      });
      const use = { web: await deps.web(), signal, isOwnServer: false, baseUrl: "" };
      const media = await collected(backend.id, places, kind, use);
      if (!media.ok) return media;
      const model = isObject(answer.value) && typeof answer.value["model"] === "string" ? answer.value["model"] : "";
      return ok({ provider: backend.id, model, media: media.value, isUpscaled: false, notes: [] });
    },
  };
}

function videoFields(wish: ImageWish | VideoWish): JsonObject {
  const { seconds, resolution, negativePrompt, audio, seed, model } = wish as VideoWish;
  return {
    ...(seconds !== undefined && { duration: seconds }),
    ...(resolution !== undefined && { resolution }),
    ...(negativePrompt !== undefined && { negative_prompt: negativePrompt }),
    ...(audio !== undefined && { audio }),
    ...(seed !== undefined && { seed }),
    ...(model !== undefined && { model }),
  };
}
