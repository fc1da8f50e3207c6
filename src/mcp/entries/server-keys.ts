import type { JsonObject } from "../../base/json.ts";
import { defaultOf, optionalKey, valueReaders, sectionKey, type SettingKey } from "./setting-key.ts";

const { text, texts, textMap, object, flag, seconds, whole, oneOf } = valueReaders;

const lifetimes = {
  idle_timeout_seconds: defaultOf(
    0,
    seconds(0),
    "Seconds without a call after which the program is stopped. 0: never.",
  ),
  max_lifetime_seconds: defaultOf(0, seconds(0), "Seconds after which the program is restarted. 0: never."),
};

const oauth = sectionKey({
  client_id: optionalKey(text, "The id of a client that you registered with the provider."),
  client_secret: optionalKey(text, "The secret of that client. Write `${NAME}` and keep the value in `.env`."),
  client_metadata_url: optionalKey(text, "The address of a client id metadata document."),
  scope: optionalKey(text, "Scopes to request, separated by spaces."),
  redirect_port: defaultOf(0, whole(0, 65_535), "The local port that receives the browser's answer. 0: any free port."),
  client_name: defaultOf("Hermes", text, "The name that the provider shows."),
  timeout: defaultOf(300, seconds(1), "Seconds to wait for your sign-in in the browser."),
});

const sampling = sectionKey({
  enabled: defaultOf(true, flag, "Whether the server may send requests to your model. You are asked first."),
  model: optionalKey(text, "The model that answers. Default: the server's choice among `allowed_models`."),
  allowed_models: defaultOf([], texts, "Models that the server may use. Empty: every configured model."),
  max_tokens_cap: defaultOf(4_096, whole(1, 1_000_000), "The maximum tokens of one answer."),
  timeout: defaultOf(30, seconds(1), "The time limit for one answer, in seconds."),
  max_rpm: defaultOf(10, whole(0, 10_000), "The maximum number of requests per minute."),
  max_tool_rounds: defaultOf(
    5,
    whole(0, 1_000),
    "The maximum number of consecutive answers that call a tool of the server.",
  ),
  log_level: optionalKey(text, "Accepted for compatibility with Python Hermes; has no effect."),
});

const elicitation = sectionKey({
  enabled: defaultOf(true, flag, "Whether the server may ask you questions."),
  timeout: defaultOf(300, seconds(1), "Seconds until a question times out."),
});

const tools = sectionKey({
  include: {
    ...optionalKey(
      texts,
      "Offer only these tools, in the server's spelling; `*` and `?` are wildcards. An empty list: no tools.",
    ),
    empty: [],
  },
  exclude: defaultOf([], texts, "Do not offer these tools. `include` wins."),
  resources: defaultOf(true, flag, "Offer tools that list and read resources, if the server has resources."),
  prompts: defaultOf(true, flag, "Offer tools that list and get prompts, if the server has prompts."),
});

/** Every key of `mcp_servers.<name>`: how it is parsed, its default, and a sentence for the reference page. */
export const serverKeys = {
  command: optionalKey(text, "The program of a local server. It is started without a shell."),
  args: defaultOf([], texts, "Its arguments."),
  env: defaultOf({}, textMap, "Environment variables for the program, in addition to the few that every server gets."),
  permissions: {
    ...optionalKey<JsonObject>(
      object,
      "Permissions of the program: `read`, `write`, `net`, `env`, `exec`, as in a plugin's manifest. If set, the program runs in a sandbox.",
    ),
    empty: {},
  },
  url: optionalKey(text, "The address of a remote server. It wins over `command`."),
  headers: defaultOf({}, textMap, "Headers for every request to the remote server."),
  transport: optionalKey(
    oneOf({
      http: ["http", "streamable-http", "streamable_http", "streamablehttp"],
      sse: ["sse"],
      stdio: ["stdio"],
    }),
    "`http` (Streamable HTTP, the default for an address), `sse` (the older transport) or `stdio`.",
  ),
  enabled: defaultOf(true, flag, "If false, the server is never started."),
  timeout: defaultOf(300, seconds(1), "The time limit for one call, in seconds. Progress restarts it."),
  connect_timeout: defaultOf(60, seconds(1), "The time limit for one attempt to connect, in seconds."),
  protocol: defaultOf(
    "auto",
    oneOf({ auto: ["auto"], stateless: ["stateless"], legacy: ["legacy"] }),
    "How the protocol version is negotiated: `auto`, `stateless` or `legacy`.",
  ),
  lazy: defaultOf(false, flag, "Connect only at the first call, if the tools are cached from an earlier connection."),
  supports_parallel_tool_calls: defaultOf(false, flag, "Whether several calls may run at once."),
  scripts: defaultOf(false, flag, "Whether scripts of `execute_code` may call the server's tools."),
  keepalive_interval: defaultOf(180, seconds(5), "Seconds between health checks, at least 5."),
  ...lifetimes,
  lifecycle: sectionKey(lifetimes),
  skip_preflight: defaultOf(false, flag, "Skip the check whether the address is an MCP server."),
  ssl_verify: defaultOf<boolean | string>(
    true,
    (value) => (typeof value === "string" && !flag(value).ok ? text(value) : flag(value)),
    "If false, accept any certificate. A path: trust the certificates in this file.",
  ),
  client_cert: optionalKey(
    texts,
    "The file with a client certificate, or a list: certificate, key, password of the key.",
  ),
  client_key: optionalKey(text, "The file with the key of the client certificate."),
  identity_header: optionalKey<string | JsonObject>(
    (value) => (typeof value === "string" ? text(value) : object(value)),
    "A header that identifies the caller: `X-Agent: me`, or `X-Agent` alone for the name of the profile. Also `{name, value}`.",
  ),
  trust: {
    ...defaultOf<"full" | "untrusted">(
      "full",
      (value) => ({ ok: true, value: value === "full" ? "full" : "untrusted" }),
      "With `untrusted`, every call needs approval unless the tool only reads, and the server's claims about its tools are ignored. Any value except `full` means `untrusted`.",
    ),
    empty: "untrusted",
  },
  auth: optionalKey(
    oneOf({ oauth: ["oauth"], none: ["none", "header", "headers", "token", "bearer"] }),
    "With `oauth`, sign in with `hermes mcp login NAME`. Otherwise `headers` contain the credentials.",
  ),
  oauth,
  sampling,
  elicitation,
  tools,
} satisfies Readonly<Record<string, SettingKey<unknown>>>;

/** Keys in other programs' files, with the equivalent key of Hermes. */
export const foreignKeys: Readonly<Record<string, string>> = {
  type: "transport",
  transportType: "transport",
  serverUrl: "url",
  httpUrl: "url",
  disabled: "enabled",
  environment: "env",
  arguments: "args",
  envFile: "env",
  alwaysAllow: "trust",
  autoApprove: "trust",
  disabledTools: "tools",
  enabledTools: "tools",
};
