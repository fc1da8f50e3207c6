/** Whether a name means a secret: `OPENAI_API_KEY`, `PGPASSWORD`, `bot_token` do; `max_tokens` does not. */
export function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/gu, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/u)
    .filter((word) => word !== "" && !/^\d+$/u.test(word));
  const last = words.at(-1) ?? "";
  const before = words.at(-2);
  if (words.some((word) => always.test(word))) return !harmlessEnds.has(last) && words[0] !== "redact";
  if (ends.has(last)) return !(last === "key" && keyOfOther.has(before ?? ""));
  // `PWD` is a folder and `auth` a sign-in method, but `MYSQL_PWD`, `REDISCLI_AUTH` and `SLACK_WEBHOOK` are secrets.
  if (endsOfTwo.has(last)) return before !== undefined && before !== "old";
  return endsWithPair.has(`${before} ${last}`);
}

/** Whether the text looks like an environment variable: `TELEGRAM_BOT_TOKEN`. */
export function isEnvironmentName(text: string): boolean {
  return /^[A-Z][A-Z0-9_]*$/u.test(text);
}

const always = /^(?:credentials?|secrets?|authorization)$|(?:apikey|passphrase|passwd|password)s?$/u;
const ends: ReadonlySet<string> = new Set(["key", "token", "dsn", "pat", "jwt", "cookie", "authtoken", "accesstoken"]);
const endsOfTwo: ReadonlySet<string> = new Set(["pass", "pwd", "auth", "webhook"]);
const endsWithPair: ReadonlySet<string> = new Set([
  "api keys",
  "access keys",
  "api tokens",
  "access tokens",
  "auth tokens",
  "webhook url",
]);
/** Endings of names about a secret that are not secrets themselves: `secret_file`, `redact_secrets_enabled`. */
const harmlessEnds: ReadonlySet<string> = new Set([
  "enabled",
  "file",
  "files",
  "path",
  "paths",
  "env",
  "name",
  "names",
  "timeout",
  "ttl",
]);
const keyOfOther: ReadonlySet<string> = new Set(["record", "session", "rule", "public", "ssh", "client"]);
