import { isObject } from "../../base/json.ts";
import { err, ok } from "../../base/result.ts";
import { callApi } from "../../contracts/web/call-api.ts";
import { convertSounds } from "../audio/convert.ts";
import { soundKind } from "../audio/sound-kind.ts";
import { type ServiceAddress, serviceAccess } from "../service-access.ts";
import type { SttSettings } from "../settings.ts";
import type { SpeechDeps } from "../speech-deps.ts";
import type { Listener } from "./listener.ts";

interface ServiceRow extends ServiceAddress {
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** The services with a key, in order of preference. */
export function listeningServices(settings: SttSettings, deps: SpeechDeps): readonly Listener[] {
  const { groq, openai, mistral, xai } = settings;
  const transcriptions = "/audio/transcriptions";
  const rows: readonly ServiceRow[] = [
    {
      name: "groq",
      keyVars: ["GROQ_API_KEY"],
      baseUrl: "https://api.groq.com/openai/v1",
      ownUrl: groq.base_url,
      path: transcriptions,
      fields: { model: groq.model, response_format: "json" },
    },
    {
      name: "openai",
      keyVars: ["VOICE_TOOLS_OPENAI_KEY", "OPENAI_API_KEY"],
      baseUrl: "https://api.openai.com/v1",
      ownUrl: openai.base_url,
      path: transcriptions,
      fields: { model: openai.model, response_format: "json" },
    },
    {
      name: "mistral",
      keyVars: ["MISTRAL_API_KEY"],
      baseUrl: "https://api.mistral.ai/v1",
      ownUrl: mistral.base_url,
      path: transcriptions,
      fields: { model: mistral.model },
    },
    {
      name: "xai",
      keyVars: ["XAI_API_KEY"],
      baseUrl: "https://api.x.ai/v1",
      ownUrl: xai.base_url,
      path: "/stt",
      fields: {},
    },
  ];
  return rows.map((row) => serviceOf(row, deps));
}

function serviceOf(row: ServiceRow, deps: SpeechDeps): Listener {
  const { name, path, fields } = row;
  const { base, keyVar, isNamedBySettings, key, missing } = serviceAccess(row, deps);
  return {
    name,
    url: base,
    isChosenAlone: true,
    missing: async () => missing(),
    async transcribe({ bytes, language }, signal) {
      // The upload limit: services accept 25 MB, and an hour of Opus is far smaller.
      const small = bytes.length > maxUploadBytes ? await convertSounds([bytes], "ogg", deps, signal) : ok(bytes);
      if (!small.ok) return small;
      const kind = soundKind(small.value);
      const form = new FormData();
      for (const [field, value] of Object.entries(fields)) form.set(field, value);
      if (language !== "") form.set("language", language);
      const content = new Blob([new Uint8Array(small.value)], { type: kind?.mimeType ?? "application/octet-stream" });
      form.set("file", content, `speech.${kind?.extension ?? "wav"}`);
      const answered = await callApi(
        await deps.web(),
        {
          service: name,
          url: `${base}${path}`,
          headers: { authorization: `Bearer ${key() ?? ""}` },
          form,
          keyVar,
          isNamedBySettings,
          timeoutMs: 300_000,
        },
        signal,
      );
      if (!answered.ok) return answered;
      const body = answered.value.json();
      const text = isObject(body) ? body["text"] : undefined;
      return typeof text === "string"
        ? ok(text.trim())
        : err({ kind: "refused", message: `${name}: its answer has no text.` });
    },
  };
}

const maxUploadBytes = 24 * 2 ** 20;
