import { isObject } from "../../base/json.ts";
import { oneLine } from "../../base/text/text.ts";
import type { PluginRequestLimits } from "../../contracts/plugin/client.ts";

/** Running requests, each with the notifications that the plugin sends meanwhile: output, progress, stream items. */
export interface RequestListeners {
  add(params: Readonly<Record<string, unknown>>, limits: PluginRequestLimits): Disposable;
  /** Delivers a notification from the plugin, which may contain anything. */
  notify(method: string, params: Readonly<Record<string, unknown>>): void;
}

export function createRequestListeners(): RequestListeners {
  const listeners = new Set<Listener>();
  return {
    add(params, limits) {
      const { call } = params;
      const target = params["stream"] ?? (isObject(call) ? call["callId"] : undefined);
      const listener: Listener = { limits, target };
      if (limits.onPrint || limits.onItem || limits.onProgress) listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    notify(method, params) {
      for (const { limits, target } of listeners) {
        if (method === "print") limits.onPrint?.({ text: String(params["text"]), isError: params["isError"] === true });
        if (method === "progress" && target === params["callId"])
          limits.onProgress?.(oneLine(String(params["note"]), maxNoteChars));
        if (method === "object.item" && target === params["stream"]) limits.onItem?.(params["item"]);
      }
    },
  };
}

interface Listener {
  readonly limits: PluginRequestLimits;
  /** The id of the stream or tool call whose notifications the listener gets. */
  readonly target: unknown;
}

const maxNoteChars = 500;
