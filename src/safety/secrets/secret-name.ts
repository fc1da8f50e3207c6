/**
 * The kind of value that a name suggests. `password`: people choose it, so it may be any word. `secret`: a machine
 * generated it. `hint`: it is a secret only if it also looks like one. `guess`: only if nothing but a generator produces
 * such values.
 */
export type NameStrength = "password" | "secret" | "hint" | "guess";

/** Returns the kind of value that a setting, field, header or variable of this name contains. Undefined if unknown. */
export function secretName(name: string): NameStrength | undefined {
  const parts = partsOf(name);
  const tail = parts.findLastIndex(
    (part, index) => (!aside.has(part) || parts[index - 1] === "community") && !/^\d+$/u.test(part),
  );
  if (tail < 0) return undefined;
  const last = parts[tail] ?? "";
  const before = parts[tail - 1] ?? "";
  if (passwords.has(last)) return "password";
  if (last === "key" || last === "keys")
    return keyOf.has(before) || before.endsWith("api")
      ? "secret"
      : keyHints.has(before) || isVendorKey(name, before)
        ? "hint"
        : isOwnedKey(name, before)
          ? "guess"
          : undefined;
  if (secrets.has(last)) return notSecret.has(before) && `${before} ${last}` !== "key secret" ? undefined : "secret";
  if ((last === "base" || last === "data") && before === "key" && parts[tail - 2] !== "public") return "secret";
  if (last === "id" && (before === "session" || before === "sess")) return "hint";
  if (/^codes?$/u.test(last) && codeOf.has(before)) return "password";
  if (last === "verifier" && before === "code") return "secret";
  if (/^(?:2fa|mfa|two factor)$/u.test(before === "two" ? `${before} ${last}` : last)) return "password";
  if (/^strings?$/u.test(last) && before === "community") return "password";
  // A personal access token, or a pattern.
  if (last === "pat") return before === "" ? undefined : "guess";
  if (hints.has(last)) return "hint";
  // Handles `STRIPE_SECRET_EU`: a secret word, followed by words that do not change its meaning.
  const named = parts.findIndex((part) => passwords.has(part) || secrets.has(part));
  if (named >= 0) {
    if (parts.slice(named + 1).some((part) => describes.has(part))) return undefined;
    return passwords.has(parts[named] ?? "") ? "password" : "hint";
  }
  const [, rest] = gluedInside.exec(parts.join("")) ?? [];
  return rest === undefined || describes.has(rest) ? undefined : "hint";
}

/** `myapikeyprod`, `ourprivate_keyeu`. */
const gluedInside = /(?:apikey|apitoken|accesstoken|authtoken|clientsecret|secretkey|privatekey)(\p{L}{2,6})$/u;

/** `ACME_KEY`: a variable with the key of a provider, unless the word before it means a place or a use. */
function isVendorKey(name: string, before: string): boolean {
  return /^[A-Z][A-Z0-9_]*$/u.test(name) && before !== "" && !otherKeys.has(before);
}

/** `acme_key`, `acme-key`, `acmeKey`: the key of something. */
function isOwnedKey(name: string, before: string): boolean {
  return (
    /^[A-Za-z][a-z0-9]*(?:(?:[-_.][a-z0-9]+)*[-_.]key|(?:[A-Z][a-z0-9]*)*Key)$/u.test(name) && !otherKeys.has(before)
  );
}

/** Splits a name: `dbPassword`, `DB_PASSWORD`, `db.password`, `--db-password` become db, password. */
function partsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/gu, "$1 $2")
    .toLowerCase()
    .replaceAll("api key", "apikey")
    .replaceAll("p/w", "pw")
    .split(/[^\p{L}\p{N}]+/u)
    .flatMap((part) => (part === "" ? [] : (compounds.get(part) ?? splitSecretWord(withoutNumber(part)))));
}

/** `password` of `password02`. */
function withoutNumber(part: string): string {
  const [, word = ""] = /^(\p{L}{3,})\d{1,3}$/u.exec(part) ?? [];
  return passwords.has(word) || secrets.has(word) ? word : part;
}

/** Splits off the word for a secret: `pgpass`, `smtppassword`, `dbpwd`, `acmeapikey`. */
function splitSecretWord(part: string): readonly string[] {
  const [, owner, glued = ""] =
    /^(\p{L}{2,20}?)(apikeys?|apitoken|accesstoken|authtoken|clientsecret|secretkey|accesskey|privatekey)$/u.exec(
      part,
    ) ?? [];
  if (owner !== undefined) return [owner, ...(compounds.get(glued) ?? [glued])];
  const [, before, word] =
    /^(\p{L}{1,10}?)(password|passwd|passphrase|(?<=..)(?:secret|pword|pass|pwd|pw))$/u.exec(part) ?? [];
  return before === undefined || word === undefined || otherPasses.has(before) ? [part] : [before, word];
}

/** Words that end like a secret word but mean something else: bypass, compass, lowpass … */
const otherPasses: ReadonlySet<string> = new Set(
  "no get set has is new ask use by com encom tres sur over under low high band all multi one two single first second third pre post out im".split(
    " ",
  ),
);

const compounds: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...["app", "auth", "priv", "master", "encryption", "signing", "session", "application", "consumer", "shared"].map(
    (owner) => [`${owner}key`, [owner, "key"]] as const,
  ),
  ["codeverifier", ["code", "verifier"]],
  ["twofactor", ["two", "factor"]],
  ["authtoken", ["auth", "token"]],
  ["accesstoken", ["access", "token"]],
  ["refreshtoken", ["refresh", "token"]],
  ["clientsecret", ["client", "secret"]],
  ["accesskey", ["access", "key"]],
  ["secretkey", ["secret", "key"]],
  ["privatekey", ["private", "key"]],
  ["accountkey", ["account", "key"]],
  ["dbpass", ["db", "pass"]],
  ["dbpassword", ["db", "password"]],
  ["userpassword", ["user", "password"]],
  ["rootpassword", ["root", "password"]],
  ["sessionid", ["session", "id"]],
  ["jsessionid", ["session", "id"]],
  ["phpsessid", ["session", "id"]],
  ["pgpassword", ["pg", "password"]],
  ["keystorepass", ["keystore", "pass"]],
  ["storepass", ["store", "pass"]],
  ["keypass", ["key", "pass"]],
  ["requirepass", ["require", "pass"]],
  ["masterauth", ["master", "password"]],
  ["rootpw", ["root", "pw"]],
  ["bindpw", ["bind", "pw"]],
  ["identitytoken", ["identity", "token"]],
]);

const passwords: ReadonlySet<string> = new Set(
  "password passwd passphrase passcode passwort kennwort contraseña contrasena senha wachtwoord hasło haslo heslo пароль 密码 密碼 口令 パスワード 비밀번호 비번 암호 패스워드 paasword pasword passowrd passwrod pwd pw pass pword passwords passe psk otp totp".split(
    " ",
  ),
);

const secrets: ReadonlySet<string> = new Set(
  "secret secrets token apikey apikeys apitoken jwt authtoken credential credentials токен секрет 令牌 密钥 密鑰 トークン 토큰 geheimnis".split(
    " ",
  ),
);

/** Words before "key" that make it a secret. */
const keyOf: ReadonlySet<string> = new Set(
  "api access secret private encryption signing sign auth master account shared subscription service app application license hmac aes jwt webhook admin root session cipher storage deploy client consumer pre crypt recovery integration server bot functions priv privacy authentication openai anthropic claude gemini google mistral cohere groq deepseek openrouter tavily exa serper firecrawl stripe paypal sendgrid mailgun twilio datadog algolia firebase supabase pinecone huggingface replicate azure aws gcp github gitlab slack discord telegram notion linear airtable maps weather ai llm".split(
    " ",
  ),
);
/** Words before "code" that make it a login. */
const codeOf: ReadonlySet<string> = new Set("recovery backup verification security 2fa mfa factor".split(" "));
const keyHints: ReadonlySet<string> = new Set("user project team account org site".split(" "));

/** Words before "KEY" that make it a public key, the key of a table or file, or a keyboard key. */
const otherKeys: ReadonlySet<string> = new Set(
  "public pub primary foreign partition sort range row hash cache index idx object bucket map lookup hot short unique composite natural sequence schema registry routing group topic message event locale translation redis feature flag config setting env tls ssl ssh gpg pgp apt rpm repo host idempotency request correlation trace build artifact lock queue storage widget column field table json order item file folder path s3 blob asset image video media chunk node edge entity record document doc page thread channel dedupe dedup state query filter param parameter attribute attr property label tag category product customer invoice job task step run workflow test case suite snapshot version commit digest sha checksum content etag block tx transaction data dict entry element member argument option sorting join link search".split(
    " ",
  ),
);

const hints: ReadonlySet<string> = new Set(
  "auth authorization bearer signature sig session sess sid cookie csrf xsrf dsn nonce pin cred creds seed mnemonic phrase salt".split(
    " ",
  ),
);

/** Words after a secret word that do not change its meaning. */
const aside: ReadonlySet<string> = new Set(
  "equals prod production dev development staging stage test testing live old new backup primary secondary default value val main base64 b64 hex raw string text plain plaintext current previous prev temp tmp local remote".split(
    " ",
  ),
);

/** Words before `token` that mean something harmless: a piece of text, a page, a count. */
const notSecret: ReadonlySet<string> = new Set(
  "existing next page continuation cancel cancellation stop start end eos bos pad padding unk mask sep cls special max min total prompt completion input output per num number count no first last line string comma open close left right kubernetes k8s imagepull image key public pub".split(
    " ",
  ),
);

/** Words after a secret word that describe the secret instead of containing it. */
const describes: ReadonlySet<string> = new Set(
  "file path dir folder url uri endpoint host name names id ids type types kind length len size count limit min max budget usage used expiry expires expire expiration ttl age date time at timeout header field fields column label title placeholder hint help text message msg error errors policy policies rule rules regex pattern format prefix suffix manager provider service store storage source ref refs version versions status state enabled disabled required optional valid invalid check verify validator validation reset rotation rotate generator generate factory class module package hash hashed digest checksum salt algorithm alg method mode scope scopes audience issuer input prompt box less lookup cache cached index position counter per of or and is array list map set dict table schema json yaml yml txt py ts js md css html template config settings options option props prop func function handler callback middleware guard service request response event level strength question hidden visible show toggle attempts tries retry failed success ok".split(
    " ",
  ),
);

/** A fast test of whether a text may contain one of these names. */
export const nameWords =
  /pass(?!ed|es\b|ing|i|eng|word(?:less|s\.)|port)|p(?:ass)?wd|pword|paasword|pasword|(?<![a-z])p\/?w(?![a-z])|(?<![a-z])t?otp(?![a-z])|secret[-_. ]key|secret|token|api[-_. ]?key|(?:access|private|account|encryption|signing|auth|master|shared|subscription|service|app|hmac|session|storage|deploy|client|license|webhook|admin|server|[a-z])[-_. ]?key|key[-_]base|key[-_]data|seed|phrase|psk|(?<=[a-z]_)pat(?![a-z_])|masterauth|rootpw|bindpw|credential|creds|auth|bearer|signature|\bsig\b|sess|cookie|csrf|\bdsn\b|jwt|mnemonic|(?<![a-z])salt(?![a-z])|(?:recovery|backup|verification|security)[-_ ]code|code[-_]?verifier|two[-_]?factor|(?<![a-z\d])(?:2|m)fa(?![a-z])|community[-_ ]?string|kennwort|contrase[nñ]a|senha|wachtwoord|has[lł]o|heslo|пароль|токен|секрет|密[码碼钥鑰]|口令|令牌|パスワード|トークン|비밀번호|비번|암호|패스워드|토큰|mot[-_ ]de[-_ ]passe/giu;
