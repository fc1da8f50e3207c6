import { isObject } from "../../base/json.ts";
import type { PluginClient, PluginFault } from "../../contracts/plugin/client.ts";
import { pluginObject } from "./plugin-object.ts";

/** How a script on the plugin's backend ended. */
type ScriptEnd =
  | { readonly how: "exit"; readonly exitCode: number }
  | { readonly how: "broken" | "misconfigured"; readonly message: string }
  | { readonly how: "aborted" };

interface ScriptStreams {
  readonly signal: AbortSignal;
  readonly stdin?: Uint8Array;
  readonly onOutput: (chunk: Uint8Array) => boolean;
  readonly resume: () => Promise<void>;
  readonly onControl: (chunk: Uint8Array) => void;
}

/** Runs `sh -c script` in a plugin's environment. The plugin's process owns the connection. */
export function pluginLink(client: PluginClient, id: string, kind: string) {
  const object = pluginObject(client, id);
  return {
    kind,
    async run(script: string, streams: ScriptStreams): Promise<ScriptEnd> {
      const { signal, stdin = new Uint8Array(), onOutput, onControl, resume } = streams;
      const input = Buffer.from(stdin).toString("base64");
      for await (const streamed of object.stream("run", [script, input], signal)) {
        if ("fault" in streamed) return endOf(streamed.fault);
        if ("result" in streamed) return exitOf(streamed.result, client.key);
        const { output, error } = isObject(streamed.item) ? streamed.item : {};
        if (typeof error === "string") onControl(Buffer.from(error, "base64"));
        if (typeof output === "string" && !onOutput(Buffer.from(output, "base64"))) await resume();
      }
      return { how: "broken", message: `plugin ${client.key}: the script did not report that it ended` };
    },
    async [Symbol.asyncDispose](): Promise<void> {},
  };
}

function endOf({ kind, message }: PluginFault): ScriptEnd {
  if (kind === "aborted") return { how: "aborted" };
  return { how: kind === "refused" ? "misconfigured" : "broken", message };
}

function exitOf(result: unknown, plugin: string): ScriptEnd {
  if (Number.isInteger(result)) return { how: "exit", exitCode: Number(result) };
  return { how: "broken", message: `plugin ${plugin}: the environment did not answer with an exit code` };
}
