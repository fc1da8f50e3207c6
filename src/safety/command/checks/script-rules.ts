import { words } from "../../../base/text/words.ts";
import { type Fact, path, rule } from "../fact.ts";
import { pureOutput } from "../output/pure-output.ts";
import { killRule } from "../programs/machine.ts";
import { readOptions } from "../programs/options.ts";
import { programName } from "../programs/program-name.ts";
import { type Field, hole, literal, unknown } from "../shell/field.ts";
import type { SimpleCommand } from "../shell/simple-command.ts";
import { readShell, shellNames } from "../wrappers/shells.ts";
import { isDecoding } from "./hidden-code.ts";
import { resolvePathText } from "./path-rules.ts";
import { isFromArchive, type UnpackedArchive, unpackedArchive } from "./unpacked-archives.ts";

export interface ScriptFact {
  readonly ran: SimpleCommand;
  readonly fact: Fact;
}

/**
 * Finds dangers that arise from several commands together: a downloaded file that is run, or a file that is made
 * executable and run.
 */
export function scriptFacts(commands: readonly SimpleCommand[]): readonly ScriptFact[] {
  const [only] = commands;
  if (only && commands.length === 1) return fileFacts(only);
  const facts: ScriptFact[] = [];
  const downloads = new Map<string, Field>();
  const executables = new Map<string, Field>();
  const decodedFiles = new Set<string>();
  const decodedTexts = new Set<string>();
  const clones: string[] = [];
  const archives: UnpackedArchive[] = [];
  let hasFoundKeys = false;
  const searches: SimpleCommand[] = [];
  let hasDumped = false;
  let hasRead = false;
  for (const ran of commands) {
    const name = programName(ran.argv[0]);
    if (name === undefined) continue;
    const file = mayRunFile(ran, name) ? fileThatRuns(ran, name) : undefined;
    if (file) {
      const whole = resolvePathText(file.text, ran.cwd);
      if (!/\/\.env/u.test(whole)) facts.push({ ran, fact: path("read", file) });
      if (clones.some((folder) => whole === folder || whole.startsWith(`${folder}/`)))
        facts.push({ ran, fact: rule("remote_code", file) });
      const download = downloads.get(whole);
      const given = executables.get(whole);
      if (download) facts.push({ ran, fact: rule("remote_code", download, file) });
      if (given) facts.push({ ran, fact: rule("made_executable", given, file) });
      if (archives.some((each) => isFromArchive(each, whole, file === ran.argv[0])))
        facts.push({ ran, fact: rule("remote_code", file) });
      if (decodedFiles.has(whole)) facts.push({ ran, fact: rule("hidden_code", ...ran.argv) });
    }
    const code = decodedTexts.size > 0 ? codeOf(ran, name) : undefined;
    if (code !== undefined && decodedTexts.has(code.trim()))
      facts.push({ ran, fact: rule("hidden_code", ...ran.argv) });
    if (isDecoding(ran, name)) {
      const written = ran.redirections.flatMap(({ how, target }) => (how === "read" ? [] : [target]));
      for (const target of written) decodedFiles.add(resolvePathText(target.text, ran.cwd));
      const text = pureOutput({ ...ran, redirections: [] })?.trim();
      if (text !== undefined && text !== "") decodedTexts.add(text);
    }
    const clone = clonedFolder(ran, name);
    if (clone !== undefined) clones.push(resolvePathText(clone, ran.cwd));
    if (hasFoundKeys && showing.has(name) && ran.argv.some(({ text }) => text.includes(hole)))
      facts.push({ ran, fact: rule("secret_read", ...ran.argv) });
    const isFinding = name === "find" || name === "fd" || name === "locate";
    hasFoundKeys ||= isFinding && ran.argv.some(({ text }) => keyName.test(text));
    // A certificate in a project is usually a test fixture.
    hasFoundKeys ||=
      isFinding &&
      ran.argv.some(({ text }) => keyEnding.test(text)) &&
      ran.argv.slice(1, 4).some(({ text }) => /^\/(?:$|home|root|etc|Users|var|opt|srv)/u.test(text));
    const archive = unpackedArchive(ran, name, (each) => downloads.has(each), isDownloader);
    if (archive) archives.push(archive);
    for (const target of fetched(ran, name)) downloads.set(resolvePathText(target.text, ran.cwd), target);
    for (const target of madePrograms(ran, name)) executables.set(resolvePathText(target.text, ran.cwd), target);
    if (name === "kill" && searches.length > 0 && ran.argv.slice(1).some(({ text }) => text.includes(hole)))
      facts.push({ ran, fact: rule(killRule(searches), ...ran.argv) });
    const isSearch = name === "pgrep" || name === "pidof" || name === "ps";
    if (isSearch || (name === "cat" && ran.argv.some(({ text }) => /\/\.hermes\/.*\.pid$/u.test(text))))
      searches.push(ran);
    if (hasRead && sendsUnknown(ran, name)) facts.push({ ran, fact: rule("exfiltration", ...ran.argv) });
    hasRead ||= ran.argv.some(({ text }, index) => index > 0 && text.startsWith("/") && isSystemFile.test(text));
    if (hasDumped && /^(?:curl|wget|nc|http|https|xh)$/u.test(name) && ran.argv.some(({ text }) => text.includes(hole)))
      facts.push({ ran, fact: rule("exfiltration", ...ran.argv) });
    hasDumped ||= (name === "env" || name === "printenv" || name === "set") && ran.argv.length === 1;
    if (name === "mv" || name === "cp") carryOver(ran, downloads, executables);
  }
  return facts;
}

/** The file that a single command runs. */
function fileFacts(ran: SimpleCommand): readonly ScriptFact[] {
  const name = programName(ran.argv[0]);
  const file = name !== undefined && mayRunFile(ran, name) ? fileThatRuns(ran, name) : undefined;
  const isRead = file && !/\/\.env/u.test(resolvePathText(file.text, ran.cwd));
  return isRead ? [{ ran, fact: path("read", file) }] : [];
}

const showing: ReadonlySet<string> = new Set(
  words(
    "cat head tail less more base64 xxd od strings cp tar zip curl scp rsync grep bat nl tac hexdump openssl mv ln",
  ),
);
const keyName = /(?:^|\/|\*)(?:id_(?:rsa|dsa|ecdsa|ed25519)|credentials|\.netrc|\.pgpass|\.npmrc|\.aws|\.ssh)\*?$/u;

const keyEnding = /^\*?\.(?:pem|key|p12|pfx|jks|kdbx|ppk|keystore|ovpn)$/iu;

const versionControl: ReadonlySet<string> = new Set(words("git hg svn jj bzr"));

/** Returns the folder that `git clone` and similar commands create. */
export function clonedFolder({ argv }: SimpleCommand, name: string): string | undefined {
  if (!versionControl.has(name)) return undefined;
  const { operands } = readOptions(argv.slice(1), { short: "bcCjo", long: ["branch", "depth", "origin", "config"] });
  const [verb, url, folder] = operands;
  if (
    !/^(?:clone|checkout|co|export)$/u.test(verb?.text ?? "") ||
    !/^\w+:\/\/|^[\w.-]+@[\w.-]+:/u.test(url?.text ?? "")
  )
    return undefined;
  return folder?.text ?? lastPart(url ?? unknown).text.replace(/\.git$/u, "");
}

const isSystemFile = /^\/(?:etc|root|proc|var\/log)\/./u;

/** Returns the text that a command runs as code: `eval "$(…)"`, `sh -c "$(…)"`. */
function codeOf({ argv }: SimpleCommand, name: string): string | undefined {
  if (name === "eval")
    return argv
      .slice(1)
      .map(({ text }) => text)
      .join(" ");
  return shellNames.has(name) ? readShell(argv.slice(1)).code?.text : undefined;
}

/** Returns whether the command sends an unknown text, such as the output of another command. */
function sendsUnknown({ argv }: SimpleCommand, name: string): boolean {
  // A DNS lookup sends the name to the owner of the domain.
  if (/^(?:dig|nslookup|host)$/u.test(name)) return argv.some(({ text }) => text.includes(hole));
  if (name !== "curl") return false;
  return argv.some(
    ({ text }, index) =>
      text.includes(hole) && /^(?:-d|-F|--data.*|--form.*|--json)$/u.test(argv[index - 1]?.text ?? ""),
  );
}

/** A quick check that excludes programs that run no file. */
function mayRunFile({ argv: [first] }: SimpleCommand, name: string): boolean {
  return first?.text.includes("/") === true || shellNames.has(name) || fileRunners.has(name);
}

const fileRunners: ReadonlySet<string> = new Set(
  words("source . python node ruby perl php lua deno bun tsx ts-node dpkg rpm installer msiexec apt-get dnf java"),
);

/** Returns the script that a shell or interpreter runs, or the program file itself. */
export function fileThatRuns(ran: SimpleCommand, name: string): Field | undefined {
  const first = ran.argv[0];
  if (first && first.text.includes("/")) return first;
  const args = ran.argv.slice(1);
  if (shellNames.has(name))
    return readShell(args).operands[0] ?? ran.redirections.find(({ how }) => how === "read")?.target;
  if (name === "source" || name === ".") return args[0];
  if (/^(?:python|node|ruby|perl|php|lua|deno|bun|tsx|ts-node)$/u.test(name))
    return readOptions(args, { short: "cemWXr", isPrefix: true }).operands.find(({ text }) => text !== "run");
  if (/^(?:dpkg|rpm|installer|msiexec|apt-get|dnf)$/u.test(name))
    return args.find(({ text }) => /\.(?:deb|rpm|pkg|msi)$/u.test(text));
  return name === "java" && args[0]?.text === "-jar" ? args[1] : undefined;
}

const fetchOptions = words("output output-document header user-agent data request directory-prefix out output-dir");

/** Returns the files that this command downloads. */
export function fetched(ran: SimpleCommand, name: string): readonly Field[] {
  if (name === "scp" || name === "sftp") {
    const operands = readOptions(ran.argv.slice(1), { short: "cDFiJloPSX" }).operands;
    return operands
      .slice(0, -1)
      .filter(({ text }) => /^[^/]+:/u.test(text))
      .map(lastPart);
  }
  const copied = copiedFromStorage(ran, name);
  if (copied.length > 0) return copied;
  if (!isDownloader(name)) {
    // Handles `cat <(curl …) > file` and `curl … | tee file`.
    const isFed = ran.stdin.from.some(({ argv: [from] }) => isDownloader(programName(from) ?? ""));
    if (!isFed) return [];
    const written = ran.redirections.flatMap(({ how, target }) => (how === "read" ? [] : [target]));
    return name === "tee" ? [...readOptions(ran.argv.slice(1)).operands, ...written] : written;
  }
  const { values, has, operands } = readOptions(ran.argv.slice(1), {
    short: name === "curl" ? "AbcCdDeEFHKmoPQrtTuUwxXyYz" : "oOaPiTtUe",
    long: fetchOptions,
  });
  const named = [
    ...values("o", "O", "output", "output-document", "out"),
    ...ran.argv.filter((_, index) => /^-outfile$/iu.test(ran.argv[index - 1]?.text ?? "")),
  ];
  const written = ran.redirections.flatMap(({ how, target }) => (how === "read" ? [] : [target]));
  const isByUrl = name === "curl" ? has("O", "remote-name", "remote-name-all", "J") : named.length === 0;
  const folder = name === "wget" ? values("P", "directory-prefix").at(-1) : values("output-dir").at(-1);
  const byUrl = isByUrl ? operands.map(lastPart) : [];
  const placed = folder ? byUrl.map((file) => ({ ...file, text: `${folder.text}/${file.text}` })) : byUrl;
  return [...named, ...written, ...placed];
}

/** Handles `aws s3 cp s3://bucket/x.sh .`, `rsync host:x.sh .` and `gh release download -p x.sh`. */
function copiedFromStorage({ argv }: SimpleCommand, name: string): readonly Field[] {
  if (name === "gh" && argv[1]?.text === "release" && argv[2]?.text === "download")
    return readOptions(argv.slice(3), { short: "pODRA", long: ["pattern", "output", "dir", "repo", "archive"] }).values(
      ...words("p pattern O output"),
    );
  if (!storageClients.has(name)) return [];
  const { operands } = readOptions(argv.slice(1), { short: "ef", long: ["rsh", "profile", "region", "exclude"] });
  const target = operands.at(-1);
  const sources = operands.slice(0, -1).filter(({ text }) => /^(?:\w+:\/\/|[\w.@-]+:(?!\/\/))/u.test(text));
  if (!target || sources.length === 0 || /^\w+:\/\//u.test(target.text)) return [];
  const isFolder = /(?:^|\/)\.{0,2}$/u.test(target.text);
  const folder = target.text.replace(/\/$/u, "");
  return [
    ...(isFolder ? [] : [target]),
    ...sources.map(lastPart).map((file) => ({ ...file, text: `${folder}/${file.text}` })),
  ];
}

const storageClients: ReadonlySet<string> = new Set(words("aws gsutil gcloud rclone rsync mc s3cmd s5cmd azcopy"));

export function isDownloader(name: string): boolean {
  return fetchers.has(name);
}

const fetchers: ReadonlySet<string> = new Set(
  words("curl wget http https xh aria2c fetch lynx nc wget2 axel iwr irm invoke-webrequest invoke-restmethod"),
);

function lastPart(url: Field): Field {
  return {
    ...url,
    text:
      url.text
        .replace(/[?#].*$/u, "")
        .split(/[/:]/u)
        .at(-1) ?? hole,
  };
}

function madePrograms(ran: SimpleCommand, name: string): readonly Field[] {
  if (name !== "chmod") return [];
  const { operands } = readOptions(ran.argv.slice(1), { long: ["reference"] });
  const isRunning = /x|^[0-7]?[1357][0-7]{2}$/u.test(operands[0]?.text ?? "");
  return isRunning ? operands.slice(1) : [];
}

function carryOver(ran: SimpleCommand, ...maps: readonly Map<string, Field>[]): void {
  const [from, to] = readOptions(ran.argv.slice(1)).operands;
  if (!from || !to) return;
  for (const map of maps) {
    const field = map.get(resolvePathText(from.text, ran.cwd));
    if (field && literal(to) !== undefined) map.set(resolvePathText(to.text, ran.cwd), field);
  }
}
