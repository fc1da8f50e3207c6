import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { isObject } from "../../base/json.ts";
import { err, ok, reasonOf } from "../../base/result.ts";
import { quotedCommand } from "../../base/text/quoted-command.ts";
import { type Backend, backendTargets } from "../../contracts/plugin/backend.ts";
import { soundFormats } from "../../contracts/speech/speech.ts";
import { soundKind } from "../audio/sound-kind.ts";
import { inTempFolder, runToolProgram } from "../run-tool-program.ts";
import type { SpeakingCommand } from "../settings.ts";
import type { SpeechDeps } from "../speech-deps.ts";
import type { VoiceProvider } from "./voice-provider.ts";

/** A speech command of the user. */
export function commandVoice(
  name: string,
  settings: SpeakingCommand,
  generalSpeed: number,
  deps: SpeechDeps,
): VoiceProvider {
  const { command, output_format: format } = settings;
  return {
    name,
    maxChars: settings.max_text_length,
    isVoiceMessage: settings.voice_compatible,
    isChosenAlone: false,
    missing: async () => (command.trim() === "" ? `set tts.providers.${name}.command` : undefined),
    speak: ({ text, voice, speed }, signal) =>
      inTempFolder(deps.tempFolder, async (folder) => {
        const input = join(folder, "text.txt");
        const output = join(folder, `speech.${format}`);
        await writeFile(input, text);
        const line = quotedCommand(command, {
          input_path: input,
          text_path: input,
          output_path: output,
          format,
          voice: voice ?? settings.voice,
          model: settings.model,
          speed: String(speed ?? generalSpeed),
        });
        const ran = await runToolProgram(
          {
            name,
            program: "/bin/sh",
            args: ["-c", line],
            env: deps.env,
            timeoutMs: settings.timeout * 1_000,
            clock: deps.clock,
          },
          signal,
        );
        if (!ran.ok) return ran;
        const bytes = await readFile(output).catch(() => undefined);
        if (!bytes || bytes.length === 0)
          return err({ kind: "refused", message: `${name} wrote nothing to {output_path}.` });
        return ok({ bytes, format });
      }),
  };
}

/** A voice that a plugin provides. */
export function pluginVoice(backend: Backend): VoiceProvider {
  const name = backend.id;
  return {
    name,
    maxChars: 5_000,
    targets: backendTargets(backend),
    isChosenAlone: false,
    missing: async (signal) =>
      (await backend.isAvailable(signal)) ? undefined : "its plugin says that it is not ready",
    async speak({ text, voice, speed, instructions }, signal) {
      const answer = await backend.run(
        {
          text,
          format: "mp3",
          ...(voice !== undefined && { voice }),
          ...(speed !== undefined && { speed }),
          ...(instructions !== undefined && { instructions }),
        },
        signal,
      );
      if (!answer.ok) return err({ kind: "refused", message: `${name}: ${answer.error.message}` });
      const sound = isObject(answer.value) ? answer.value : {};
      try {
        const bytes =
          typeof sound["base64"] === "string"
            ? Buffer.from(sound["base64"], "base64")
            : await readFile(typeof sound["path"] === "string" ? sound["path"] : "");
        const format = soundFormats.find((each) => each === soundKind(bytes)?.extension);
        if (format === undefined)
          return err({ kind: "refused", message: `${name} sent something other than ${soundFormats.join(", ")}.` });
        return ok({ bytes, format });
      } catch (thrown) {
        return err({ kind: "refused", message: `${name}: ${reasonOf(thrown)}` });
      }
    },
  };
}
