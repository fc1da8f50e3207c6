import { once } from "../../base/async/once.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { MemoryProviderContribution } from "../../contracts/plugin/plugin.ts";

/** The memory service over HTTP. Its code is loaded by the first request. */
export function builtinMemoryProviders(config: LoadedConfig): readonly MemoryProviderContribution[] {
  const { values, secrets } = config;
  const { memory } = values;
  const name = "http";
  return [
    {
      name,
      create({ clock, log }) {
        const { url, key_env: keyEnv, timeout_s: timeout } = memory.http;
        if (url === "") return undefined;
        const key = keyEnv === "" ? undefined : secrets.get(keyEnv);
        const provider = once(async () => {
          const [{ createHttpMemoryProvider }, { openHttp }] = await Promise.all([
            import("../../memory/http-provider.ts"),
            import("../open-http.ts"),
          ]);
          const http = openHttp(config, clock);
          return createHttpMemoryProvider({ url, key, timeoutMs: timeout * 1000, http, clock, log });
        });
        return {
          name,
          promptBlock: async (signal) => (await provider()).promptBlock(signal),
          recall: async (query, signal) => (await provider()).recall(query, signal),
          noteTurn: (turn) => void provider().then((provider) => provider.noteTurn(turn)),
          noteChange: (change) => void provider().then((provider) => provider.noteChange(change)),
          status: async (signal) => (await provider()).status(signal),
          flush: async (signal) => (await provider()).flush(signal),
        };
      },
    },
  ];
}
