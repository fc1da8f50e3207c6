import type { JsonObject } from "../../base/json.ts";
import { defaultOf, optionalKey, valueReaders, sectionKey, type SettingKey } from "./setting-key.ts";

const { text, texts, textMap, object, flag, seconds, whole, oneOf } = valueReaders;

const lifetimes = {
  idle_timeout_seconds: defaultOf(0, seconds(0), "End the program after this long without a call. 0: never."),
  max_lifetime_seconds: defaultOf(0, seconds(0), "Replace the program after this long. 0: never."),
};

const oauth = sectionKey({
  client_id: optionalKey(text, "A client that you registered with the provider."),
  client_secret: optionalKey(text, "Its secret. Write `${NAME}` and keep the value in `.env`."),
  client_metadata_url: optionalKey(text, "Address of a client id metadata document."),
  scope: optionalKey(text, "Scopes to ask for, with spaces between them."),
  redirect_port: defaultOf(0, whole(0, 65_535), "Port for the answer of the browser. 0: any free one."),
  client_name: defaultOf("Hermes", text, "The name that the provider shows."),
  timeout: defaultOf(300, seconds(1), "Seconds to wait for you in the browser."),
});

const sampling = sectionKey({
  enabled: defaultOf(true, flag, "The server may ask your model. A person is asked first."),
  model: optionalKey(text, "The model that answers. Default: the server's choice among `allowed_models`."),
  allowed_models: defaultOf([], texts, "Models that it may have. Empty: every configured one."),
  max_tokens_cap: defaultOf(4_096, whole(1, 1_000_000), "Most tokens of one answer."),
  timeout: defaultOf(30, seconds(1), "Seconds for one answer."),
  max_rpm: defaultOf(10, whole(0, 10_000), "Requests in a minute."),
  max_tool_rounds: defaultOf(5, whole(0, 1_000), "Answers in a row that call a tool of the server."),
  log_level: optionalKey(text, "Accepted for Hermes in Python; has no effect."),
});

const elicitation = sectionKey({
  enabled: defaultOf(true, flag, "The server may ask you."),
  timeout: defaultOf(300, seconds(1), "Seconds that a question waits."),
});

const tools = sectionKey({
  include: {
    ...optionalKey(texts, "Only these tools, as the server spells them; `*` and `?` work. An empty list: none."),
    empty: [],
  },
  exclude: defaultOf([], texts, "Not these tools. `include` wins."),
  resources: defaultOf(true, flag, "Tools that list and read resources, if the server has resources."),
  prompts: defaultOf(true, flag, "Tools that list and get prompts, if the server has prompts."),
});

/** Every key of `mcp_servers.<name>`: how it is parsed, its default, and a sentence for the reference. */
export const serverKeys = {
  command: optionalKey(text, "The program of a server on this machine. No shell reads it."),
  args: defaultOf([], texts, "Its arguments."),
  env: defaultOf({}, textMap, "Variables for it, in addition to the few that every server gets."),
  permissions: {
    ...optionalKey<JsonObject>(
      object,
      "What the program may do: `read`, `write`, `net`, `env`, `exec`, as in a plugin's manifest. With it, the program runs in a sandbox.",
    ),
    empty: {},
  },
  url: optionalKey(text, "The address of a remote server. It wins over `command`."),
  headers: defaultOf({}, textMap, "Headers of every request to it."),
  transport: optionalKey(
    oneOf({
      http: ["http", "streamable-http", "streamable_http", "streamablehttp"],
      sse: ["sse"],
      stdio: ["stdio"],
    }),
    "`http` (Streamable HTTP, the default for an address), `sse` (the older one) or `stdio`.",
  ),
  enabled: defaultOf(true, flag, "False: the server is never started."),
  timeout: defaultOf(300, seconds(1), "Seconds for one call. Progress restarts it."),
  connect_timeout: defaultOf(60, seconds(1), "Seconds for one attempt to connect."),
  protocol: defaultOf(
    "auto",
    oneOf({ auto: ["auto"], stateless: ["stateless"], legacy: ["legacy"] }),
    "How the protocol version is negotiated: `auto`, `stateless` or `legacy`.",
  ),
  lazy: defaultOf(false, flag, "Connect at the first call, if its tools are known from before."),
  supports_parallel_tool_calls: defaultOf(false, flag, "Several calls may run at once."),
  scripts: defaultOf(false, flag, "Scripts of `execute_code` may call its tools."),
  keepalive_interval: defaultOf(180, seconds(5), "Seconds between health checks. At least 5."),
  ...lifetimes,
  lifecycle: sectionKey(lifetimes),
  skip_preflight: defaultOf(false, flag, "Do not check first whether the address is an MCP server."),
  ssl_verify: defaultOf<boolean | string>(
    true,
    (value) => (typeof value === "string" && !flag(value).ok ? text(value) : flag(value)),
    "False: accept any certificate. A path: trust the certificates in this file.",
  ),
  client_cert: optionalKey(texts, "File with a client certificate; or a list: certificate, key, password of the key."),
  client_key: optionalKey(text, "File with its key."),
  identity_header: optionalKey<string | JsonObject>(
    (value) => (typeof value === "string" ? text(value) : object(value)),
    "A header that says who calls: `X-Agent: me`, or `X-Agent` alone for the name of the profile. Also `{name, value}`.",
  ),
  trust: {
    ...defaultOf<"full" | "untrusted">(
      "full",
      (value) => ({ ok: true, value: value === "full" ? "full" : "untrusted" }),
      "`untrusted`: every call needs approval unless the tool only reads, and claims about its tools are ignored. Any word except `full` means this.",
    ),
    empty: "untrusted",
  },
  auth: optionalKey(
    oneOf({ oauth: ["oauth"], none: ["none", "header", "headers", "token", "bearer"] }),
    "`oauth`: sign in with `hermes mcp login NAME`. Otherwise `headers` contain the credentials.",
  ),
  oauth,
  sampling,
  elicitation,
  tools,
} satisfies Readonly<Record<string, SettingKey<unknown>>>;

/** Keys of other programs' files, and the key that does the same here. */
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
