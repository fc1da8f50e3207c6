import type { Clock } from "../base/clock.ts";
import { createHttp, type Http, type ProxyEnv, type TlsSettings } from "../base/http/http-client.ts";
import type { LoadedConfig } from "../config/load.ts";

export interface OwnTls extends TlsSettings {
  /** Additional certificate authorities to trust. */
  readonly caFile?: string;
}

/** The HTTP client with the proxies and certificate authorities of the user. */
export function openHttp({ values, secrets }: LoadedConfig, clock: Clock, tls: OwnTls = {}): Http {
  const authorities = ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"].map((name) => secrets.get(name) ?? "");
  const { caFile = "", ...rest } = tls;
  return createHttp({
    clock,
    proxyEnv: proxyVariables(secrets),
    caFiles: [...new Set([...values.network.ca_bundle, ...authorities, caFile])].filter((file) => file !== ""),
    tls: rest,
  });
}

/** The variables with the proxies of the user. */
export function proxyVariables(secrets: Pick<LoadedConfig["secrets"], "get">): ProxyEnv {
  return Object.fromEntries(proxyNames.map((name) => [name, secrets.get(name)]));
}

const proxyNames = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
