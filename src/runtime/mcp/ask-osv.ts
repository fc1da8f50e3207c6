import type { Clock } from "../../base/clock.ts";
import { readBody } from "../../base/http/read-body.ts";
import { parsedJson } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { type Advisory, findAdvisories, osvAddress } from "../../mcp/entries/advisories.ts";
import type { RunPackage } from "../../mcp/entries/package-of.ts";
import { openHttp } from "../open-http.ts";

/** Known advisories of a package, with a limited length; an error says why they are unknown. */
export async function adviceAbout(
  fetched: RunPackage,
  config: LoadedConfig,
  clock: Clock,
  signal: AbortSignal,
): Promise<Result<readonly Advisory[], string>> {
  using http = openHttp(config, clock);
  return await findAdvisories(
    fetched,
    async (question, stop) => {
      const sent = await http.send(
        {
          method: "POST",
          url: new URL(osvAddress),
          headers: { "content-type": "application/json" },
          body: JSON.stringify(question),
        },
        { connectMs: maxWaitMs, totalMs: maxWaitMs },
        stop,
      );
      if (!sent.ok) return err(sent.error.message);
      using response = sent.value;
      if (response.status !== 200) return err(`the OSV database answered with status ${response.status}`);
      const body = await readBody(response);
      return body.ok ? ok(parsedJson(body.value.toString())) : err(body.error.message);
    },
    signal,
  );
}

const maxWaitMs = 6_000;
