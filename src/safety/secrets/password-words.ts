/**
 * Returns whether the value is itself only a name for a secret: `api_key=api_key`, `"password": "Passwort"`,
 * `my-token-2`.
 */
export function namesSecret(shown: string): boolean {
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
export function isPassphrase(shown: string): boolean {
  const parts = shown.replace(/^(?:the|my|our|a) /u, "").split(" ");
  return (
    parts.length > (/^(?:the|my|our|a) /u.test(shown) ? 1 : 2) &&
    parts.every((part) => /^[A-Za-z\d]+$/u.test(part) && !ownWords.has(part) && !sentenceWords.has(part))
  );
}

/** Whether the value is words in quotes that are not a message: `password = "open sesame"`. */
export function isQuotedPhrase(shown: string): boolean {
  return (
    /^[\p{L}\d]{2,}(?: [\p{L}\d]{2,}){1,7}$/u.test(shown) &&
    (/[a-z]\d+[a-z]/u.test(shown) ||
      !shown.split(" ").some((part) => ownWords.has(part.toLowerCase()) || messageWords.has(part.toLowerCase())))
  );
}

const messageWords: ReadonlySet<string> = new Set(
  "must be at least too short long required missing incorrect enter type choose please cannot can will should characters letters digits same changed reset forgot again remember me sign log in here empty failed error match matches mismatch expired accepted rejected".split(
    " ",
  ),
);

const sentenceWords: ReadonlySet<string> = new Set(
  "must be at least too short long required missing incorrect enter type choose please this that it with for to of in on by from has have was were are an should cannot can will characters letters digits same as last changed reset forgot again set used stored".split(
    " ",
  ),
);

/** Whether the word is the name of a variable, not a password of two words: `userInput`, `someField`. */
export function namesValue(shown: string): boolean {
  const parts = shown
    .replaceAll(/([a-z])([A-Z])/gu, "$1 $2")
    .toLowerCase()
    .split(" ");
  return parts.some((part) => ownWords.has(part) || variableWords.has(part));
}

/** Words in the names of variables. */
export const variableWords: ReadonlySet<string> = new Set(
  "get set is has on to from with some any this that req res request response param params arg args opt opts option options config settings data form model state props ref str text buf line row col item entry node index count size len file path dir url uri host port type kind mode flag func cb handler callback result output env ctx context email login account person owner member server service cred creds info details attr read load fetch make create build encode decode encrypt decrypt encoded decoded clear cleartext provided supplied entered typed check secure schema column widget box edit view control component validator provider source loader reader store manager digest spec enum array list map token bytes char".split(
    " ",
  ),
);

/** Endings of names in code: `challengePassword`, `password_ptr`. */
const ownEnds: ReadonlySet<string> = new Set(
  "password passwd passphrase token secret key credentials ptr str buf".split(" "),
);

/** Words about secrets and the people who have them. */
export const ownWords: ReadonlySet<string> = new Set(
  "password passwd pwd pass passphrase passcode passwort kennwort contraseña contrasena senha wachtwoord hasło heslo пароль 密码 密碼 口令 パスワード 비밀번호 passe mot de du lösenord adgangskode passord salasana şifre mật khẩu mdp token tokens secret secrets key keys api apikey access auth authentication authorization bearer client private my the a new old current confirm confirmed repeat user username admin root db database app test valid invalid wrong bad good other another value string field input hash hashed encrypted plain raw id name session refresh jwt signing webhook stored saved given hidden temp default initial expected actual random generated your is or and not no".split(
    " ",
  ),
);

/** Words that are never a secret: types, states, methods. */
export const harmlessWords: ReadonlySet<string> = new Set(
  "amd64 arm64 i386 armhf x86_64 aarch64 ppc64el s390x riscv64 aws4-hmac-sha256 str string text varchar char bytes byte buffer int integer number float bool boolean object array list dict map any unknown never void undefined null none nil nan true false yes no on off optional required mandatory nullable readonly literal symbol type enum option some ok okay valid invalid expired missing absent present empty blank unset set found failed failure denied accepted rejected revoked rotated refreshed created deleted removed changed updated saved stored loaded loading pending active inactive enabled disabled default wrong incorrect correct weak strong short long bearer basic digest oauth oauth2 jwt opaque saml openid ldap kerberos ntlm negotiate apikey hs256 hs512 rs256 es256 eddsa sha256 sha512 sha1 md5 bcrypt argon2 scrypt base64 base32 utf8 utf-8 ascii ed25519 rsa2048 rsa4096 aes256 aes128 x25519 hidden masked redacted secret password token example sample prompt ask keychain keyring env environment vault file stdin input interactive manual automatic auto inherit self this test tests testing todo localhost postgres mysql guest identifier comma keyword operator punctuation whitespace comment ident eof newline on_create equals continue abort ignore skip never always only must should cannot click please see read write admin:admin".split(
    " ",
  ),
);
