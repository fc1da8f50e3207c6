import { linkAbort } from "../../../base/async/abort.ts";
import { randomHex, sha256 } from "../../../base/digest.ts";
import { lookupOf, proxyFor } from "../../../base/http/http-client.ts";
import { createTunnelAgent } from "../../../base/http/tunnel-agent.ts";
import { err, ok, reasonOf, type Result } from "../../../base/result.ts";
import type { CallFault } from "../../../contracts/web/call-api.ts";
import type { TtsSettings } from "../../settings.ts";
import type { SpeechDeps } from "../../speech-deps.ts";
import { splitText } from "../split-text.ts";
import { clamp, type Sound, speedOf, type VoiceProvider } from "../voice-provider.ts";
import { type OpenSocket, openWebSocket, type SocketFailure } from "./web-socket.ts";

type EdgeDeps = Pick<SpeechDeps, "clock" | "env" | "web">;

/** The voices with which Microsoft's browser reads pages. They need no key, and the text is sent to Microsoft. */
export function edgeVoice(settings: Pick<TtsSettings, "edge" | "speed">, deps: EdgeDeps): VoiceProvider {
  const { edge } = settings;
  const base = edge.base_url || "wss://speech.platform.bing.com/consumer/speech/synthesize/readaloud/edge/v1";
  return {
    name: "edge",
    maxChars: 5_000,
    targets: [{ url: base.replace(/^ws/u, "http") }],
    isChosenAlone: true,
    missing: async () => undefined,
    async speak({ text, voice = edge.voice, ...piece }, signal) {
      const speed = clamp(speedOf(piece, edge.speed, settings.speed), 0.25, 4);
      const sounds: Uint8Array[] = [];
      // For characters of several bytes the service accepts fewer than its limit.
      for (const part of splitText(escaped(text), maxRequestBytes, (each) => Buffer.byteLength(each))) {
        const spoken = await speakPart(
          { base, isNamedBySettings: edge.base_url !== "" },
          ssml(part, voice, speed),
          deps,
          signal,
        );
        if (!spoken.ok) return spoken;
        sounds.push(spoken.value.bytes);
      }
      return ok({ bytes: Buffer.concat(sounds), format: "mp3" });
    },
  };
}

const maxRequestBytes = 4_096;
const requestMs = 60_000;

interface EdgeServer {
  readonly base: string;
  /** If so, its address may be private. */
  readonly isNamedBySettings: boolean;
}

async function speakPart(
  server: EdgeServer,
  document: string,
  deps: EdgeDeps,
  signal: AbortSignal,
): Promise<Result<Sound, CallFault>> {
  const { clock } = deps;
  using link = linkAbort(signal);
  using _timer = clock.after(requestMs, () => link.abort(new Error("timeout")));
  const route = await routeTo(server, deps, link.signal);
  if (!route.ok) return err(route.error.kind === "blocked" ? route.error : faultOf(route.error, signal, link.signal));
  const open = (now: number) => openWebSocket(addressOf(server.base, now), headersOf(), route.value, link.signal);
  let opened = await open(clock.now());
  // The token depends on the time. If the local clock is wrong, the server's time is used.
  const serverNow = opened.ok ? Number.NaN : Date.parse(opened.error.date ?? "");
  if (!opened.ok && opened.error.status === 403 && !Number.isNaN(serverNow)) opened = await open(serverNow);
  if (!opened.ok) return err(faultOf(opened.error, signal, link.signal));
  using socket = opened.value;
  try {
    return await conversation(socket, document, clock.now());
  } catch (thrown) {
    return err(faultOf({ message: reasonOf(thrown) }, signal, link.signal));
  }
}

async function conversation(socket: OpenSocket, document: string, now: number): Promise<Result<Sound, CallFault>> {
  const time = new Date(now).toISOString();
  const configuration = {
    context: {
      synthesis: {
        audio: {
          metadataoptions: { sentenceBoundaryEnabled: "false", wordBoundaryEnabled: "false" },
          outputFormat: "audio-24khz-48kbitrate-mono-mp3",
        },
      },
    },
  };
  const json = "Content-Type:application/json; charset=utf-8\r\nPath:speech.config";
  socket.send(`X-Timestamp:${time}\r\n${json}\r\n\r\n${JSON.stringify(configuration)}`);
  const xml = "Content-Type:application/ssml+xml";
  socket.send(`X-RequestId:${randomHex(16)}\r\n${xml}\r\nX-Timestamp:${time}Z\r\nPath:ssml\r\n\r\n${document}`);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for (;;) {
    const message = await socket.next();
    if (!message) break;
    if (message.isText) {
      if (/^Path:turn\.end\s*$/mu.test(message.bytes.toString("utf8"))) break;
      continue;
    }
    if (message.bytes.length < 2) continue;
    const start = 2 + message.bytes.readUInt16BE(0);
    const head = message.bytes.toString("latin1", 2, start);
    if (!/^Path:audio\s*$/mu.test(head)) continue;
    chunks.push(message.bytes.subarray(start));
    bytes += message.bytes.length;
    if (bytes > maxSoundBytes) return err({ kind: "refused", message: "edge sent more sound than fits." });
  }
  const sound = Buffer.concat(chunks);
  return sound.length === 0
    ? err({ kind: "refused", message: "edge sent no sound. Check tts.edge.voice." })
    : ok({ bytes: sound, format: "mp3" });
}

const maxSoundBytes = 50 * 2 ** 20;

function faultOf({ message, status }: SocketFailure, signal: AbortSignal, limit: AbortSignal): CallFault {
  if (signal.aborted) return { kind: "aborted", message: "edge: it was stopped" };
  if (limit.aborted) return { kind: "timeout", message: `edge did not answer in ${requestMs / 1_000} s.` };
  if (status === undefined)
    return { kind: "unavailable", message: `edge cannot be reached: ${message}. Check the network.` };
  const advice = status === 403 ? " It may have changed its protocol; use another tts.provider." : " Try again later.";
  return { kind: status === 429 ? "limit" : "unavailable", message: `edge: ${message}.${advice}`, status };
}

/** Our guard resolves the name, unless a proxy does. */
async function routeTo({ base, isNamedBySettings }: EdgeServer, { env, web }: EdgeDeps, signal: AbortSignal) {
  const url = new URL(base.replace(/^ws/u, "http"));
  const checked = await (
    await web()
  ).check({ url: url.href, ...(isNamedBySettings && { trustedOrigin: url.origin }) }, signal);
  if (!checked.ok)
    return err({
      kind: checked.error.kind === "blocked" ? "blocked" : "unavailable",
      message: checked.error.message,
    } as const);
  const proxy = proxyFor(url, env);
  if (!proxy.ok) return err({ kind: "unavailable", message: proxy.error } as const);
  return ok(
    proxy.value && url.protocol === "https:"
      ? { agent: createTunnelAgent(proxy.value, {}) }
      : { lookup: lookupOf(checked.value) },
  );
}

/** The token of the browser itself, which is the same for everybody. */
const clientToken = "6A5AA1D4EAFF4E9FB37E23D68491D6F4";
const browserVersion = "143.0.3650.75";

function addressOf(base: string, now: number): URL {
  const url = new URL(base);
  url.searchParams.set("TrustedClientToken", clientToken);
  url.searchParams.set("Sec-MS-GEC", timeToken(now));
  url.searchParams.set("Sec-MS-GEC-Version", `1-${browserVersion}`);
  url.searchParams.set("ConnectionId", randomHex(16));
  return url;
}

/** Uses Windows time in steps of five minutes. */
export function timeToken(now: number): string {
  const seconds = Math.floor(now / 1_000) + 11_644_473_600;
  const ticks = BigInt(seconds - (seconds % 300)) * 10_000_000n;
  return sha256(`${ticks}${clientToken}`).toUpperCase();
}

function headersOf(): Readonly<Record<string, string>> {
  const [major] = browserVersion.split(".");
  return {
    origin: "chrome-extension://jdiccldimpdaibmpdkjnbmckianbfold",
    pragma: "no-cache",
    "cache-control": "no-cache",
    "accept-language": "en-US,en;q=0.9",
    "user-agent": `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36 Edg/${major}.0.0.0`,
  };
}

/** Control characters are not allowed in XML, in no spelling. */
function escaped(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex -- these are what it takes out
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/gu, " ")
      .replaceAll(/[&<>]/gu, (sign) => (sign === "&" ? "&amp;" : sign === "<" ? "&lt;" : "&gt;"))
  );
}

function ssml(escapedText: string, voice: string, speed: number): string {
  const percent = Math.round((speed - 1) * 100);
  const rate = `${percent < 0 ? "" : "+"}${percent}%`;
  const name = voice.replaceAll(/[^\w(), -]/gu, "");
  const language = /^[a-z]{2,3}-[A-Z]{2}/u.exec(name)?.[0] ?? "en-US";
  return (
    `<speak version='1.0' xmlns='http://www.w3.org/2001/10/synthesis' xml:lang='${language}'><voice name='${name}'>` +
    `<prosody pitch='+0Hz' rate='${rate}' volume='+0%'>${escapedText}</prosody></voice></speak>`
  );
}
