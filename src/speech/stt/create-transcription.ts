import { err, ok, type Result } from "../../base/result.ts";
import type { CallFault } from "../../contracts/web/call-api.ts";
import { soundKind } from "../audio/sound-kind.ts";
import { moonshineListener, type Moonshine } from "../moonshine/moonshine-listener.ts";
import type { SttSettings } from "../settings.ts";
import type { SpeechDeps } from "../speech-deps.ts";
import type { Listener } from "./listener.ts";
import { commandListener, localWhisper, pluginListener } from "./programs.ts";
import { listeningServices } from "./services.ts";

export interface SpeechTranscript {
  readonly text: string;
  readonly provider: string;
  /** Providers that were tried before, with the reason why they returned no text. */
  readonly skipped: readonly string[];
}

/** Turns speech into text with the provider that the settings or the request name. */
export interface Transcription {
  /** Transcribes audio. Never rejects. */
  transcribe(
    bytes: Uint8Array,
    wish: { readonly provider?: string; readonly language?: string },
    signal: AbortSignal,
  ): Promise<Result<SpeechTranscript, CallFault>>;
  listeners(signal: AbortSignal): Promise<
    readonly {
      readonly name: string;
      readonly missing?: string;
      readonly isChosen: boolean;
      readonly isRemote: boolean;
    }[]
  >;
}

export function createTranscription(settings: SttSettings, moonshine: Moonshine, deps: SpeechDeps): Transcription {
  async function all(): Promise<readonly Listener[]> {
    const legacy = deps.secret("HERMES_LOCAL_STT_COMMAND") ?? "";
    const local = {
      command: legacy,
      timeout: 300,
      format: "txt",
      language: "en",
      model: settings.local.model,
    } as const;
    const builtIn = [
      moonshineListener(moonshine, deps),
      localWhisper(settings, deps),
      commandListener("local_command", local, deps),
      ...listeningServices(settings, deps),
    ];
    const own = Object.entries(settings.providers).map(([name, each]) => commandListener(name, each, deps));
    const plugins = (await deps.backends())
      .filter(({ kind }) => kind === "transcription")
      .map((backend) => pluginListener(backend, deps));
    const names = new Set<string>();
    // A built-in name wins, then the user's own command.
    return [...builtIn, ...own, ...plugins].filter(({ name }) => !names.has(name) && names.add(name));
  }

  async function candidates(
    requested: string,
    language: string,
    signal: AbortSignal,
  ): Promise<Result<readonly Listener[], CallFault>> {
    const listed = await all();
    if (requested !== "") {
      const named = listed.find(({ name }) => name === requested);
      if (!named)
        return err({
          kind: "refused",
          message: `There is no provider ${JSON.stringify(requested)}. Known: ${listed.map(({ name }) => name).join(", ")}.`,
        });
      const missing = await named.missing(signal);
      return missing === undefined ? ok([named]) : err({ kind: "unavailable", message: `${requested}: ${missing}` });
    }
    const usable: Listener[] = [];
    for (const each of listed) {
      // Moonshine supports only English.
      if (!each.isChosenAlone || (each.name === "moonshine" && !/^(?:|en(?:[-_].*)?)$/iu.test(language))) continue;
      if ((await each.missing(signal)) === undefined) usable.push(each);
    }
    return ok(usable);
  }

  return {
    async transcribe(bytes, wish, signal) {
      if (!settings.enabled) return err({ kind: "refused", message: "Speech to text is off (stt.enabled)." });
      if (!soundKind(bytes))
        return err({ kind: "refused", message: "This is not in an audio format that Hermes reads." });
      const language = wish.language ?? settings.language;
      const usable = await candidates(wish.provider ?? settings.provider, language, signal);
      if (!usable.ok) return usable;
      const skipped: string[] = [];
      let last: CallFault = { kind: "unavailable", message: nobodyText };
      for (const listener of usable.value) {
        const text = await listener.transcribe({ bytes, language }, signal);
        if (text.ok) return ok({ text: text.value, provider: listener.name, skipped });
        last = text.error;
        skipped.push(last.message);
        if (signal.aborted) break;
      }
      return err(skipped.length > 1 ? { ...last, message: skipped.join(" ") } : last);
    },
    async listeners(signal) {
      const [listed, usable] = await Promise.all([all(), candidates(settings.provider, settings.language, signal)]);
      const chosen = usable.ok ? usable.value[0]?.name : undefined;
      return Promise.all(
        listed.map(async (each) => {
          const missing = await each.missing(signal);
          const isRemote = each.url !== undefined;
          return {
            name: each.name,
            isChosen: each.name === chosen,
            isRemote,
            ...(missing !== undefined && { missing }),
          };
        }),
      );
    },
  };
}

const nobodyText =
  "Nobody can turn speech into text here. `hermes voice install` fetches an offline model for English (60 MB), or set a key: hermes config set GROQ_API_KEY …";
