import type { NameStrength } from "./secret-name.ts";
import type { SecretSpan } from "./span.ts";
import {
  hasGeneratedPart,
  isPlaceholder,
  isPublicShape,
  isWordy,
  isGenerated,
  isUnpronounceable,
  mixesThreeKinds,
  looksGenerated,
  looksLikeRandomCode,
  looksLikeRandomLetters,
  looksLikeShortKey,
  looksLikeStrongPassword,
  looksRandom,
  looksScrambled,
} from "./value-shape.ts";

/**
 * Which values are masked. `all`: any value next to such a name. `generated`: only values that look generated, for code
 * and its output.
 */
export type Strictness = "all" | "generated";

export interface NamedValue extends SecretSpan {
  readonly quote: string;
  /** The separator between name and value: `=`, `:`, `>`, `,`, `|`, or `blank`. */
  readonly sign: string;
}

/**
 * Returns whether the value next to a name of this strength is a secret, and not a placeholder, lookup, type or
 * ordinary word.
 */
export function isNamedSecret(
  text: string,
  name: SecretSpan,
  value: NamedValue,
  strength: NameStrength,
  strictness: Strictness,
  looks: ValueChecks,
): boolean {
  const shown = text.slice(value.start, Math.min(value.end, value.start + maxJudgedChars));
  if (shown.length < 4 || looks.standsIn(shown) || (isPublicShape(shown) && !isSecretAllTheSame(shown))) return false;
  if (value.quote !== "" && /^\s*[,;)\]}+]/u.test(shown)) return false;
  const isSure = strength === "password" || strength === "secret";
  if (strictness === "all" && isFormField(text, name, value)) {
    if (isSure) return !isSwitch.test(shown);
    if (/(?:^|[-_])(?:sig|signature|authorization)$/iu.test(text.slice(name.start, name.end))) return isOpaque(shown);
  }
  if (value.quote === "" && isExpression(shown, text.charAt(value.end))) return false;
  if (strength === "guess")
    return strictness === "all" && value.sign !== "blank" && (isDrawn(shown, strength) || isVendorValue(shown, value));
  if (value.sign === "list" || /^[=!]==?$/u.test(value.sign)) {
    const isChosen = strictness === "all" && strength === "password" && !looks.namesSecret(shown) && !isWordy(shown);
    return isDrawn(shown, strength) || (isChosen && shown.length >= 6 && /\d/u.test(shown) && !/\s/u.test(shown));
  }
  if (value.sign === "," || value.sign === "|") return strength !== "hint" && isDrawn(shown, strength);
  if (value.sign === "blank") {
    if (strength === "hint") return false;
    if (strength === "password" && appPassword.test(shown)) return true;
    if (value.quote !== "" && isGenerated(shown)) return true;
    if (value.quote === "`" && strength === "password" && strictness === "all") return /\d/u.test(shown);
    const isChosen = strength === "password" && mixesThreeKinds(shown);
    if (isRow(text, name, value)) return isDrawn(shown, strength) || isChosen;
    return strictness === "all" && (isDrawn(shown, strength) || isChosen);
  }
  if (strength === "hint" && isLogin(shown)) return true;
  if (strictness === "generated" && !isFoundInSettings(text, name)) {
    if (/\s/u.test(shown))
      return strength !== "hint" && isVariableLine(text, name) && shown.split(/\s+/u).some(isMixed);
    return isDrawn(shown, strength) && (strength !== "hint" || isAssigned(text, name));
  }
  if (seedPhrase.test(shown)) return true;
  if (strength === "password" && appPassword.test(shown)) return true;
  if (isAttachedWords(text, name, value, shown, strength)) return true;
  if (strength === "password" && testPassword.test(shown)) return false;
  if (/^[x*!]:/u.test(shown) || plainWords.has(shown.toLowerCase())) return false;
  if (looks.isRandom(shown) && !isSessionName(text, name, shown) && !looks.namesSecret(shown)) return true;
  if (strength === "hint")
    return (
      looksRandom(/^[\w.@-]{1,40}:(\S+)$/u.exec(shown)?.[1] ?? "", 10) ||
      (isAssigned(text, name) && isVendorValue(shown, value))
    );
  if (looks.namesSecret(shown)) return false;
  if (/^\d+$/u.test(shown))
    return shown.length >= (strength === "password" ? 6 : 16) && (strength === "password" || value.quote !== "");
  if (/\s/u.test(shown)) {
    if (strength !== "password") return false;
    return value.sign === ":" || value.quote !== "" ? isPassphrase(shown) : isVariableLine(text, name);
  }
  if (strength === "secret" && value.sign !== "blank" && (/^[\da-f]{8,}$/u.test(shown) || hasEndlessWord(shown)))
    return true;
  if (/^[\p{L}_]+$/u.test(shown)) return isChosenWord(text, name, value, shown, strength);
  if (/\d/u.test(shown)) return strength === "password" || shown.length >= 6;
  if (value.quote !== "" && (looksScrambled(shown) || holdsSigns.test(shown))) return true;
  return strength === "password" && shown.length >= 6 && !isWordy(shown);
}

/** Whether the value is more than a word: it has digits or several parts. */
function isOpaque(shown: string): boolean {
  return shown.length >= 9 && (/\d/u.test(shown) || /\w-\w+-\w/u.test(shown));
}

const isSwitch = /^(?:true|false|null|none|undefined)$/iu;

/** Letters on both sides of a sign that names and patterns do not have: `abc;def`. */
const holdsSigns = /^[A-Za-z\d]{2,}[;"'!#^&~][A-Za-z\d]{2,}$/u;

/** Whether name and value are a field of a form or of an address: `?token=…`, `password=…&user=bob`. */
function isFormField(text: string, name: SecretSpan, value: NamedValue): boolean {
  if (value.sign !== "=" || text.charAt(value.start - 1 - value.quote.length) !== "=") return false;
  return (
    /[?&]/u.test(text.charAt(name.start - 1)) || /^["']?&[\w%.-]{1,40}=/u.test(text.slice(value.end, value.end + 44))
  );
}

/** Whether the value is a generated key of an unlisted vendor, shorter than keys elsewhere: `acme_key = "k9Xw2LqP7vRt4ZsB"`. */
function isVendorValue(shown: string, { quote, sign }: NamedValue): boolean {
  return (quote !== "" || sign === "=") && looksLikeShortKey(shown, 16);
}

/**
 * Whether the value is words with hyphens directly after `=`, which no code writes there: `password=blue-door-lamp`. The
 * secret of an object in a cluster has only a name.
 */
function isAttachedWords(
  text: string,
  name: SecretSpan,
  { start, sign, quote }: NamedValue,
  shown: string,
  strength: NameStrength,
): boolean {
  if (sign !== "=" || strength === "hint" || text.charAt(start - 1 - quote.length) !== "=") return false;
  if (strength === "secret" && /^\W?secrets?$/iu.test(text.slice(Math.max(0, name.start - 1), name.end))) return false;
  return (
    /^[a-z0-9]{3,}(?:-[a-z0-9]{2,}){1,5}$/u.test(shown) &&
    !/-(?:password|passwd|pwd|token|key|name|ref|id)$/u.test(shown)
  );
}

/** Whether the last part of the value is longer than any word, or a stretch of the alphabet after other words. */
function hasEndlessWord(shown: string): boolean {
  if (/(?:^|[_-])[a-z]{22,}$/u.test(shown)) return true;
  const last = /[_-]([a-z]{11,})$/u.exec(shown)?.[1] ?? "";
  return last !== "" && "abcdefghijklmnopqrstuvwxyz".includes(last);
}

export type ValueChecks = Readonly<Record<"standsIn" | "isRandom" | "namesSecret", (shown: string) => boolean>>;

export function createValueChecks(): ValueChecks {
  return {
    standsIn: memoize(isPlaceholder),
    isRandom: memoize((shown) => looksRandom(shown, 12) || looksLikeRandomLetters(shown)),
    namesSecret: memoize(namesSecret),
  };
}

/** Caches results, because the same names and values occur often. */
export function memoize<T>(compute: (name: string) => T): (name: string) => T {
  const cache = new Map<string, { readonly answer: T }>();
  return (name) => {
    const answer = cache.get(name) ?? { answer: compute(name) };
    cache.set(name, answer);
    return answer.answer;
  };
}

/** The maximum number of characters of a value that are checked. */
export const maxJudgedChars = 64;

/** Matches `NAME=` at the start of a line, as in the output of `env`: the rest of the line is the value. */
export function isVariableLine(text: string, name: SecretSpan): boolean {
  const before = text.slice(Math.max(0, name.start - 12), name.start);
  return (
    (/(?:^|\n|\\n)(?:[ \t]{0,8}|#[ \t]?)$/u.test(before) || before === "") &&
    /^[A-Z][A-Z0-9_]*$/u.test(text.slice(name.start, name.end))
  );
}

/** `NAME=` at the start of a line, or after `export`. */
function isAssigned(text: string, name: SecretSpan): boolean {
  return (
    isVariableLine(text, name) ||
    (/(?:^|[\s;])(?:export|set)[ \t]{1,4}$/u.test(text.slice(Math.max(0, name.start - 12), name.start)) &&
      /^[A-Z][A-Z0-9_]*$/u.test(text.slice(name.start, name.end)))
  );
}

/** Returns whether the value is a password of digits, or a base64 key that starts like a path. */
function isSecretAllTheSame(shown: string): boolean {
  return /^\d{6,}$/u.test(shown) || (shown.startsWith("/") && looksGenerated(shown));
}

/** Returns whether the value is a user name and password in base64, as in `"auth": "…"`. */
function isLogin(shown: string): boolean {
  if (!/^[A-Za-z0-9+/]{12,}={0,2}$/u.test(shown)) return false;
  return /^[\w.$@+-]{2,}:[\x21-\x7e]{6,}$/u.test(Buffer.from(shown, "base64").toString("latin1"));
}

/** Whether name and value end their line, as in a table or after a slash: `password    …`, `login: bob / password …`. */
function isRow(text: string, name: SecretSpan, value: NamedValue): boolean {
  return (
    /(?:^|\n|[/|,])[ \t]*$/u.test(text.slice(Math.max(0, name.start - 12), name.start)) &&
    /^(?:\r?\n|$)/u.test(text.slice(value.end, value.end + 2))
  );
}

/** Values that only identify a session. */
function isSessionName(text: string, { start, end }: SecretSpan, shown: string): boolean {
  return /sess/iu.test(text.slice(start, end)) && (shown.length < 16 || uuid.test(shown));
}

const uuid = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/iu;

/** Passwords of examples and tests, which protect nothing. */
const testPassword = /^(?:test|password|passw0rd|abc|admin|foo|bar|secret)[-_]?1234?$/iu;

/** A password that a service generates for one program: four groups of four letters. */
const appPassword = /^[a-z]{4}(?:-[a-z]{4}){3}$/u;

/** The seed phrase of a wallet. Only the part that is checked is used. */
const seedPhrase = /^(?:[a-z]{3,8} ){7,}[a-z]{0,8}$/u;

/** A word of a passphrase that nobody would read as a word: `SdY7xZbK`. */
function isMixed(word: string): boolean {
  return looksRandom(word, 8) && /[a-z]/u.test(word) && /[A-Z]/u.test(word) && /\d/u.test(word);
}

/** Returns whether the value is certainly generated, in any context. */
function isDrawn(shown: string, strength: NameStrength): boolean {
  if (isGenerated(shown) || licence.test(shown) || hasGeneratedPart(shown)) return true;
  if (strength !== "hint" && strength !== "guess" && (looksLikeRandomCode(shown, 14) || looksLikeShortKey(shown)))
    return true;
  return strength === "password" && looksLikeStrongPassword(shown);
}

const licence = /^(?=[A-Z0-9-]*\d)(?:[A-Z0-9]{4,8}-){3,7}[A-Z0-9]{4,8}$/u;

/** Matches a search result from a settings file: `.env:3:DB_PASSWORD=…`. */
function isFoundInSettings(text: string, { start }: SecretSpan): boolean {
  const before = text.slice(Math.max(0, start - 120), start);
  return (
    /(?:^|[\s/])\.env[\w.-]*[:-](?:\d+[:-])?(?:export )?$/u.test(before) && !/example|sample|template/u.test(before)
  );
}

/** Matches code that gets the value from elsewhere: a call, an index, a member, a lookup. */
function isExpression(shown: string, next: string): boolean {
  return (
    /^[\w.$?!&*@\\]*[([]|^(?:await|new|lambda|function|async)\b|^[&*@!]?[A-Za-z_$][\w$]*(?:(?:\??\.|->|::)[A-Za-z_$][\w$]*)+$|^\$?\w+(?:::\w+)+(?:->|\(|$)/u.test(
      shown,
    ) ||
    (next === "(" && /^\w+$/u.test(shown)) ||
    (next === ">" && /^\$[\w:]+-$/u.test(shown)) ||
    /^(?:process|os|import|req|request|self|this|config|settings|env|ctx|args|opts|options|params|props|state|secrets|vars|var|local|data|module|steps|inputs|github)\??[.[]/u.test(
      shown,
    )
  );
}

/**
 * Returns whether the value is itself only a name for a secret: `api_key=api_key`, `"password": "Passwort"`,
 * `my-token-2`.
 */
function namesSecret(shown: string): boolean {
  const rest = shown
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((part) => part !== "");
  if (rest.length > 1 && /^_?[a-zA-Z]+(?:_[a-z]+)*$/u.test(shown) && ownEnds.has(rest.at(-1) ?? "")) return true;
  return (
    rest.length > 0 &&
    rest.every((part) => ownWords.has(part)) &&
    (/^[\p{L}_ ?:.-]+$/u.test(shown) || (/token|key|secret$/u.test(rest.join("")) && /^\D+[-_]?\d{1,2}$/u.test(shown)))
  );
}

/** Returns whether the value is a passphrase (`correct horse battery`) and not a sentence about passwords. */
function isPassphrase(shown: string): boolean {
  const parts = shown.replace(/^(?:the|my|our|a) /u, "").split(" ");
  return (
    parts.length > (/^(?:the|my|our|a) /u.test(shown) ? 1 : 2) &&
    parts.every((part) => /^[A-Za-z\d]+$/u.test(part) && !ownWords.has(part) && !sentenceWords.has(part))
  );
}

const sentenceWords: ReadonlySet<string> = new Set(
  "must be at least too short long required missing incorrect enter type choose please this that it with for to of in on by from has have was were are an should cannot can will characters letters digits same as last changed reset forgot again set used stored".split(
    " ",
  ),
);

/**
 * Returns whether the value is a word that a person chose as a password, and not a word of a sentence, a type or a
 * variable.
 */
function isChosenWord(
  text: string,
  name: SecretSpan,
  value: NamedValue,
  shown: string,
  strength: NameStrength,
): boolean {
  if (shown.length < 6) return false;
  if (text.slice(name.start, name.end).toLowerCase().includes(shown.toLowerCase())) return false;
  const next = text.slice(value.end, value.end + 2);
  const isLong = shown.length >= 8 && /^\p{L}+$/u.test(shown);
  // Matches `CorrectHorse`, but not `Passwort` and `userInput`.
  const isPhrase = isLong && /^\p{Lu}\p{Ll}+\p{Lu}/u.test(shown);
  if (value.quote !== "") return strength === "password" && (isPhrase || !/^\p{Lu}/u.test(shown));
  const isFlag = text.startsWith("-", name.start) && next.startsWith(" ");
  const endsThere =
    next === "" ||
    isFlag ||
    value.sign === ">" ||
    /^(?:[\r\n&;"'<}]|[ \t]{1,8}#|[,| ][a-z_]{2,20}=)/u.test(text.slice(value.end, value.end + 24));
  if (isVariableLine(text, name)) return endsThere && (strength === "password" || shown.length >= 8);
  if (strength !== "password" || !endsThere) return false;
  const isAttached = text.charAt(value.start - 1) === "=";
  if (isAttached && isUnpronounceable(shown)) return true;
  if (isSettingsLine(text, name, value) && /^\p{L}\p{Ll}+\p{Lu}\p{Ll}+$/u.test(shown)) return !namesValue(shown);
  if ((isAttached || value.sign === ">") && /^\p{Ll}+(?:\p{Lu}\p{Ll}+){1,3}$/u.test(shown)) return !namesValue(shown);
  if (isAttached && (isPhrase || (isLong && /^\p{Lu}+$/u.test(shown)))) return true;
  return !/^\p{Lu}[\p{Ll}]+$|^\p{Lu}+(?:_\p{Lu}+)*$/u.test(shown) && !/[a-z][A-Z]/u.test(shown);
}

/** `password: …` alone on its line, as in YAML. */
function isSettingsLine(text: string, name: SecretSpan, value: NamedValue): boolean {
  const before = text.slice(Math.max(0, name.start - 40), name.start);
  return (
    value.sign === ":" &&
    /(?:^|\n)[ \t]*(?:- )?$/u.test(before) &&
    /^(?:\r?\n|$)/u.test(text.slice(value.end, value.end + 2))
  );
}

/** Whether the word is the name of a variable, not a password of two words: `userInput`, `someField`. */
function namesValue(shown: string): boolean {
  const parts = shown
    .replaceAll(/([a-z])([A-Z])/gu, "$1 $2")
    .toLowerCase()
    .split(" ");
  return parts.some((part) => ownWords.has(part) || variableWords.has(part));
}

const variableWords: ReadonlySet<string> = new Set(
  "get set is has on to from with some any this that req res request response param params arg args opt opts option options config settings data form model state props ref str text buf line row col item entry node index count size len file path dir url uri host port type kind mode flag func cb handler callback result output env ctx context email login account person owner member server service cred creds info details attr read load fetch make create build encode decode encrypt decrypt encoded decoded clear cleartext provided supplied entered typed check secure schema column widget box edit view control component validator provider source loader reader store manager digest spec enum array list map token bytes char".split(
    " ",
  ),
);

/** Endings of names in code: `challengePassword`, `password_ptr`. */
const ownEnds: ReadonlySet<string> = new Set(
  "password passwd passphrase token secret key credentials ptr str buf".split(" "),
);

const ownWords: ReadonlySet<string> = new Set(
  "password passwd pwd pass passphrase passcode passwort kennwort contraseña contrasena senha wachtwoord hasło heslo пароль 密码 密碼 口令 パスワード 비밀번호 passe mot de du lösenord adgangskode passord salasana şifre mật khẩu mdp token tokens secret secrets key keys api apikey access auth authentication authorization bearer client private my the a new old current confirm confirmed repeat user username admin root db database app test valid invalid wrong bad good other another value string field input hash hashed encrypted plain raw id name session refresh jwt signing webhook stored saved given hidden temp default initial expected actual random generated your is or and not no".split(
    " ",
  ),
);

const plainWords: ReadonlySet<string> = new Set(
  "amd64 arm64 i386 armhf x86_64 aarch64 ppc64el s390x riscv64 aws4-hmac-sha256 str string text varchar char bytes byte buffer int integer number float bool boolean object array list dict map any unknown never void undefined null none nil nan true false yes no on off optional required mandatory nullable readonly literal symbol type enum option some ok okay valid invalid expired missing absent present empty blank unset set found failed failure denied accepted rejected revoked rotated refreshed created deleted removed changed updated saved stored loaded loading pending active inactive enabled disabled default wrong incorrect correct weak strong short long bearer basic digest oauth oauth2 jwt opaque saml openid ldap kerberos ntlm negotiate apikey hs256 hs512 rs256 es256 eddsa sha256 sha512 sha1 md5 bcrypt argon2 scrypt base64 base32 utf8 utf-8 ascii ed25519 rsa2048 rsa4096 aes256 aes128 x25519 hidden masked redacted secret password token example sample prompt ask keychain keyring env environment vault file stdin input interactive manual automatic auto inherit self this test tests testing todo localhost postgres mysql guest identifier comma keyword operator punctuation whitespace comment ident eof newline equals continue abort ignore skip never always only must should cannot click please see read write admin:admin".split(
    " ",
  ),
);
