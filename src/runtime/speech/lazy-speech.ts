import type { Speech } from "../../contracts/speech/speech.ts";
import type { OpenedSpeech } from "./open-speech.ts";

/** Speech that is opened at its first use. */
export function lazySpeech(open: () => Promise<OpenedSpeech>): Speech {
  return {
    speak: async (request, progress, signal) => (await open()).speech.speak(request, progress, signal),
    targets: async (provider) => (await open()).speech.targets(provider),
  };
}
