import { isObject } from "../../base/json.ts";
import type { Logger } from "../../base/log.ts";
import { reasonOf } from "../../base/result.ts";
import { cut } from "../../base/text.ts";
import type { Entry, EntryBody } from "../../contracts/session.ts";
import { isTextKind, type TextSource, type TurnTaint } from "../../contracts/text-source.ts";
import { createTurnTaint } from "../../kernel/turn-taint.ts";

/**
 * What strangers wrote that is before the model, turn after turn: a summary may say it again in other words, so nothing
 * of it is ever forgotten. Each source is stored when it is first read, and counts for a resumed session.
 */
export function storedTaint(
  entries: readonly Entry[],
  store: (body: EntryBody) => Promise<unknown>,
  log: Logger,
): () => TurnTaint {
  let carried = restoredSources(entries);
  return () => {
    const taint = createTurnTaint(carried);
    return {
      sources: taint.sources,
      record(source) {
        taint.record(source);
        const sources = taint.sources();
        if (sources.length === carried.length) return;
        carried = sources;
        const value = sources.map(({ kind, name }) => ({ kind, name: cut(name, 400) }));
        store({ type: "state", name: "taint", value }).catch((thrown: unknown) =>
          log.error("taint.unstored", { error: reasonOf(thrown) }),
        );
      },
    };
  };
}

function restoredSources(entries: readonly Entry[]): readonly TextSource[] {
  const last = entries.findLast((entry) => entry.type === "state" && entry.name === "taint");
  const value = last?.type === "state" && Array.isArray(last.value) ? last.value : [];
  return value.flatMap((each) =>
    isObject(each) && isTextKind(each["kind"]) && typeof each["name"] === "string"
      ? [{ kind: each["kind"], name: each["name"] }]
      : [],
  );
}
