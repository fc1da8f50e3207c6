import { valueOr } from "../../base/result.ts";
import { secretName } from "../secrets/secret-name.ts";
import { isPlaceholder, looksRandom } from "../secrets/value-shape.ts";
import { vendorTokens } from "../secrets/vendor-tokens.ts";

/** Returns why a URL would expose a secret to the host, its logs and every proxy on the way. */
export function secretInUrl(url: URL): string | undefined {
  for (const [name, value] of parametersOf(url)) {
    if (isSecret(name, value)) return `its parameter ${name} looks like a secret`;
    // A URL in a parameter is sent too: https://a.example/?next=https://b.example/?token=…
    const inner = /^https?:\/\//iu.test(value) && URL.canParse(value) ? parametersOf(new URL(value)) : [];
    const leak = inner.find((each) => isSecret(...each));
    if (leak) return `the URL in its parameter ${name} has a secret, ${leak[0]}`;
  }
  return keyIn(url, () => true);
}

/** Matches a vendor's key in a URL, except keys that sites show to every visitor (maps, payment forms). */
export function privateKeyInUrl(url: URL): string | undefined {
  return keyIn(url, (token) => !/^(?:AIza|pk_(?:live|test)_|pk\.)/u.test(token));
}

function keyIn(url: URL, isPrivate: (token: string) => boolean): string | undefined {
  const whole = decoded(url.href);
  const key = vendorTokens(whole)
    .map(({ start, end }) => whole.slice(start, end))
    .find((token) => !isSlug(token) && isPrivate(token));
  return key === undefined ? undefined : `it contains what looks like a key (${key.slice(0, 6)}…)`;
}

/** Returns whether the URL is a signed, temporary link to one resource. */
export function isSignedLink(url: URL): boolean {
  return parametersOf(url).some(([name, value]) => value !== "" && isSignature(plain(name), value));
}

/** Returns the parameters of the query, the fragment and the path, with `&` or `;` between them. */
function parametersOf(url: URL): [name: string, value: string][] {
  const path = url.pathname.split("/").flatMap((part) => part.split(";").slice(1));
  const pieces = [url.search.slice(1), url.hash.slice(1)].flatMap((part) => [part, ...part.split(";").slice(1)]);
  return [...pieces, ...path]
    .flatMap((piece) => [...new URLSearchParams(piece)])
    .map(([name, value]) => [
      name,
      // Excludes a second parameter after `;`, because a value may contain `;`.
      /;[\w.[\]-]+=/u.test(value) ? value.slice(0, value.indexOf(";")) : value,
    ]);
}

/** The name `sig` can also mean a group, an algorithm or a number. */
function couldBeSignature(value: string): boolean {
  if (/^(?:rsa|dsa|ecdsa|ed\d+|hmac|sha|md5|v\d|none$)/iu.test(value) && value.length < 24) return false;
  return (
    /^[\w+/%-]+={1,2}$/u.test(value) ||
    (value.length >= 8 && /\d/u.test(value) && /[A-Za-z]/u.test(value)) ||
    looksRandom(value, 16)
  );
}

function isSecret(name: string, value: string): boolean {
  if (value === "" || standsIn(value)) return false;
  const word = plain(name);
  if (word.startsWith("xamz")) return true;
  if (switches.has(value.toLowerCase())) return false;
  if (isSignature(word, value)) return true;
  if (word === "sig") return false;
  if (keys.has(word) || word.endsWith("signature")) return true;
  const strength = secretName(name);
  return strength === "hint" || unclear.has(word) ? looksRandom(value, 16) : strength !== undefined;
}

/** `YOUR_API_KEY`, `${API_KEY}`, `<token>`: a name in the place of a value. */
function standsIn(value: string): boolean {
  return isPlaceholder(value) && /^[$<{[%]*[A-Za-z_. -]{3,40}[>}\]%]*$/u.test(value) && !looksRandom(value, 12);
}

function isSignature(word: string, value: string): boolean {
  return signatures.has(word) && (word !== "sig" || couldBeSignature(value));
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/gu, "");
}

const signatures: ReadonlySet<string> = new Set([
  "signature",
  "sig",
  "xamzsignature",
  "xgoogsignature",
  "xossignature",
]);

/** Parameter names for secrets, in addition to `secretName`. */
const keys: ReadonlySet<string> = new Set(
  "auth authorization bearer apikey authkey accesskey xapikey xauthtoken sessiontoken awsaccesskeyid ossaccesskeyid googleaccessid xgoogcredential credential".split(
    " ",
  ),
);

/** Ambiguous names, for which the value decides. */
const unclear: ReadonlySet<string> = new Set(
  "key code session sid sessionid appid apikeys secrets passwords".split(" "),
);

const switches: ReadonlySet<string> = new Set(["true", "false", "yes", "no", "on", "off", "none", "null"]);

/** Matches words joined by hyphens, as in titles: `sk-learn-for-beginners-1a2b3c4d`. */
function isSlug(token: string): boolean {
  return token.split("-").filter((part) => /^[a-z]{2,}$/u.test(part)).length >= 3;
}

/** Decodes percent encoding repeatedly, up to a limit. */
function decoded(text: string): string {
  let last = text;
  for (let round = 0; round < 3; round++) {
    const next = decodedOnce(last);
    if (next === last) break;
    last = next;
  }
  return last;
}

function decodedOnce(text: string): string {
  return valueOr(() => decodeURIComponent(text), text);
}
