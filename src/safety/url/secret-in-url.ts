/** Why a URL would give a secret away: to the host, its logs and every proxy on the way. */
export function secretInUrl(url: URL): string | undefined {
  for (const [name, value] of [...url.searchParams, ...new URLSearchParams(url.hash.slice(1))]) {
    if (value !== "" && isSecretParameter(name)) return `its parameter ${name} looks like a secret`;
  }
  const whole = decoded(url.href);
  const key = keyShapes.exec(whole)?.[0];
  return key === undefined ? undefined : `it contains what looks like a key (${key.slice(0, 6)}…)`;
}

function isSecretParameter(name: string): boolean {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "_")
    .replace(/^_+|_+$/gu, "");
  return secretParameters.has(plain) || plain.startsWith("x_amz_");
}

const secretParameters: ReadonlySet<string> = new Set([
  "token",
  "access_token",
  "refresh_token",
  "id_token",
  "auth_token",
  "session_token",
  "api_token",
  "bearer_token",
  "private_token",
  "api_key",
  "apikey",
  "access_key",
  "secret_key",
  "secret",
  "client_secret",
  "app_secret",
  "password",
  "passwd",
  "pwd",
  "passphrase",
  "authorization",
  "auth",
  "credential",
  "credentials",
  "signature",
  "sig",
  "x_goog_signature",
  "jwt",
  "private_key",
  "sessionid",
  "awsaccesskeyid",
]);

/** As their issuers make them. */
const keyShapes =
  /\b(?:sk-(?:ant-|proj-|or-)?[\w-]{20,}|gh[pousr]_\w{30,}|github_pat_\w{30,}|glpat-[\w-]{20,}|xox[abeprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|AIza[\w-]{35}|hf_[A-Za-z]{30,}|npm_\w{36}|pypi-[\w-]{50,}|sk_live_\w{20,}|rk_live_\w{20,}|xai-[\w-]{30,}|gsk_\w{40,}|tvly-[\w-]{20,}|eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{5,})/u;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
