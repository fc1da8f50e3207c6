import { isInside } from "../../base/files/path.ts";
import type { PolicyRequest } from "../../contracts/safety/approval.ts";
import { describeTextSource, type TextSource } from "../../contracts/safety/text-source.ts";
import { describeEffect, type Effect } from "../../contracts/tool/effect.ts";
import { isDownloader } from "../command/checks/script-rules.ts";
import { programFacts } from "../command/programs/program-facts.ts";
import { programName } from "../command/programs/program-name.ts";
import { hole, displayText } from "../command/shell/field.ts";
import type { SimpleCommand } from "../command/shell/simple-command.ts";
import { askOnce, askPerSession, type SubjectAsk } from "./approvals/question.ts";
import type { UsedFile } from "./files/file-uses.ts";
import type { FilePlace } from "./files/path-lists.ts";

/**
 * Returns questions that arise because the model read untrusted text: storing something for later or sending data then
 * needs a person's approval, despite other rules. After text that looks like an attack, so do network use and reading
 * outside the workspace. `commands`: all commands of the call; `reads`: sources of the texts that it would show.
 */
export function taintAsks(
  { tainted, effects, callId, tool }: PolicyRequest,
  commands: readonly SimpleCommand[],
  reads: readonly TextSource[],
): readonly SubjectAsk[] {
  if (tainted.length === 0) return [];
  const isSuspect = tainted.some(({ kind }) => kind === "suspect");
  const line = ({ argv }: SimpleCommand) => argv.map(displayText).join(" ");
  const sending = commands.filter(sendsOut);
  // Sending files to a page needs approval each time.
  const sendsFiles = effects.some(({ kind }) => kind === "read");
  const ownPage = isSuspect || sendsFiles ? [] : effects.filter(isOnPage);
  const others = ownPage.filter((effect) => !tainted.every((source) => isTextOf(source, effect.url)));
  const pageAsks = others.map(({ url }) => {
    const sources = tainted.map(describeTextSource).join(", ");
    const message = `${tool} sends to the page ${url} after reading ${sources}; an approval applies to this page and session`;
    return askPerSession(askOnce(`tainted page ${url}`, { rule: "tainted", message }), url);
  });
  const done = [
    ...effects
      .filter((effect) => !ownPage.includes(effect as PageEffect))
      .filter((effect) => isOutward(effect) || (isSuspect && isRemote(effect)))
      .map(describeEffect),
    ...sending.map((ran) => `sends with ${line(ran)}`),
    ...(isSuspect
      ? [
          ...commands.filter((ran) => !sending.includes(ran) && usesNetwork(ran)).map((ran) => `runs ${line(ran)}`),
          ...reads.filter(({ kind }) => kind === "file").map(({ name }) => `reads ${name}`),
        ]
      : []),
  ];
  if (done.length === 0) return pageAsks;
  const message = `${tool} ${done.join(", ")} after reading ${tainted.map(describeTextSource).join(", ")}`;
  return [...pageAsks, askOnce(`tainted ${callId}`, { rule: "tainted", message })];
}

type PageEffect = Extract<Effect, { readonly kind: "network" }>;

/**
 * Returns questions about clicks and typing on the open page. Every page is untrusted text, and asking for each click
 * would only train people to approve. Therefore the use of a site needs approval once, like any connection, and again
 * if the turn also read another untrusted text.
 */
function isOnPage(effect: Effect): effect is PageEffect {
  return effect.kind === "network" && effect.isPage === true && effect.sends === true;
}

/** Returns whether the text came from the site itself. */
function isTextOf({ kind, name }: TextSource, url: string): boolean {
  return kind === "web" && URL.canParse(name) && URL.canParse(url) && new URL(name).host === new URL(url).host;
}

function isOutward(effect: Effect): boolean {
  if (effect.kind === "network") return effect.sends === true || carriesWords(effect.url);
  return effect.kind === "state" || effect.kind === "message" || effect.kind === "opaque";
}

function isRemote(effect: Effect): boolean {
  return effect.kind === "network" && !isHere(effect.url);
}

function usesNetwork(ran: SimpleCommand): boolean {
  const words = ran.argv.slice(1).map(({ text }) => text);
  if (fetchedFrom(ran).length > 0) return true;
  const operands = words.filter((word) => !word.startsWith("-")).join(" ");
  return downloading.get(programName(ran.argv[0]) ?? "")?.test(operands) === true;
}

/** Programs that download something, with the operands that do it. */
const downloading: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    git: /\b(?:clone|fetch|pull|ls-remote|remote update|submodule (?:add|update))\b/u,
    "npm pnpm yarn bun composer":
      /^(?:$|(?:i|install|add|ci|up|update|upgrade|exec|x|dlx|create|init|require|view|search)\b)/u,
    "npx bunx pnpx uvx pipx": /./u,
    "pip pip3 poetry uv gem bundle": /\b(?:install|download|sync|add|update|lock)\b/u,
    "cargo go": /^(?:add|fetch|install|update|get|mod download|search)\b/u,
    "docker podman": /^(?:compose )?(?:image )?(?:pull|run|build|login|search)\b/u,
    "apt apt-get dnf yum apk brew pacman": /./u,
    "ping traceroute host whois": /./u,
  }).flatMap(([names, shape]) => names.split(" ").map((name) => [name, shape] as const)),
);

/** Returns whether the command sends data to another machine. */
function sendsOut(ran: SimpleCommand): boolean {
  const name = programName(ran.argv[0]) ?? "";
  if (programFacts(ran).some((fact) => fact.kind === "send" && !isHere(fact.to.text))) return true;
  const words = ran.argv.slice(1).map(({ text }) => text);
  if (isDownloader(name) && words.some(carriesWords)) return true;
  return sending.get(name)?.test(words.filter((word) => !word.startsWith("-")).join(" ")) === true;
}

/** Programs that send data, with the operands that do it. */
const sending: ReadonlyMap<string, RegExp> = new Map([
  ["git", /^(?:\S+ )?(?:push|send-email)\b/u],
  ["gh", /^(?:(?:pr|issue|gist|release|repo|discussion) (?:create|comment|edit|review|upload|close|merge)|api)\b/u],
  ["glab", /^(?:mr|issue|snippet) (?:create|note|update)\b/u],
  ["ssh", /./u],
  ["scp", /:/u],
  ["sftp", /./u],
  ["rsync", /[^/]:/u],
  ["ftp", /./u],
  ["telnet", /./u],
  ["nc", /./u],
  ["ncat", /./u],
  ["socat", /./u],
  ["mail", /./u],
  ["mailx", /./u],
  ["mutt", /./u],
  ["sendmail", /./u],
  ["msmtp", /./u],
  ["dig", /./u],
  ["nslookup", /./u],
  ["npm", /^publish\b/u],
  ["docker", /^(?:image )?push\b/u],
]);

/** Returns whether a URL is long enough to contain data. */
function carriesWords(text: string): boolean {
  if (!/^(?:\w+:\/\/|[\w.-]+\.[a-z]{2,}(?:[/:?]|$))/iu.test(text) || isHere(text)) return false;
  const [, query = ""] = /[?#](.*)$/su.exec(text) ?? [];
  return text.includes(hole) || query.length > shortQuery;
}

const shortQuery = 60;

function isHere(address: string): boolean {
  return /^(?:\w+:\/\/)?(?:[^/@]*@)?(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)(?:[:/?]|$)/u.test(address);
}

/** Returns the sources of text that the commands print: URLs that they fetch and files outside the workspace. */
export function readByCommands(
  commands: readonly SimpleCommand[],
  used: readonly UsedFile[],
  place: FilePlace,
): readonly TextSource[] {
  return [
    ...commands.flatMap(fetchedFrom),
    ...used.flatMap(({ use, path }) => (use === "read" ? readFromFile(path, place) : [])),
  ];
}

/** Empty for files that untrusted people cannot write: files of the workspace, the system or Hermes. */
export function readFromFile(path: string, { workspace, hermes }: FilePlace): readonly TextSource[] {
  const isHermes = hermes.some((home) => isInside(home, path) && !savedPage.test(path.slice(home.length)));
  const isOurs = isInside(workspace, path) || isHermes || systemFile.test(path);
  return isOurs ? [] : [{ kind: "file", name: path }];
}

/** Matches files with saved texts of web pages, which are untrusted. */
const savedPage = /^\/(?:profiles\/[^/]+\/)?cache\/web\//u;
const systemFile = /^\/(?:etc|usr|bin|sbin|lib|lib32|lib64|opt|proc|sys|dev|run|boot|nix|System|Library)(?:\/|$)/u;

function fetchedFrom({ argv }: SimpleCommand): readonly TextSource[] {
  const name = programName(argv[0]) ?? "";
  const isHub = (name === "gh" || name === "glab") && argv.length > 1;
  if (!isDownloader(name) && !isHub) return [];
  const hosts = argv.slice(1).flatMap(({ text }) => {
    const [, host] =
      /^(?:https?:\/\/)?(?:[^/@\s]*@)?([\w.-]+\.[a-z]{2,}|\d+(?:\.\d+){3})(?:[:/?]|$)/iu.exec(text) ?? [];
    return host === undefined || isHere(text) ? [] : [host];
  });
  const isLocal = argv.slice(1).some(({ text }) => isHere(text));
  if (hosts.length === 0) return isLocal ? [] : [{ kind: "web", name }];
  return hosts.map((host) => ({ kind: "web", name: host }));
}
