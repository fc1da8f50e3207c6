import { rule } from "../fact.ts";
import { programName } from "../programs/program-name.ts";
import { hole, isKnown, knownField } from "../shell/field.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import type { ScriptFact } from "./script-rules.ts";

/**
 * Finds commands that send variables with secret names: `curl -d "k=$AWS_SECRET_ACCESS_KEY" …`. `text` is the original
 * text.
 */
export function sentSecrets(commands: readonly SimpleCommand[], text: string): readonly ScriptFact[] {
  if (!text.includes("$") || !secretName.test(text)) return [];
  return commands.flatMap((ran): readonly ScriptFact[] => {
    const name = programName(ran.argv[0]) ?? "";
    if (!/^(?:curl|wget|nc|http|https|xh|telnet|socat|ftp|mail|mailx|sendmail|nslookup|dig|host|ping|ssh)$/u.test(name))
      return [];
    const words = ran.argv.slice(1).filter((word, index) => {
      const option = ran.argv[index]?.text ?? "";
      if (isKnown(word)) return false;
      const raw = written(word, text);
      if (isForOthers(raw, hostOf(ran))) return true;
      if (isCredentialOption(option)) return !isCredential(raw, option) && graveName.test(raw);
      return /^(?:-d|-F|--data.*|--form.*|--json|--post-data.*|--body-data.*)/u.test(option) ||
        /^--(?:post|body)-data=/u.test(raw) ||
        !/^\w+:\/\//u.test(raw)
        ? secretName.test(raw)
        : graveName.test(raw) || isInPath(raw);
    });
    const piped = ran.stdin.from.flatMap(({ argv }) =>
      argv.slice(1).filter((word) => !isKnown(word) && secretName.test(written(word, text))),
    );
    // The text of a here-string is an argument of the command.
    const [, given = ""] = /<<<\s*(\S+)/u.exec(written(ran, text)) ?? [];
    const all = [...words, ...piped, ...(secretName.test(given) ? [knownField(given)] : [])];
    return all.length === 0 ? [] : [{ ran, fact: rule("exfiltration", ...ran.argv.slice(0, 1), ...all) }];
  });
}

const secretName = /\$\{?\w*(?:TOKEN|SECRET|PASSW|API_?KEY|PRIVATE|CREDENTIAL|ACCESS_KEY)/iu;
/** Variable names that always mean a secret. Not used for URLs, where keys of web services are common. */
const graveName = /\$\{?\w*(?:SECRET|PASSW|PRIVATE|CREDENTIAL|AWS_|(?:GITHUB|GH|NPM|GITLAB)_?TOKEN)/iu;

/** Services whose keys have a well-known name, with a part of their host names. */
const services: readonly (readonly [name: string, host: RegExp])[] = [
  ["OPENAI", /openai|azure|openrouter/u],
  ["ANTHROPIC|CLAUDE", /anthropic|claude|openrouter/u],
  ["OPENROUTER", /openrouter/u],
  ["AWS", /amazonaws|aws/u],
  ["GITHUB|GH|GITLAB|CI_JOB", /git|ghe/u],
  ["NPM", /npm/u],
  ["PYPI|TWINE", /pypi/u],
  ["GOOGLE|GCP|GEMINI", /google|goog/u],
  ["AZURE", /azure|microsoft|windows\.net/u],
  ["HF|HUGGINGFACE|HUGGING_FACE", /huggingface|hf\.co/u],
  ["SLACK", /slack/u],
  ["STRIPE", /stripe/u],
  ["CLOUDFLARE|CF", /cloudflare/u],
];

const serviceVariable = /\$\{?([A-Z][A-Z_]*?)_(?:\w*_)?(?:API_?KEY|TOKEN|SECRET\w*|ACCESS_KEY\w*|PASSWORD)\b/gu;

/** Returns whether the key of one service is sent to the host of another one. */
function isForOthers(raw: string, host: string | undefined): boolean {
  if (host === undefined) return false;
  return [...raw.matchAll(serviceVariable)].some(([, name = ""]) => {
    const service = services.find(([names]) => new RegExp(`^(?:${names})(?:_|$)`, "u").test(name));
    return service !== undefined && !service[1].test(host);
  });
}

/** Returns the host of the URL among the arguments, unless it is unknown or this machine. */
function hostOf({ argv }: SimpleCommand): string | undefined {
  for (const { text } of argv.slice(1)) {
    const [, host] = /^(?:https?|ftps?):\/\/(?:[^/@]*@)?([^/:?#]+)/iu.exec(text) ?? [];
    if (host !== undefined)
      return host.includes(hole) ||
        /^(?:localhost|127\.|0\.0\.0\.0|10\.|192\.168\.|\[)|\.(?:local|internal|test|lan)$/u.test(host)
        ? undefined
        : host.toLowerCase();
  }
  return undefined;
}

/**
 * Returns whether a secret is part of the path of a URL and its name contains no word of the host
 * (`$TELEGRAM_BOT_TOKEN`).
 */
function isInPath(raw: string): boolean {
  const [, host = "", path = ""] = /^\w+:\/\/(?:[^/@]*@)?([^/?#]*)([^?#]*)/u.exec(raw) ?? [];
  if (host === "" || host.includes("$") || /^(?:localhost|127\.)/u.test(host) || !secretName.test(path)) return false;
  const names = [...path.matchAll(/\$\{?(\w+)/gu)].map(([, name = ""]) => name.toLowerCase());
  return names.some(
    (name) =>
      secretName.test(`$${name}`) &&
      !name
        .split("_")
        .some(
          (part) =>
            part.length > 2 && !/^(?:api|key|token|secret|bot|access|app|auth)$/u.test(part) && host.includes(part),
        ),
  );
}

/** Options for the credentials of the server that gets the request. */
function isCredentialOption(option: string): boolean {
  return /^(?:-H|--header.*|-u|--user.*|-b|--cookie|--oauth2-bearer|--password.*|--proxy-user|-a|--auth)$/u.test(
    option,
  );
}

/** Matches a header for credentials (`Authorization: …`), or `user:password`. */
function isCredential(raw: string, option: string): boolean {
  return (
    !/^(?:-H|--header|-b|--cookie)/u.test(option) ||
    /^[\w-]*(?:auth|token|key|secret|password)[\w-]*\s*[:=]/iu.test(raw)
  );
}

function written({ at: index }: Pick<SimpleCommand, "at">, text: string): string {
  return index ? text.slice(index.start, index.end).replace(/^["']/u, "") : "";
}
