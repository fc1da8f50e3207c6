import { rule } from "../fact.ts";
import { programName } from "../programs/program-name.ts";
import { isKnown, knownField } from "../shell/field.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import type { ScriptFact } from "./script-rules.ts";

/**
 * Finds commands that send variables with secret names: `curl -d "k=$AWS_SECRET_ACCESS_KEY" …`. `text`: the original
 * text.
 */
export function sentSecrets(commands: readonly SimpleCommand[], text: string): readonly ScriptFact[] {
  if (!secretName.test(text)) return [];
  return commands.flatMap((ran): readonly ScriptFact[] => {
    const name = programName(ran.argv[0]) ?? "";
    if (!/^(?:curl|wget|nc|http|https|xh|telnet|socat|ftp|mail|mailx|sendmail|nslookup|dig|host|ping|ssh)$/u.test(name))
      return [];
    const words = ran.argv.slice(1).filter((word, index) => {
      const option = ran.argv[index]?.text ?? "";
      if (isKnown(word)) return false;
      const raw = written(word, text);
      if (isCredentialOption(option)) return !isCredential(raw, option) && graveName.test(raw);
      return /^(?:-d|-F|--data.*|--form.*|--json|--post-data.*|--body-data.*)/u.test(option) ||
        /^--(?:post|body)-data=/u.test(raw) ||
        !/^\w+:\/\//u.test(raw)
        ? secretName.test(raw)
        : graveName.test(raw);
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
/** Names that always mean a secret. Not used for URLs, where keys of web services are common. */
const graveName = /\$\{?\w*(?:SECRET|PASSW|PRIVATE|CREDENTIAL|AWS_|(?:GITHUB|GH|NPM|GITLAB)_?TOKEN)/iu;

/** Options for credentials of the server that gets the request. */
function isCredentialOption(option: string): boolean {
  return /^(?:-H|--header.*|-u|--user.*|-b|--cookie|--oauth2-bearer|--password.*|--proxy-user|-a|--auth)$/u.test(
    option,
  );
}

/** A header for credentials (`Authorization: …`), or `user:password`. */
function isCredential(raw: string, option: string): boolean {
  return (
    !/^(?:-H|--header|-b|--cookie)/u.test(option) ||
    /^[\w-]*(?:auth|token|key|secret|password)[\w-]*\s*[:=]/iu.test(raw)
  );
}

function written({ at: index }: Pick<SimpleCommand, "at">, text: string): string {
  return index ? text.slice(index.start, index.end).replace(/^["']/u, "") : "";
}
