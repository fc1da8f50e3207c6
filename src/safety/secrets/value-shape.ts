/** Whether the text is only a placeholder: `<token>`, `${TOKEN}`, `your-key`, `xxxx`, `***`. */
export function isPlaceholder(quoted: string): boolean {
  const value = /^(["'])(.*)\1$/u.exec(quoted)?.[2] ?? quoted;
  return (
    stars.test(value) ||
    (standIn.test(value) && !ownPhrase.test(value) && !ownNumber.test(value)) ||
    variable.test(value) ||
    (bracketed.test(value) && !isGenerated(value.slice(1).replace(/[^A-Za-z0-9+/_-].*$/u, ""))) ||
    formatted.test(value) ||
    repeated.test(value)
  );
}

/** A sample key from the documentation of a provider or a standard. Such keys are public, so they are not secrets. */
export function isDocumented(value: string): boolean {
  return documented.test(value);
}

const documented = new RegExp(
  [
    "EXAMPLE(?:KEY|TOKEN|SECRET)?$",
    // Stripe
    "sk_test_(?:4eC39HqLyjWDarjtT1zdp7dc|BQokikJOvBiI2HlWgH4olfQ2|26PHem9AhJZvU623DfE1x4sd)",
    // Sample keys of GitHub, Discord, Telegram and SendGrid.
    "^(?:gh[a-z]_)?16C7e42F292c6912E7710c838347Ae178B4a$|^MTk4NjIyNDgzNDcxOTI1MjQ4\\.|^110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw|^SG\\.ngeVfQFYQlKU0ufo8x5d1A",
    // Sample values: the payload of jwt.io, the emulators of Azure, the test key of reCAPTCHA.
    "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIi|^Eby8vdM02xNOcqFlqUwJPLlm|^C2y6yDjf5/R\\+ob0N8A7Cgu30|^6LeIxAcTAAAAA",
    // RFC 2617, 6749, 6750
    "^QWxhZGRpbjpvcGVuIHNlc2FtZQ|^QWxhZGRpbjpPcGVuU2VzYW1l|^mF_9\\.B5f-4\\.1JqM$|^SlAV32hkKG$|^SplxlOBeZQQYbYS6WxSbIA$|^2YotnFZFEjr1zCsicMWpAA$|^tGzv3JOkF0XG5Qx2TlKWIA$|^czZCaGRSa3F0Mzp",
    // Base64 of `user:pass` and `username:password`.
    "^dXNlcjpwYXNz$|^dXNlcm5hbWU6cGFzc3dvcmQ=?$",
  ].join("|"),
  "u",
);

/** Signs of a value that is already masked or omitted. */
const stars = /\*{3}|\.{3}|…|•{3}|█|\[?redacted\]?|\bmasked\b|\bhidden\b|\bfiltered\b/iu;
const standIn =
  /(?:^|[^a-z0-9])(?:your|my|our|some|the|insert|enter|paste|put|add|replace|change|fill|set)(?=[^a-z0-9]|me|this|with|in|key|token|password|secret|api|$)|place[-_ ]?holder|change[-_ ]?(?:me|it|this)|(?:^|[^a-z0-9])(?:examples?|dummy|fake|sample|mock|todo|fixme|tbd|foobar|lorem|redact|notreal|not[-_ ]a[-_ ]real|goes[-_ ]here)(?=[^a-z0-9]|$)|[-_ ]here$|^(?:fake|dummy|sample)[a-z]*$|^[a-z]{1,12}(?:fake|dummy)[a-z]{0,12}$|x{6,}/iu;
/** A phrase of three words or more that does not mention a secret: `my dog rex 7`. */
const ownPhrase = /^(?:my|our|the)(?: (?!pass|secret|token|key|api|pwd|value|own|super)[A-Za-z0-9]+){2,}$/u;
/** `my-super-secret-key-12345`: nobody counts placeholders that far. */
const ownNumber = /^(?:my|our|the)[-_a-z]*\d{3,}\W*$/iu;
/** `$NAME`, `${NAME…}`, `$(…)`, `%NAME%`, `{{…}}`, `$env:NAME`, `@Microsoft.KeyVault(…)`. */
const variable =
  /^\${1,2}[A-Za-z_][A-Za-z_]*$|^\$[A-Z_][A-Z0-9_]*\/|^\${1,2}[A-Z_][A-Z0-9_]*$|^\$\{|\$\{[^{}()[\]]*(?:\}|$)|^\$\(|^`[^`]*`$|^%[A-Za-z_]\w*%$|^\{\{|\{\{[^{}]*(?:\}\}|$)|^[^{}]*\}\}|^\$env:|^@Microsoft|^!(?:env|vault|secret|ref|sub|join|getatt)\b|^\$\[|^#\{|<%=/iu;
const bracketed = /^<[^>]*>?$|^&lt;.*&gt;$|^\[[^\]]*\]?$|^\{[^}]*\}?$|^\([^)]*\)$|^__\w+__$/u;
/** `%s`, `%(name)s`, `{name}`, `{0}`, `:name`. */
const formatted = /^%[-\d.]*[sdvqr@]|^%\(\w+\)|(?<!\{)\{(?:[A-Za-z_][\w.]*)?\}|^\{\d+\}$|^:\w+$|^\?$/u;
const repeated = /^(?:[A-Za-z0-9]{2,4}[-_])*(.)\1{3,}$|^[-_.x#?0]+$/iu;

/** Returns whether the value consists of ordinary words and short numbers, as in `sk-circle-fade-dot`. */
export function isWordy(value: string): boolean {
  return value.split(/[-_./:=]+/u).every((part) => part === "" || wordOrNumber.test(part));
}

const wordOrNumber =
  /^(?:[A-Z]?[a-z]{1,14}|[A-Z]{1,14}|[a-z]{1,12}(?:[A-Z][a-z]{1,12}){1,4}|[a-z]{2,12}(?:[A-Z][a-z]{2,12}){1,9}|(?:[A-Z]{1,2}[a-z]{2,12}\d?){2,5}|v?\d{1,4}|[A-Za-z]{1,8}\d)$/u;

/**
 * Returns whether the value looks random: uppercase, lowercase and digits alternate more often than in words or names.
 * False for values shorter than `minChars`.
 */
export function looksRandom(value: string, minChars: number): boolean {
  if (value.length < minChars || !/^[\w+/=.:~!@#$%^&*-]+$/u.test(value) || isWordy(value)) return false;
  const body = value.replace(/=+$/u, "");
  return kindChanges(body) / body.length >= 0.25 && new Set(body).size >= Math.min(8, body.length / 2);
}

/** How often the kind of character changes: uppercase, lowercase, digit, sign. */
function kindChanges(text: string): number {
  let changes = 0;
  for (let index = 1; index < text.length; index++) if (kindAt(text, index) !== kindAt(text, index - 1)) changes += 1;
  return changes;
}

function kindAt(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code >= 97 && code <= 122) return 1;
  if (code >= 65 && code <= 90) return 2;
  return code >= 48 && code <= 57 ? 3 : 4;
}

/**
 * Returns whether the value mixes uppercase, lowercase and digits as generators do. Next to a name such as `token` it
 * is a secret.
 */
export function looksGenerated(value: string): boolean {
  return looksRandom(value, 20) && (hasAllKinds(value) || (/[a-z][A-Z]/u.test(value) && isUnpronounceable(value)));
}

/** Returns whether nothing but a generator produces such a value: mixed letters, one-case code, or hex. */
export function isGenerated(value: string): boolean {
  return looksGenerated(value) || looksLikeRandomHex(value) || looksLikeRandomCode(value);
}

/** Returns whether the value looks like generated hex, alone or as a UUID. */
export function looksLikeRandomHex(value: string): boolean {
  return hexValue.test(value) && new Set(value).size >= 8 && !/0123456|1234567|abcdef|(?<=^|-)(.)\1{3,}/iu.test(value);
}

const hexValue =
  /^(?:0x)?(?=[a-f]*\d)(?=\d*[a-f])(?:[0-9a-f]{32,128}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){2,3}[0-9a-f]{12})(?:-[0-9a-f]{8}){0,2}$/iu;

/** Whether the value mixes digits with letters of one case as generators do: `0qe1sq83i58x339l2mi9feuy`. */
export function looksLikeRandomCode(value: string, minChars = 20): boolean {
  if (value.length < minChars || value.length > 128 || !/^(?:[a-z0-9]+|[A-Z0-9]+)$/u.test(value)) return false;
  const digits = value.replaceAll(/\D/gu, "").length;
  if (digits === 0 || digits === value.length || new Set(value).size < Math.min(10, value.length / 2)) return false;
  if (/0123456|1234567|abcdef/iu.test(value)) return false;
  return (
    (digits >= 4 && (value.length >= 24 || minChars < 20) && kindChanges(value) / value.length >= 0.25) ||
    isUnpronounceable(value)
  );
}

/** Whether a part of the value, between signs, is generated: `0pf-j25nxkrkhp8t62qh6k4921ptv09ozq9k0kva`. */
export function hasGeneratedPart(value: string): boolean {
  return (
    /^[\w.-]{32,}$/u.test(value) &&
    value.split(/[-_.]/u).some((part) => part.length >= 24 && (looksLikeRandomHex(part) || looksLikeRandomCode(part)))
  );
}

/** Whether the value is a row of letters that nobody can pronounce, and no alphabet. */
export function looksLikeRandomLetters(value: string): boolean {
  return /^[a-z]{16,}$/u.test(value) && isUnpronounceable(value) && !/abcd|bcdf|cdef|qwert|asdf|(.)\1\1/u.test(value);
}

/** Whether many neighbouring letters of the value are never neighbours in words and names. */
export function isUnpronounceable(value: string): boolean {
  let pairs = 0;
  let rare = 0;
  for (let index = 1; index < value.length; index++) {
    const first = value.charCodeAt(index - 1) | 32;
    const second = value.charAt(index).toLowerCase();
    if (first < 97 || first > 122 || second < "a" || second > "z") continue;
    pairs += 1;
    if (!(nextLetters[first - 97] ?? "").includes(second)) rare += 1;
  }
  return pairs >= 5 && rare / pairs >= 0.3;
}

/** For each letter from a to z, the letters that often follow it in words and identifiers. */
const nextLetters: readonly string[] =
  "bcdfgiklmnprstuvwy abceilorsu acdehiklorstuy acdefilnorsu abcdefgilmnopqrstvwxy aefilortuy aeghilnorsu aeiortuy abcdefgklmnoprstvxz eosuw aeis adefilopstuy abeilmopsu acdefgiklnoprstuvy abcdfgiklmnoprstuvwx adehiloprstu u abcdefgiklmnoprstuvy acdefhiklmnopstuwy acefhilmnorstuy abcdefgilmnprst aeio aehinors ceipt einps aei".split(
    " ",
  );

/** Whether the value looks like a generated password: shorter than a key, with all kinds of characters. */
export function looksLikeStrongPassword(value: string): boolean {
  const kinds = [/[a-z]/u, /[A-Z]/u, /\d/u, /[!@#%^&*+]/u].filter((kind) => kind.test(value)).length;
  return kinds >= 3 && looksRandom(value, 12) && !/p[a@4][s5$]{2}|test|secret|admin|example|123|abc/iu.test(value);
}

/** Whether the value has letters of both cases and digits, but is not a name or word: `kT4mpQ9x`. */
export function mixesThreeKinds(value: string): boolean {
  return value.length >= 8 && hasAllKinds(value) && /^[\x21-\x7e]+$/u.test(value) && !isWordy(value);
}

/** Whether the value is a password as forms demand it, which no code has: `Maple9Tree!`. */
export function mixesFourKinds(value: string): boolean {
  return (
    hasAllKinds(value) &&
    /^[\w!@#$%^&*?+-]{8,40}$/u.test(value) &&
    /[!@#$%^&*?]/u.test(value) &&
    !/example|sample|test|^p[a@]ssw[o0]rd\W?\d{0,4}\W?$/iu.test(value)
  );
}

/** Whether the value is a generated password, where a password is certain to be: shorter ones count than elsewhere. */
export function isDrawnPassword(value: string): boolean {
  if (isPlaceholder(value)) return false;
  if (mixesFourKinds(value)) return true;
  if (weakPart.test(value)) return false;
  const isMixed = /^[A-Za-z]{12,}$/u.test(value) && kindChanges(value) / value.length >= 0.35;
  return (
    (isMixed && shareOfWords(value) <= 0.5) ||
    isGenerated(value) ||
    looksLikeRandomCode(value, 12) ||
    looksLikeStrongPassword(value) ||
    looksLikeShortKey(value, 10)
  );
}

/** Whether the value mixes both cases and digits as only generators do, although it is short: `z2Z3WhQPU6jN4Ag4`. */
export function looksLikeShortKey(value: string, minChars = 12): boolean {
  if (
    value.length < minChars ||
    !/^[\w-]{1,40}$/u.test(value) ||
    !hasAllKinds(value) ||
    isWordy(value) ||
    weakPart.test(value)
  )
    return false;
  return kindChanges(value) / value.length >= 0.4 && shareOfWords(value) <= 0.45;
}

/** Returns how much of the value is in parts that may be words. */
function shareOfWords(value: string): number {
  return (value.match(/[A-Z][a-z]{2,}|[a-z]{3,}/gu)?.join("").length ?? 0) / value.length;
}

const weakPart = /p[a@4][s5$]{2}|test|secret|admin|example|12345|abcd/iu;

/** Whether the value mixes letters of both cases with many signs, as no name, path or pattern does. */
export function looksScrambled(value: string): boolean {
  if (value.length < 16 || /\s|^\^|\(\?|\\[dws]|\[[a-zA-Z0]-|\.\*|::|->|=>|\(\)|\$\w+\$|^\W?\w+\(/u.test(value))
    return false;
  const signs = new Set(value.replaceAll(/[\w./:=,-]/gu, ""));
  if (signs.size >= 5 && /[a-z]/u.test(value)) return true;
  if (signs.size === 0 || !/[a-z]/u.test(value) || !/[A-Z]/u.test(value)) return false;
  return signs.size >= 2 || kindChanges(value) / value.length >= 0.3;
}

/** Whether the value has letters of both cases and digits. */
export function hasAllKinds(value: string): boolean {
  return /[a-z]/u.test(value) && /[A-Z]/u.test(value) && /\d/u.test(value);
}

/**
 * Returns whether the value is a digest, an address, a path or a time: harmless, although the name may look like that
 * of a secret.
 */
export function isPublicShape(value: string): boolean {
  return publicShape.test(value) && !(/^v?\d+\.\d+-/u.test(value) && hasGeneratedPart(value));
}

const publicShape =
  /^(?:\$(?:2[abxy]?|argon2\w*|5|6|1|y|scrypt|pbkdf2[\w-]*)\$|\{(?:SSHA|SHA|CRYPT|bcrypt)\w*\}|pbkdf2[\w:]*\$|scrypt:|sha(?:1|256|384|512)[-:]|md5:|ENC[[(]|sb_publishable_|pk_(?:live|test)_|[a-z][a-z0-9+.-]*:\/\/|arn:|op:|vault:|ref\+|secretref:|file:|env:|data:|urn:|(?:~|\.{1,2})?\/(?:[\w.@+-]+\/)*[\w.@+-]*$|[A-Za-z]:\\|\d+(?:\.\d+)*(?:ms|s|m|h|d|w|kb|mb|gb|px|em|rem|%)?$|\d{4}-\d\d-\d\d|[\^~<>=]{0,2} ?v?\d+\.\d+|#[\da-f]{3,8}$|ssh-(?:rsa|ed25519|dss)|ecdsa-)/iu;
