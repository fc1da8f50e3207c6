import { open } from "node:fs/promises";
import { resolve } from "node:path";

import { describeFault } from "../../base/files/file-fault.ts";
import { expandHome } from "../../base/files/path.ts";
import { err, ok } from "../../base/result.ts";
import { userFolder } from "../../config/home.ts";
import { flag, number, object, optional, string } from "../../contracts/host/input-schema.ts";
import { readOperation, writeOperation } from "../operation.ts";

/** Maximum size of a sound file, because several copies of it must fit into memory. */
const maxSoundBytes = 200 * 2 ** 20;

/** Speech: synthesis, recognition, microphone and loudspeaker of this machine. */
export const operations = {
  status: readOperation({
    summary: "Show the speech and transcription providers of this machine, and what each of them lacks",
    needs: ["speech"],
    async run(_input, { speech: { speech, transcription, talk } }, { signal }) {
      const [voices, listeners] = await Promise.all([speech.providers(signal), transcription.listeners(signal)]);
      return ok({ voices, listeners, recorder: talk.recorder ?? null, player: talk.player ?? null });
    },
  }),

  say: writeOperation({
    summary: "Turn a text into a sound file, and play it",
    input: object({
      text: string("the text"),
      file: optional(string("where to save it; default: the audio cache")),
      provider: optional(string("the provider; default: from the settings")),
      voice: optional(string("the voice")),
      speed: optional(number("0.25 to 4")),
      plays: optional(flag("play it on this machine")),
    }),
    needs: ["speech", "config"],
    async run(input, { speech: { speech, talk }, config }, { cwd, signal, report }) {
      const { text, file, provider, voice, speed, plays = false } = input;
      const spoken = await speech.speak(
        {
          text,
          ...(file !== undefined && { file: resolve(cwd, expandHome(file, userFolder(config.env))) }),
          ...(provider !== undefined && { provider }),
          ...(voice !== undefined && { voice }),
          ...(speed !== undefined && { speed }),
        },
        (message) => report({ message }),
        signal,
      );
      if (!spoken.ok) return err({ message: spoken.error.message });
      if (plays) {
        const played = await talk.play(spoken.value.path, signal);
        if (!played.ok) report({ message: played.error.message });
      }
      return ok(spoken.value);
    },
  }),

  play: writeOperation({
    summary: "Play a sound file on this machine",
    input: object({ file: string("the file") }),
    needs: ["speech"],
    async run({ file }, { speech: { talk } }, { signal }) {
      const played = await talk.play(file, signal);
      return played.ok ? ok({}) : err({ message: played.error.message });
    },
  }),

  transcribe: readOperation({
    summary: "Turn the speech in a sound file into text",
    input: object({
      file: string("the file"),
      provider: optional(string("the provider; default: from the settings")),
      language: optional(string("the language, such as en")),
    }),
    needs: ["speech", "config"],
    async run({ file, provider, language }, { speech: { transcription }, config }, { cwd, signal }) {
      const path = resolve(cwd, expandHome(file, userFolder(config.env)));
      try {
        await using handle = await open(path);
        const stats = await handle.stat();
        if (!stats.isFile()) return err({ message: `${path} is not a file.`, kind: "input" });
        if (stats.size > maxSoundBytes) return err({ message: `${path} is larger than 200 MB.`, kind: "input" });
        const wish = { ...(provider !== undefined && { provider }), ...(language !== undefined && { language }) };
        const transcript = await transcription.transcribe(await handle.readFile(), wish, signal);
        return transcript.ok ? transcript : err({ message: transcript.error.message });
      } catch (thrown) {
        return err({ message: describeFault(thrown, path).message, kind: "input" });
      }
    },
  }),

  listen: writeOperation({
    summary: "Record the microphone until silence, and turn the recording into text",
    needs: ["speech"],
    async run(_input, { speech: { talk, transcription } }, { signal, report }) {
      const take = await talk.record(signal);
      if (!take.ok) return err({ message: take.error.message });
      const { sound, end } = take.value;
      if (!sound) return ok({ text: "", end, provider: "" });
      report({ message: "transcribing" });
      const transcript = await transcription.transcribe(sound, {}, signal);
      if (!transcript.ok) return err({ message: transcript.error.message });
      const { isPhantom } = await import("../../speech/talk/phantom-phrases.ts");
      const { text, provider } = transcript.value;
      return ok({ text: isPhantom(text) ? "" : text, end, provider });
    },
  }),

  stopListening: writeOperation({
    summary: "Stop the current recording and use its words",
    needs: ["speech"],
    async run(_input, { speech: { talk } }) {
      talk.stop();
      return ok({});
    },
  }),

  install: writeOperation({
    summary: "Install an offline model that turns English speech into text",
    needs: ["speech"],
    async run(_input, { speech: { install } }, { signal, report }) {
      const { installMoonshine } = await import("../../speech/moonshine/install-moonshine.ts");
      const installed = await installMoonshine(install, (message) => report({ message }), signal);
      return installed.ok ? installed : err({ message: installed.error.message });
    },
  }),

  uninstall: writeOperation({
    summary: "Remove the offline model",
    needs: ["speech"],
    async run(_input, { speech: { install } }) {
      const { uninstallMoonshine } = await import("../../speech/moonshine/install-moonshine.ts");
      return ok({ wasInstalled: await uninstallMoonshine(install.folder) });
    },
  }),
};
