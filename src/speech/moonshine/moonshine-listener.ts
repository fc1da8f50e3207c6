import { recogniserRate, speechSamples } from "../audio/convert.ts";
import type { SpeechDeps } from "../speech-deps.ts";
import type { Listener } from "../stt/listener.ts";
import { cutAtSilence } from "./cut-at-silence.ts";
import type { Recogniser } from "./recogniser.ts";

/** The local speech recogniser, if it is installed. */
export interface Moonshine {
  isInstalled(): boolean;
  readonly recogniser: Recogniser;
}

export function moonshineListener({ isInstalled, recogniser }: Moonshine, deps: SpeechDeps): Listener {
  return {
    name: "moonshine",
    isChosenAlone: true,
    missing: async () => (isInstalled() ? undefined : "install it: hermes voice install (60 MB, English)"),
    async transcribe({ bytes }, signal) {
      const pcm = await speechSamples(bytes, deps, signal);
      if (!pcm.ok) return pcm;
      return recogniser.recognise(cutAtSilence(pcm.value.samples, recogniserRate), signal);
    },
  };
}
