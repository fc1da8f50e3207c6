import { once } from "../../base/async/once.ts";
import type { MediaGenerator } from "../../contracts/media/generate.ts";
import type { openGenerator } from "./open-generator.ts";

/** A generator for a session that may never use one. The first request opens it. */
export function lazyGenerator(open: () => Promise<ReturnType<typeof openGenerator>>): MediaGenerator {
  const opened = once(open);
  return {
    facts: async (kind, signal) => (await opened()).facts(kind, signal),
    image: async (wish, signal, progress) => (await opened()).image(wish, signal, progress),
    video: async (wish, signal, progress) => (await opened()).video(wish, signal, progress),
  };
}
