import { valueOr } from "../../base/result.ts";
import { secretName } from "../secrets/secret-name.ts";
import { looksRandom } from "../secrets/value-shape.ts";
import { vendorTokens } from "../secrets/vendor-tokens.ts";

/** Why a URL would expose a secret to the host, its logs and every proxy on the way. */
export function secretInUrl(url: URL): string | undefined {
  for (const [name, value] of parametersOf(url)) {
    if (isSecret(name, value)) return `its parameter ${name} looks like a secret`;
    // A URL in a parameter is sent too: https://a.example/?next=https://b.example/?token=…
    const inner = /^https?:\/\//iu.test(value) && URL.canParse(value) ? parametersOf(new URL(value)) : [];
    const leak = inner.find((each) => isSecret(...each));
    if (leak) return `the URL in its parameter ${name} has a secret, ${leak[0]}`;
  }
  const whole = decoded(url.href);
  const key = vendorTokens(whole)
    .map(({ start, end }) => whole.slice(start, end))
    .find((token) => !isSlug(token));
  return key === undefined ? undefined : `it contains what looks like a key (${key.slice(0, 6)}…)`;
}

/** Whether the URL is a signed, temporary link to one resource. */
export function isSignedLink(url: URL): boolean {
  return parametersOf(url).some(([name, value]) => value !== "" && signatures.has(plain(name)));
}

function parametersOf(url: URL): [name: string, value: string][] {
  return [...url.searchParams, ...new URLSearchParams(url.hash.slice(1))];
}

function isSecret(name: string, value: string): boolean {
  if (value === "") return false;
  const word = plain(name);
  if (word.startsWith("xamz") || signatures.has(word)) return true;
  if (switches.has(value.toLowerCase())) return false;
  if (keys.has(word) || word.endsWith("signature")) return true;
  const strength = secretName(name);
  return strength === "hint" || unclear.has(word) ? looksRandom(value, 16) : strength !== undefined;
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

/** Ambiguous names: the value decides. */
const unclear: ReadonlySet<string> = new Set(
  "key code session sid sessionid appid apikeys secrets passwords".split(" "),
);

const switches: ReadonlySet<string> = new Set(["true", "false", "yes", "no", "on", "off", "none", "null"]);

/** Words joined by hyphens, as in titles: `sk-learn-for-beginners-1a2b3c4d`. */
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
