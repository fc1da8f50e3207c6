import { words } from "../../../base/text/words.ts";
import { programName } from "../../command/programs/program-name.ts";
import { hole } from "../../command/shell/field.ts";
import type { SimpleCommand } from "../../command/shell/simple-command.ts";

/**
 * Returns how a command opens the machine to others, lets a folder run code, or sends a whole dump away. Undefined if
 * it does none of this.
 */
export function openedDoor(ran: SimpleCommand, name: string): string | undefined {
  const { argv, assignments } = ran;
  const args = argv.slice(1).map(({ text }) => text);
  for (const { name: variable, value } of assignments)
    if (isPlace(variable) && /^\/(?:(?:var\/)?tmp|dev\/shm)\/./u.test(value.text))
      return `takes its settings or code from a temporary folder (${variable})`;
  for (const { name: variable } of assignments)
    if (settingVariable.test(variable) && !commonVariable.test(variable))
      return `sets options or settings of a program (${variable})`;
  if ((name === "ssh" && args.includes("-g")) || args.some((text) => openDebugger.test(text)))
    return "lets others use or debug a program of this machine";
  if (
    /^(?:dig|host|nslookup|ping|drill|kdig)$/u.test(name) &&
    args.some((text, index) => text.includes(hole) && (text !== hole || args[index - 1] === "-p"))
  )
    return "sends text that is unknown until the command runs";
  if (name === "ssh" && args.some((text, index) => isForward(text, args[index - 1] ?? "")))
    return "makes a port of this machine reachable from elsewhere";
  if (name === "nc" && args.some((text) => /^-[a-zA-Z]*l/u.test(text) || text === "--listen"))
    return "listens for connections from elsewhere";
  if (
    name === "socat" &&
    args.some((text) => /^(?:TCP|TCP4|TCP6|UDP|SCTP|OPENSSL|VSOCK)\d?-?(?:LISTEN|L):/iu.test(text))
  )
    return "listens for connections from elsewhere";
  const line = args.join(" ");
  if (trusting.get(name)?.test(line)) return "lets a folder run code, or takes code from elsewhere";
  if (serving.get(name)?.test(line)) return "makes a service of this machine reachable from elsewhere";
  if (releasing.get(name)?.test(line)) return "changes a service that others use";
  if (sendsInput(name, args) && ran.stdin.from.some(isDump)) return "sends a whole dump to another machine";
  if (/^(?:nc|telnet|socat)$/u.test(name) && emptying.test(ran.stdin.text?.slice(0, maxInput) ?? ""))
    return "tells a service to delete its data";
  if (
    args.some((text) =>
      /^--?(?:out\w*|dest\w*|to|target|upload\w*|remote)=(?:https?|s3|gs|ftp):\/\/(?!localhost|127\.)/u.test(text),
    )
  )
    return "sends its output to another machine";
  return undefined;
}

const openDebugger =
  /^--(?:inspect|inspect-brk|remote-debugging-address)=0\.0\.0\.0|^--(?:bind_ip_all|allow-root)$|^--listen=:|jdwp=.{0,200}address=\*|^--protected-mode=?no$/u;

const maxInput = 10_000;
const emptying =
  /\b(?:flush_?all|flushdb|shutdown|config\s+set|(?:slave|replica)of|drop\s+(?:table|database)|delete\s)/iu;

/** A variable that names the folder or the file of settings, plugins or modules. */
function isPlace(variable: string): boolean {
  return place.test(variable) && !dataPlace.test(variable);
}

const place =
  /(?:HOME|PATH|CONFIG|CONF|CFG|RC|INPUTS|PROJECT|INIT|TERMINFO|PLUGINS?|MODULES?|(?:CONFIG|CONF|CERT|ENV|INIT|RC)_FILE|(?:GIT|CONFIG|CONF|PLUGIN|MODULE|LIB|TEMPLATE|DENO|USER)_?DIR)$/iu;
const dataPlace =
  /te?mp|cache|out|log|target|data|runtime|state|build|dump|cov|report|dest|upload|download|storage|db/iu;

/** A variable with options or settings, which few programs document. */
const settingVariable = /(?:OPTS?|OPTIONS|EDIT|SSH|PARAM|PROXY|STARTUP|CONFIG|SETTINGS_MODULE)$/u;
const commonVariable =
  /^(?:NODE_OPTIONS|PYTEST_ADDOPTS|MAKEFLAGS|(?:JAVA|MAVEN|GRADLE|SBT|JVM|JAVA_TOOL)_OPT(?:S|IONS)|(?:HTTPS?|ALL|NO)_PROXY|KUBECONFIG|(?:APP|DB|SERVER|TEST)_CONFIG)$/u;

function isForward(text: string, before: string): boolean {
  const [, kind = "", value = ""] = /^-[a-zA-Z]*([RDLw])(.*)$/u.exec(text) ?? [];
  if (kind === "w") return true;
  const address = kind !== "" && value !== "" ? value : /^-[a-zA-Z]*[DL]$/u.test(before) ? text : "";
  return /^(?:0\.0\.0\.0|\*|\[?::\]?):/u.test(address);
}

const trusting: ReadonlyMap<string, RegExp> = new Map([
  [
    "npm",
    /^(?:config )?set ignore-scripts[ =]false|^config set (?:git|shell|script-shell|init-module)\b|(?:^| )--script-shell[ =]/u,
  ],
  ["yarn", /^config set yarnPath\b|^set version (?:\.{0,2}\/|https?:)/u],
  ["composer", /^config (?:\S+ )*repositor\S+ \S|^config (?:\S+ )*allow-plugins/u],
  ["pip", /^config set/u],
  ["bundle", /^config (?:set )?(?:\S+ )?(?:mirror|source)/u],
  ["git", /^remote set-url\b|^push (?:-\S+ )*(?:git@|ssh:)/u],
  ["go", /^env -w (?:\S+ )*(?:GOPROXY|GOFLAGS|GONOSUMDB|GOSUMDB|CC|CXX)=/u],
  ["code", /^(?:.* )?--(?:install-extension|extensions-dir)[ =]/u],
]);

/** Services that others can reach. */
const serving: ReadonlyMap<string, RegExp> = new Map([
  ["kubectl", /^(?:port-forward|proxy) (?:\S+ )*--address[= ]0\.0\.0\.0/u],
  ["code", /^tunnel\b/u],
  ["jupyter", /--(?:ServerApp\.)?ip[= ](?:0\.0\.0\.0|\*)/u],
]);

const releasing: ReadonlyMap<string, RegExp> = new Map([
  [
    "gh",
    /^(?:secret|variable) set\b|^gist create\b|^workflow run\b|^api (?:\S+ )*(?:-X ?|--method[ =])(?:PATCH|PUT|POST)\b/u,
  ],
  ["vercel", /(?:^| )--prod\b|^(?:promote|rollback|env (?:add|rm)|alias set)\b/u],
]);

/** Handles `curl -T -`, `curl --data-binary @-`, `nc host port`, `ssh host 'cat > x'`. */
function sendsInput(name: string, args: readonly string[]): boolean {
  if (args.some((text) => /(?:^|\/\/|@)(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/]|$)/u.test(text))) return false;
  if (name === "curl" || name === "wget" || name === "http" || name === "xh")
    return args.some(
      (text) => text === "-" || text.endsWith("@-") || text.endsWith("@/dev/stdin") || text === "/dev/stdin",
    );
  return /^(?:nc|ncat|socat|ssh|rclone|aws|gsutil|mail|mailx|sendmail|telnet|openssl|croc|wormhole)$/u.test(name);
}

/** Whether a stage of the pipeline prints a whole database, folder, image or history. */
function isDump({ argv }: SimpleCommand): boolean {
  const name = programName(argv[0]) ?? "";
  if (dumps.has(name)) return true;
  const verb = argv[1]?.text ?? "";
  return (
    (name === "docker" && /^(?:save|export)$/u.test(verb)) ||
    (name === "git" && /^(?:bundle|archive|fast-export)$/u.test(verb))
  );
}

const dumps: ReadonlySet<string> = new Set(
  words(
    "pg_dump pg_dumpall mysqldump mongodump mongoexport sqldump redis-dump tar zip cpio dump restic borg pg_basebackup",
  ),
);
