import { join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import { type Home, homeFiles } from "../../config/home.ts";
import type { ConsultedModel, ModelClient } from "../../contracts/model/model.ts";
import { createRecordingWriter, type RecordingWriter } from "../../providers/recording/recording-writer.ts";

export interface MixtureTraces extends AsyncDisposable {
  /** Saves the answers of a preset's reference models in the background. */
  writer(
    preset: string,
    aggregator: ModelClient,
  ): (events: readonly ConsultedModel[], session: string | undefined) => void;
}

interface TraceLine {
  readonly at: number;
  readonly preset: string;
  readonly aggregator: string;
  readonly references: readonly ConsultedModel[];
}

/** One file of JSON lines per session, with mode 0600 and without secrets. */
export function createMixtureTraces(
  home: Home,
  { redact, clock, log }: { redact(text: string): string; readonly clock: Clock; readonly log: Logger },
): MixtureTraces {
  const writers = new Map<string, RecordingWriter<TraceLine>>();

  function writerOf(session: string): RecordingWriter<TraceLine> {
    const writer = writers.get(session);
    if (writer) return writer;
    const file = join(home.path, homeFiles.moaTraces, `${session.replaceAll(/[^\w-]/gu, "_")}.jsonl`);
    const created = createRecordingWriter<TraceLine>(file, {
      redact,
      failed: (why) => log.warn("moa_traces.unwritten", { file, why }),
    });
    writers.set(session, created);
    return created;
  }

  return {
    writer: (preset, aggregator) => (references, session) => {
      // A request outside of a session, such as `hermes model test`, has no file.
      if (session === undefined) return;
      const { provider, model } = aggregator.facts();
      writerOf(session).write({ at: clock.now(), preset, aggregator: `${provider}/${model}`, references });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...writers.values()].map((writer) => writer[Symbol.asyncDispose]()));
    },
  };
}
