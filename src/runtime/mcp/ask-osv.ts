import { join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { readBody } from "../../base/http/read-body.ts";
import { parsedJson } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { type Advisory, findAdvisories } from "../../mcp/entries/advisories.ts";
import { type AdvisoryFile, openAdvisoryFile } from "../../mcp/entries/advisory-file.ts";
import type { RunPackage } from "../../mcp/entries/package-of.ts";
import { openHttp } from "../open-http.ts";

/** The answers of the OSV database that are saved in the home. */
export function savedAdvisories({ home }: Pick<LoadedConfig, "home">, clock: Clock): AdvisoryFile {
  return openAdvisoryFile(join(home.path, homeFiles.mcp, "advisories.json"), clock);
}

/** Known advisories of a package, with a limited length, which are saved too; an error says why they are unknown. */
export async function adviceAbout(
  fetched: RunPackage,
  config: LoadedConfig,
  clock: Clock,
  signal: AbortSignal,
  maxMs = maxWaitMs,
): Promise<Result<readonly Advisory[], string>> {
  const url = URL.parse(config.values.mcp.osv_url);
  if (!url) return err(config.values.mcp.osv_url === "" ? "mcp.osv_url is empty" : "mcp.osv_url is not an address");
  using http = openHttp(config, clock);
  const answer = await findAdvisories(
    fetched,
    async (question, stop) => {
      const sent = await http.send(
        {
          method: "POST",
          url,
          headers: { "content-type": "application/json" },
          body: JSON.stringify(question),
        },
        { connectMs: maxMs, totalMs: maxMs },
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
  await savedAdvisories(config, clock).save(fetched, answer, signal);
  return answer;
}

const maxWaitMs = 6_000;
