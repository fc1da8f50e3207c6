import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import { err, ok } from "../../base/result.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Pictures } from "../../contracts/media/pictures.ts";
import type { PicturesDeps } from "../../media/create-pictures.ts";

export interface OpenPicturesDeps extends Pick<PicturesDeps, "auxiliary"> {
  readonly cwd: string;
  readonly clock: Clock;
  /** The model that will see the image. Default: none, because a user calls. */
  readonly model?: PicturesDeps["model"];
  readonly redact?: PicturesDeps["redact"];
}

/** Prepares pictures according to the settings. Everything is loaded at its first use. */
export function openPictures(config: LoadedConfig, deps: OpenPicturesDeps): Pictures {
  const { values, env } = config;
  const { cwd, clock, auxiliary } = deps;
  const converter = once(async () => (await import("./confined-converter.ts")).confinedConverter(config, clock));
  const wishes: PicturesDeps = {
    model: deps.model ?? (() => undefined),
    inputMode: values.agent.image_input_mode,
    maxSide: values.vision.max_side,
    ...(auxiliary && { auxiliary }),
    web: once(async () => (await import("../policy/open-web.ts")).openWeb(config, { cwd, clock })),
    downloadSeconds: values.auxiliary.vision.download_timeout,
    async clipboard(signal) {
      const { readClipboard } = await import("../../media/clipboard/clipboard-programs.ts");
      const read = await readClipboard("image", { env, platform: process.platform, signal, clock });
      if (!read.ok) return err({ message: read.error.message });
      return "image" in read.value ? ok(read.value.image) : err({ message: "The clipboard has no image." });
    },
    convert: async (conversion, signal) => (await converter())(conversion, signal),
    redact: deps.redact ?? ((text) => text),
  };
  const opened = once(async () => (await import("../../media/create-pictures.ts")).createPictures(wishes));
  return {
    prepare: async (bytes, wish, signal) => (await opened()).prepare(bytes, wish, signal),
    answer: async (question, shown, signal) => (await opened()).answer(question, shown, signal),
    download: async (url, signal) => (await opened()).download(url, signal),
    fromClipboard: wishes.clipboard,
    prepareVideo: async (bytes, signal) => (await opened()).prepareVideo(bytes, signal),
  };
}
