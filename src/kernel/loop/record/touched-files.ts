import type { CallId } from "../../../base/ids.ts";
import type { ChangedFile } from "../../../contracts/model/context.ts";
import type { Entry } from "../../../contracts/session/session.ts";
import type { Effect } from "../../../contracts/tool/effect.ts";
import type { Ledger } from "../../../contracts/tool/ledger.ts";
import type { ToolResult } from "../../../contracts/tool/tool-result.ts";

/** The files that the calls of a conversation read or changed, the most recently used one last. */
export interface TouchedFiles {
  /** Adds a call that is running. */
  started(callId: CallId, effects: readonly Effect[]): void;
  /** Adds the outcome of a call. Files are kept only if the call had an effect. */
  ended(callId: CallId, result: ToolResult): void;
  list(): readonly ChangedFile[];
}

/** Wraps a ledger so that it also reports the files that its calls use. */
export function recordTouchedFiles(ledger: Ledger, files: TouchedFiles): Ledger {
  return {
    ...ledger,
    planned(call) {
      files.started(call.callId, call.effects);
      return ledger.planned(call);
    },
    settled(callId, result, durationMs) {
      files.ended(callId, result);
      return ledger.settled(callId, result, durationMs);
    },
    ended(call, result, durationMs) {
      files.started(call.callId, call.effects);
      files.ended(call.callId, result);
      ledger.ended(call, result, durationMs);
    },
  };
}

const maxFiles = 100;

export function createTouchedFiles(entries: readonly Entry[] = []): TouchedFiles {
  const files = new Map<string, ChangedFile["how"]>();

  function touch(path: string, how: ChangedFile["how"]): void {
    const before = files.get(path);
    files.delete(path);
    // A changed file that is read again still counts as changed.
    files.set(path, how === "read" && before !== undefined ? before : how);
    const [oldest] = files.keys();
    if (files.size > maxFiles && oldest !== undefined) files.delete(oldest);
  }

  function add(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.kind === "read") touch(effect.path, "read");
      else if (effect.kind === "write") touch(effect.path, "written");
      else if (effect.kind === "delete") touch(effect.path, "deleted");
      else if (effect.kind === "move") {
        touch(effect.from, "deleted");
        touch(effect.to, "written");
      }
    }
  }

  const running = new Map<CallId, readonly Effect[]>();

  function ended(callId: CallId, result: ToolResult): void {
    const effects = running.get(callId);
    running.delete(callId);
    if (effects && (result.ok || result.error.effect !== "none")) add(effects);
  }

  for (const entry of entries) {
    if (entry.type === "planned") running.set(entry.call.callId, entry.call.effects);
    else if (entry.type === "settled") ended(entry.callId, entry.result);
  }
  // Calls that a crash interrupted, so that their outcome is unknown.
  for (const effects of running.values()) add(effects);
  running.clear();
  return {
    started(callId, effects) {
      if (effects.length > 0) running.set(callId, effects);
    },
    ended,
    list: () => Array.from(files, ([path, how]) => ({ path, how })),
  };
}
