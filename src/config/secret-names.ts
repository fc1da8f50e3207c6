/** Does a name say that its value is a secret? `OPENAI_API_KEY`, `api_key`, `bot_token` do; `max_tokens` does not. */
export function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/gu, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/u);
  const last = words.findLast((word) => !/^\d+$/u.test(word)) ?? "";
  if (words.some((word) => always.has(word))) return !harmlessEnds.has(last) && words[0] !== "redact";
  return ends.has(last) && !(last === "key" && keyOfOther.has(words[words.length - 2] ?? ""));
}

/** An environment name as people write one: `TELEGRAM_BOT_TOKEN`. */
export function isEnvironmentName(text: string): boolean {
  return /^[A-Z][A-Z0-9_]*$/u.test(text);
}

const always: ReadonlySet<string> = new Set([
  "apikey",
  "credential",
  "credentials",
  "passphrase",
  "passwd",
  "password",
  "secret",
  "secrets",
]);
const ends: ReadonlySet<string> = new Set(["key", "token", "dsn", "pat", "jwt", "cookie"]);
/** `secret_file`, `redact_secrets_enabled`: about a secret, not one. */
const harmlessEnds: ReadonlySet<string> = new Set(["enabled", "file", "path", "env", "name", "timeout", "ttl"]);
const keyOfOther: ReadonlySet<string> = new Set(["record", "session", "rule", "public", "ssh", "client"]);
