import { trySleep } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { isObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { GeneratedMedia, ImageWish, MediaReference, VideoWish } from "../../contracts/media/generate.ts";
import type { Web } from "../../contracts/safety/web.ts";
import { type ApiCall, callApi, type CallFault } from "../../contracts/web/call-api.ts";

/** A service that creates images or videos, as data and two functions. */
export interface MediaService<Wish> {
  readonly name: string;
  readonly title: string;
  /** Environment variables with the key; the first one that is set wins. Empty if the service needs no key. */
  readonly keyVars: readonly string[];
  /** The origin of the account or key, if it is not a variable. */
  readonly keyHint?: string;
  /** Whether the Nous tool gateway supports this service. */
  readonly hasGateway?: boolean;
  readonly baseUrl: string;
  /** The models; the first one is the default. */
  readonly models: readonly string[];
  maxReferences(model: string): number;
  canUpscale?(model: string): boolean;
  generate(wish: Wish, use: ServiceUse): Promise<Result<ServiceOutcome, CallFault>>;
}

export type ImageService = MediaService<ImageWish>;
export type VideoService = MediaService<VideoWish>;

/** One request of a service. */
export interface ServiceUse {
  readonly model: string;
  readonly quality: string;
  readonly baseUrl: string;
  readonly key: string;
  /** Whether the settings name another server than the service's own. */
  readonly isOwnServer: boolean;
  readonly keyVar: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly web: Web;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly progress: (note: string) => void;
}

export interface ServiceOutcome {
  readonly media: readonly MediaLocation[];
  readonly isUpscaled?: boolean;
}

/** The address at which the service stored the result. */
export type MediaLocation = { readonly url: string } | { readonly base64: string; readonly mimeType?: string };

/** Calls the service's API and returns the JSON of its answer. */
export async function callService(
  service: string,
  call: Omit<ApiCall, "service" | "url"> & {
    /** The path below the base address, or a whole address. */
    readonly path: string;
    /** The header with the key. Default: a bearer token. */
    readonly auth?: Readonly<Record<string, string>>;
  },
  use: ServiceUse,
): Promise<Result<Record<string, unknown>, CallFault>> {
  const { path, auth = { authorization: `Bearer ${use.key}` }, ...rest } = call;
  const url = /^https?:/u.test(path) ? path : `${use.baseUrl.replace(/\/+$/u, "")}${path}`;
  const answered = await callApi(
    use.web,
    {
      timeoutMs: requestTimeoutMs,
      maxBytes: maxAnswerBytes,
      ...rest,
      service,
      url,
      headers: { ...auth, ...use.headers, ...rest.headers },
      ...(use.keyVar !== undefined && { keyVar: use.keyVar }),
      isNamedBySettings: use.isOwnServer,
    },
    use.signal,
  );
  if (!answered.ok) return answered;
  const body = answered.value.json();
  return isObject(body) ? ok(body) : err(unexpectedAnswer(service, "its answer is not a JSON object"));
}

const requestTimeoutMs = 300_000;
const maxAnswerBytes = 200_000_000;

export function unexpectedAnswer(service: string, problem: string): CallFault {
  return { kind: "unavailable", message: `${service}: ${problem}. Try again, or choose another service.` };
}

/** Queries the state of a job until it has ended, with growing pauses. */
export async function pollJob<T>(
  ask: () => Promise<Result<T | undefined, CallFault>>,
  use: ServiceUse,
  job: { readonly name: string; readonly maxMs: number },
): Promise<Result<T, CallFault>> {
  const startedAt = use.clock.now();
  for (let pauseMs = 500; ; pauseMs = Math.min(pauseMs * 1.5, 10_000)) {
    const state = await ask();
    if (!state.ok) return state;
    if (state.value !== undefined) return ok(state.value);
    const seconds = Math.round((use.clock.now() - startedAt) / 1000);
    if (seconds * 1000 > job.maxMs)
      return err({ kind: "timeout", message: `${job.name} is not ready after ${seconds} s. Try again later.` });
    use.progress(`${job.name}: ${seconds} s`);
    const isOver = await trySleep(pauseMs, use.signal, use.clock);
    if (!isOver) return err({ kind: "aborted", message: `${job.name} was stopped` });
  }
}

/** The reference in the JSON form that services accept. */
export function referenceUrl({ base64, mimeType }: MediaReference): string {
  return `data:${mimeType};base64,${base64}`;
}

/** Reads results in the form `{ data: [{ b64_json } or { url }] }`, which OpenAI defined and others copy. */
export function openAiMedia(body: Record<string, unknown>): readonly MediaLocation[] {
  return objects(body["data"]).flatMap((item): readonly MediaLocation[] => {
    if (typeof item["b64_json"] === "string") return [{ base64: item["b64_json"] }];
    return typeof item["url"] === "string" ? [{ url: item["url"] }] : [];
  });
}

export function objects(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function member(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((node, name) => {
    if (Array.isArray(node)) return typeof name === "number" ? node[name] : undefined;
    return isObject(node) && Object.hasOwn(node, name) ? node[name] : undefined;
  }, value);
}

function dataUrl(text: string): { readonly base64: string; readonly mimeType: string } | undefined {
  const match = /^data:([\w.+/-]+)?(?:;[\w=.-]+)*;base64,/u.exec(text.slice(0, 200));
  return match ? { base64: text.slice(match[0].length), mimeType: match[1] ?? "" } : undefined;
}

/** Downloads a result, or decodes it. The type is decided by its first bytes. */
export async function fetchMedia(
  service: string,
  place: MediaLocation,
  kind: "image" | "video",
  use: Pick<ServiceUse, "web" | "signal" | "isOwnServer" | "baseUrl">,
): Promise<Result<GeneratedMedia>> {
  const inline = "url" in place ? dataUrl(place.url) : place;
  if (inline) {
    const bytes = Buffer.from(inline.base64, "base64");
    return checkedMedia(service, kind, bytes);
  }
  const { url } = place as { readonly url: string };
  const answer = await callApi(
    use.web,
    {
      service,
      url,
      headers: { accept: `${kind}/*` },
      maxBytes: maxMediaBytes,
      timeoutMs: requestTimeoutMs,
      // Only the configured server may have a private address, not an address that it names.
      isNamedBySettings: use.isOwnServer && URL.parse(url)?.origin === URL.parse(use.baseUrl)?.origin,
    },
    use.signal,
  );
  if (!answer.ok) return err({ message: answer.error.message });
  const checked = checkedMedia(service, kind, answer.value.body);
  return checked.ok ? ok({ ...checked.value, url }) : checked;
}

const maxMediaBytes = 500_000_000;

function checkedMedia(service: string, kind: "image" | "video", bytes: Uint8Array): Result<GeneratedMedia> {
  const mimeType = mediaType(bytes);
  if (mimeType?.startsWith(`${kind}/`)) return ok({ bytes, mimeType });
  return err({
    message: `${service} did not return ${kind === "image" ? "an image" : "a video"} (${bytes.length} bytes of another type).`,
  });
}

/** Detects the type by the first bytes, for the formats that services return. */
function mediaType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 16));
  return signatures.find(([from, hex]) => head.subarray(from).toString("hex").startsWith(hex))?.[2];
}

const ascii = (text: string): string => Buffer.from(text).toString("hex");

/** The offset of a format's signature, and the signature. */
const signatures: readonly (readonly [from: number, hex: string, type: string])[] = [
  [0, "89504e470d0a1a0a", "image/png"],
  [0, "ffd8ff", "image/jpeg"],
  [8, ascii("WEBP"), "image/webp"],
  [0, ascii("GIF8"), "image/gif"],
  [4, ascii("ftypavi"), "image/avif"],
  [0, ascii("<svg"), "image/svg+xml"],
  [0, ascii("<?xml"), "image/svg+xml"],
  [4, ascii("ftypqt"), "video/quicktime"],
  [4, ascii("ftyp"), "video/mp4"],
  [0, "1a45dfa3", "video/webm"],
];

export const extensions: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
  "image/gif": "gif",
  "image/avif": "avif",
  "image/svg+xml": "svg",
  "video/mp4": "mp4",
  "video/quicktime": "mov",
  "video/webm": "webm",
};
