import { join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import type { Http } from "../../base/http/http-client.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { HttpTarget } from "../../contracts/mcp/server-entry.ts";
import { createSignInFiles } from "../../mcp/oauth/sign-in-file.ts";
import { createSignIns, type McpSignIns } from "../../mcp/oauth/sign-ins.ts";
import { openHttp, type OwnTls } from "../open-http.ts";
import { ownTls } from "./connect.ts";

/** Opens the sign-ins of a home. Files are read only by the first request. Disposing closes connections. */
export function openMcpSignIns(config: LoadedConfig, clock: Clock): McpSignIns & Disposable {
  const opened = new DisposableStack();
  const clients = new Map<string, Http>();
  const files = createSignInFiles({ folder: join(config.home.path, homeFiles.mcpSignIns), clock });

  function client(tls: OwnTls): Http {
    const key = JSON.stringify(tls);
    const http = clients.get(key) ?? opened.use(openHttp(config, clock, tls));
    clients.set(key, http);
    return http;
  }

  /**
   * The authorization server differs from the MCP server: it gets no client certificate, and its own certificate is
   * always checked.
   */
  function httpOf(target: HttpTarget | undefined): Http {
    if (!target) return client({});
    const tls = ownTls(target.tls);
    const own = client(tls);
    const others = client(tls.caFile === undefined ? {} : { caFile: tls.caFile });
    const { origin } = new URL(target.url);
    return {
      ...own,
      send: (request, ...limits) => (request.url.origin === origin ? own : others).send(request, ...limits),
    };
  }

  return { ...createSignIns({ files, clock, http: httpOf }), [Symbol.dispose]: () => opened.dispose() };
}
