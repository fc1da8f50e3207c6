import { join } from "node:path";

import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { oneLine } from "../../base/text/text.ts";
import type {
  HttpTarget,
  McpEntryProblem,
  McpServerEntry,
  McpTarget,
  OAuthSettings,
} from "../../contracts/mcp/server-entry.ts";
import { foreignKeys, serverKeys } from "./server-keys.ts";
import { keyReader, type SettingValues } from "./setting-key.ts";

export interface ReadEntries {
  readonly entries: readonly McpServerEntry[];
  /** Servers that are disabled because of a mistake in their settings. */
  readonly problems: readonly McpEntryProblem[];
  /** Servers that work although something in their settings is unusual. */
  readonly notices: readonly McpEntryProblem[];
}

export interface EntryPlaces {
  /** The home folder that `~` stands for. */
  readonly userFolder: string;
  /** The profile name for `identity_header`. */
  readonly profile: string;
}

/**
 * Reads `mcp_servers` after its variables were expanded: a record by name, or a list of entries with `name`. A server
 * with a mistake becomes a problem and does not affect the others.
 */
export function readMcpEntries(raw: JsonValue, places: EntryPlaces): ReadEntries {
  const named = namedEntries(raw);
  if (named === undefined) {
    const message = "mcp_servers must contain server names with their settings, or a list of entries with `name`.";
    return { entries: [], problems: [{ name: "mcp_servers", message }], notices: [] };
  }
  const counts = Map.groupBy(named, ([name]) => name);
  const entries: McpServerEntry[] = [];
  const problems: McpEntryProblem[] = [];
  const written = new Map<McpServerEntry, JsonValue>();
  for (const [name, settings] of new Map(named)) {
    const entry =
      (counts.get(name)?.length ?? 0) > 1 ? err("occurs twice. Rename one") : readEntry(name, settings, places);
    if (entry.ok) {
      entries.push(entry.value);
      written.set(entry.value, settings);
      continue;
    }
    const shown = oneLine(name.replaceAll(/\p{C}/gu, "?"), 64);
    problems.push({ name: shown, message: `MCP server ${shown} is disabled: ${entry.error}` });
  }
  return {
    entries,
    problems,
    // These notices are not shown at the start of a session.
    get notices() {
      return [...written].flatMap(([entry, settings]) =>
        noticesOf(entry, settings).map((message) => ({ name: entry.name, message })),
      );
    },
  };
}

function isServerName(name: string): boolean {
  return /^[A-Za-z0-9][\w.-]{0,63}$/u.test(name);
}

type Values = SettingValues<typeof serverKeys>;

const readServerKeys = keyReader(serverKeys, foreignKeys);

function namedEntries(raw: JsonValue): readonly (readonly [string, JsonValue])[] | undefined {
  if (isObject(raw)) return Object.entries(raw);
  if (!Array.isArray(raw)) return undefined;
  return raw.map((entry: JsonValue, index) => {
    const { name, ...settings } = isObject(entry) ? entry : {};
    return [typeof name === "string" ? name : `number ${index + 1}`, settings] as const;
  });
}

function readEntry(name: string, settings: JsonValue, places: EntryPlaces): Result<McpServerEntry, string> {
  if (!isServerName(name))
    return err("the name may have only letters, digits, - _ and ., at most 64. Rename the server.");
  const read = readServerKeys(settings);
  if (!read.ok) return err(`${read.error}${/[.?]$/u.test(read.error) ? "" : "."}`);
  const values = read.value;
  const hasOauth = isObject(settings) && isObject(settings["oauth"]);
  const target = targetOf(values, hasOauth, places);
  if (!target.ok) return target;
  const { sampling, elicitation, tools } = values;
  return ok({
    name,
    target: target.value,
    isEnabled: values.enabled,
    timeoutMs: values.timeout * 1_000,
    connectTimeoutMs: values.connect_timeout * 1_000,
    protocol: values.protocol,
    isLazy: values.lazy,
    isParallel: values.supports_parallel_tool_calls,
    isForScripts: values.scripts,
    keepaliveMs: values.keepalive_interval * 1_000,
    idleMs: (values.idle_timeout_seconds || values.lifecycle.idle_timeout_seconds) * 1_000,
    maxLifetimeMs: (values.max_lifetime_seconds || values.lifecycle.max_lifetime_seconds) * 1_000,
    trust: values.trust,
    sampling: {
      isEnabled: sampling.enabled,
      ...(sampling.model !== undefined && { model: sampling.model }),
      allowedModels: sampling.allowed_models,
      maxTokens: sampling.max_tokens_cap,
      timeoutMs: sampling.timeout * 1_000,
      maxPerMinute: sampling.max_rpm,
      maxToolRounds: sampling.max_tool_rounds,
    },
    elicitation: { isEnabled: elicitation.enabled, timeoutMs: elicitation.timeout * 1_000 },
    tools: {
      ...(tools.include !== undefined && { include: tools.include }),
      exclude: tools.exclude,
      resources: tools.resources,
      prompts: tools.prompts,
    },
  });
}

function targetOf(values: Values, hasOauth: boolean, places: EntryPlaces): Result<McpTarget, string> {
  if (values.url !== undefined && values.transport !== "stdio")
    return httpTarget(values, values.url.trim(), hasOauth, places);
  if (values.command === undefined) return err("the server needs a command, or the url of a remote server.");
  if (values.transport !== undefined && values.transport !== "stdio")
    return err(`transport ${values.transport} needs a url.`);
  return ok({
    kind: "stdio",
    command: withUserFolder(values.command.trim(), places),
    args: values.args,
    env: values.env,
    ...(values.permissions !== undefined && { permissions: values.permissions }),
  });
}

function httpTarget(values: Values, url: string, hasOauth: boolean, places: EntryPlaces): Result<HttpTarget, string> {
  const address = URL.parse(url);
  if (address === null || !/^https?:$/u.test(address.protocol) || address.hostname === "")
    return err("the url must start with http:// or https:// and name a host.");
  if (address.username !== "" || address.password !== "")
    return err("the url contains a password. Use headers, such as Authorization, instead.");
  if (values.permissions !== undefined) return err("permissions are for a server with a command, not for a url.");
  const identity = identityOf(values.identity_header, places);
  if (!identity.ok) return identity;
  const [cert, ownKey, keyPassword] = values.client_cert ?? [];
  const key = values.client_key ?? ownKey;
  const verify = values.ssl_verify;
  const usesOauth = values.auth === "oauth" || (values.auth === undefined && hasOauth);
  return ok({
    kind: values.transport === "sse" ? "sse" : "http",
    url,
    headers: { ...values.headers, ...identity.value },
    hasPreflight: !values.skip_preflight,
    tls: {
      verify: typeof verify === "string" ? withUserFolder(verify, places) : verify,
      ...(cert !== undefined && { cert: withUserFolder(cert, places) }),
      ...(key !== undefined && { key: withUserFolder(key, places) }),
      ...(keyPassword !== undefined && { keyPassword }),
    },
    ...(usesOauth && { oauth: oauthOf(values.oauth) }),
  });
}

function oauthOf(oauth: Values["oauth"]): OAuthSettings {
  return {
    ...(oauth.client_id !== undefined && { clientId: oauth.client_id }),
    ...(oauth.client_secret !== undefined && { clientSecret: oauth.client_secret }),
    ...(oauth.client_metadata_url !== undefined && { clientMetadataUrl: oauth.client_metadata_url }),
    ...(oauth.scope !== undefined && { scope: oauth.scope }),
    redirectPort: oauth.redirect_port,
    clientName: oauth.client_name,
    timeoutMs: oauth.timeout * 1_000,
  };
}

/** Accepts `X-Agent: me`, `X-Agent` alone for the name of the profile, or the same as an object. */
function identityOf(
  header: string | JsonObject | undefined,
  { profile }: EntryPlaces,
): Result<Readonly<Record<string, string>>, string> {
  if (header === undefined) return ok({});
  const [name, value] =
    typeof header === "string" ? header.split(/:(.*)/su, 2) : [header["name"] ?? header["header"], header["value"]];
  if (typeof name !== "string" || !/^[\w!#$%&'*+.^`|~-]+$/u.test(name.trim()))
    return err("identity_header must name a header, such as X-Agent.");
  return ok({ [name.trim()]: typeof value === "string" && value.trim() !== "" ? value.trim() : profile });
}

function withUserFolder(path: string, { userFolder }: EntryPlaces): string {
  return path === "~" || path.startsWith("~/") ? join(userFolder, path.slice(1)) : path;
}

function noticesOf({ target }: McpServerEntry, settings: JsonValue): readonly string[] {
  const named: (readonly [string, string])[] =
    target.kind === "stdio"
      ? [["command", target.command], ...target.args.map((arg) => ["args", arg] as const), ...under("env", target.env)]
      : [["url", target.url], ...under("headers", target.headers)];
  const hidden = named.filter(([, value]) => value !== value.trim() || invisible.test(value)).map(([key]) => key);
  const unset = named.flatMap(([key, value]) => [...value.matchAll(reference)].map(([whole]) => `${whole} in ${key}`));
  const trust = isObject(settings) ? settings["trust"] : undefined;
  return [
    ...[...new Set(hidden)].map(
      (key) => `${key} has spaces or invisible characters that look like a mistake. Check it.`,
    ),
    ...unset.map((place) => `${place} is not set. Set it in the environment or with \`hermes config set\`.`),
    ...(trust === undefined || trust === "full" || trust === "untrusted"
      ? []
      : ["trust must be full or untrusted. Hermes treats the server as untrusted."]),
  ];
}

function under(key: string, values: Readonly<Record<string, string>>): (readonly [string, string])[] {
  return Object.entries(values).map(([name, value]) => [`${key}.${name}`, value]);
}

/** Matches control and format characters, and spaces other than U+0020. */
const invisible = /[\p{Cc}\p{Cf}\u00A0\u2000-\u200A\u202F\u205F\u3000]/u;
const reference = /\$\{(?:env:)?[A-Za-z_]\w*\}/gu;
