import { words } from "../../../base/text/words.ts";
import type { Fact } from "../fact.ts";
import { isKnownProgram } from "../programs/program-facts.ts";
import { namesOwnKey } from "../programs/unknown-program.ts";
import type { RuleId } from "../rules.ts";
import type { Field } from "../shell/field.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import { shellNames } from "../wrappers/shells.ts";
import { isSecretFile, type PathPlace, specialFileRule } from "./known-paths.ts";
import { resolvePathText } from "./path-rules.ts";

interface NamedFile {
  readonly rule: RuleId;
  readonly word: Field;
}

/**
 * Finds key files and start-up files among arguments that the table of the program does not cover: `logger -f KEY`,
 * `nmap -oN ~/.bashrc`. Any program may read or write a file that it is given.
 */
export function namedFileRules(
  ran: SimpleCommand,
  name: string,
  facts: readonly Fact[],
  place: PathPlace,
): readonly NamedFile[] {
  // Fast path: nearly all commands mention no such file.
  if (!ran.argv.some(isHidden)) return noFiles;
  const named: NamedFile[] = [];
  for (let index = 1; index < ran.argv.length; index++) {
    const word = ran.argv[index];
    if (!word || !isHidden(word)) continue;
    const rule = ruleFor(ran, name, index, facts, place);
    if (rule !== undefined) named.push({ rule, word });
  }
  return named;
}

const noFiles: readonly NamedFile[] = [];

/** Key files and start-up files have a hidden name or are in a hidden folder. */
function isHidden({ text }: Field): boolean {
  return text.includes("/.");
}

function ruleFor(
  { argv, cwd }: SimpleCommand,
  name: string,
  index: number,
  facts: readonly Fact[],
  place: PathPlace,
): RuleId | undefined {
  const word = argv[index]?.text ?? "";
  const before = argv[index - 1]?.text ?? "";
  if (codeOption.test(before) && keyInCode.test(word) && !shellNames.has(name)) return "secret_read";
  const [, attached, file] = /^(--?[\w-]+?=?|@|\w+=)?(?:file:\/\/)?(\/[^\s:]+)$/u.exec(word) ?? [];
  if (file === undefined || onlyNames.has(name)) return undefined;
  const uses = facts
    .filter((fact) => fact.kind !== "rule" && fact.kind !== "code")
    .filter((fact) => fact.path && word.endsWith(fact.path.text));
  // The assumption that an unknown program reads its operands may be wrong.
  if (uses.some((use) => use.kind === "send" || use.how !== "read") || (uses.length > 0 && isKnownProgram(name)))
    return undefined;
  const option = (attached ?? (index > 1 ? before : "")).replace(/^(-\w|--[\w-]+|-[\w-]+|\w+)=?$/u, "$1");
  const path = resolvePathText(file, cwd);
  if (isSecretFile(path, place) && !/\/\.env/u.test(path))
    return namesOwnKey(option) || shortKeys.get(name) === option || uses.length > 0 ? undefined : "secret_read";
  if (!option.startsWith("-") || readsSettings.test(option)) return undefined;
  if (belongsTo(path, name) || inspecting.test(name)) return undefined;
  const rule = specialFileRule(path, place);
  return rule === "user_secret" || rule === "persistence" ? rule : undefined;
}

/** Short options for the key that the program itself uses. */
const shortKeys: ReadonlyMap<string, string> = new Map([
  ...words("ssh scp sftp mosh sshfs autossh sshpass ssh-copy-id").map((name): [string, string] => [name, "-i"]),
  ["curl", "-E"],
  ["mvn", "-s"],
]);

/** Options for a settings file, which the program only reads. */
const readsSettings = /^(?:-[cuK]|--?(?:rcfile|init-file|[\w-]*config[\w-]*|source|load|include|diff|compare))$/u;

/** Handles `tmux -f ~/.tmux.conf`: the program's own settings. */
function belongsTo(path: string, name: string): boolean {
  return name.length > 1 && path.slice(path.lastIndexOf("/.")).includes(name);
}

const inspecting = /lint|check|fmt|test|valid|diff|cmp|grep|cat|view|show|stat|scan|list|audit/u;

const codeOption = /^(?:-[eEcqx]|--?(?:eval|exec|expr|expression|execute|command|code|batch|query)|eval)$/u;

/** Matches a key file inside code of any language. */
const keyInCode =
  /(?:\/home\/[^/\s'"]+|\/root|\/Users\/[^/\s'"]+|~|\$HOME)\/\.(?:ssh\/id_|aws\/credentials|gnupg\/|netrc|git-credentials|kube\/config|docker\/config\.json|pgpass)/u;

/** Programs that only use the name or the attributes of a file, or that manage keys themselves. */
const onlyNames: ReadonlySet<string> = new Set(
  words(`
  echo printf print say info type which whereis hash cd pushd popd dirs test [ [[ let expr export declare typeset
  local readonly unset alias set trap eval exec env read basename dirname realpath readlink ls ll la exa eza lsd tree
  stat file wc du df find fd fdfind locate lsof chmod chown chgrp touch mkdir rmdir rm source . bash sh zsh dash ksh
  ssh-add ssh-agent ssh-copy-id ssh-keygen ssh-keyscan cksum md5sum sha1sum sha256sum sha512sum shasum b2sum md5 kubectx
`),
);
