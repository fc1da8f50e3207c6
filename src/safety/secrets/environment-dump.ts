/**
 * Returns whether a command prints environment variables or a file of them, so that every `NAME=value` in its output is
 * a setting and not code.
 */
export function dumpsEnvironment(command: string): boolean {
  return simpleCommands(command).some((words) => dumps(words, 0));
}

function dumps(words: readonly string[], depth: number): boolean {
  const [first = "", ...rest] = words.slice(words.findIndex((word) => !/^[A-Za-z_]\w*=/u.test(word)));
  const name = first
    .replace(/^.*[\\/]/u, "")
    .replace(/\.exe$/iu, "")
    .toLowerCase();
  if (words.some((word) => /\/proc\/[^/]+\/environ$/u.test(word))) return true;
  if (name === "") return false;
  if (depth < 4 && words.some((word) => substituted(word).some((inner) => dumps(inner, depth + 1)))) return true;
  if (name === "env") return !rest.some((word) => isProgram(word)) || dumpsLater(rest, depth);
  if (name === "printenv") return true;
  if (name === "set") return rest.length === 0;
  if (name === "export" || name === "declare" || name === "typeset") {
    return rest.every((word) => /^-[pxg]+$/u.test(word));
  }
  if (/^(?:get-childitem|gci|dir|ls|get-item|gi)$/u.test(name)) return rest.some((word) => /^env:/iu.test(word));
  if (readers.has(name))
    return rest.some((word) => isSettingsFile(word) || quotedFile.test(word) || wholeEnvironment.test(word));
  // `vault-1.2` is treated as `vault`.
  const called = [name, name.replace(/[-.].*$/u, "")];
  const isOne = (programs: string) => programs.split(" ").some((program) => called.includes(program));
  if (showsSecrets.some(([programs, shape]) => isOne(programs) && shape.test(rest.join(" ")))) return true;
  return carriers.has(name) && dumpsLater(rest, depth);
}

/**
 * Returns whether a command that this one runs prints variables. Checks each suffix of the words, and the text of `sh
 * -c`.
 */
function dumpsLater(rest: readonly string[], depth: number): boolean {
  if (depth > 4) return false;
  return rest.some(
    (word, index) =>
      (index < 20 &&
        (printers.has(word.replace(/^.*\//u, "")) || readers.has(word)) &&
        dumps(rest.slice(index), depth + 1)) ||
      (/\s/u.test(word) && simpleCommands(word).some((words) => dumps(words, depth + 1))) ||
      (rest[index - 1] === "-c" && simpleCommands(word).some((words) => dumps(words, depth + 1))),
  );
}

/** Returns the commands in `"$(…)"`. */
function substituted(word: string): string[][] {
  return [...word.matchAll(/\$\(([^)]*)\)/gu)].flatMap(([, inner]) => simpleCommands(inner ?? ""));
}

function isProgram(word: string): boolean {
  return !word.startsWith("-") && !/^[A-Za-z_]\w*=/u.test(word);
}

/** Whether a file of this name holds settings with secrets: `.env`, `.pgpass`, `database.yml`. Not for example files. */
export function isSettingsFile(word: string): boolean {
  const name = word.replace(/^<+/u, "").replace(/^.*[\\/]/u, "");
  if (/example|sample|template|dist$|defaults?$/iu.test(name)) return false;
  return (
    environmentFile.test(name) || /(?:^|\/)\.(?:docker\/config\.json|kube\/config|hermes\/auth\.json)$/u.test(word)
  );
}

const environmentFile =
  /^\.env(?:rc|[._-].*|\*)?$|\.env$|^(?:credentials|\.netrc|_netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|secrets?\.(?:ya?ml|json|toml|env|ini|txt)|\.my\.cnf|\.s3cfg|\.boto|rclone\.conf|kubeconfig|\.vault-token|wp-config\.php|terraform\.tfvars|.*\.auto\.tfvars|.*\.tfstate|\.htpasswd|shadow|\.dockercfg|hosts\.yml|database\.ya?ml|application(?:-\w+)?\.(?:properties|ya?ml)|appsettings(?:\.\w+)?\.json|my\.cnf|wpa_supplicant\.conf|local\.properties|gradle\.properties|pip\.conf|(?:docker-)?compose(?:[.-]\w+)?\.ya?ml|values(?:[.-]\w+)?\.ya?ml|.*\.ini|(?:config|settings)\.toml|.*\.tfvars|credentials\.(?:json|ya?ml|toml|ini|tfrc\.json))$/iu;

/** Matches a file name in a line of code: `open(".env")`. */
const quotedFile = /["'`]([^"'`]*\/)?\.env(?:\.(?!example|sample|template)\w+)?["'`]/u;

/** Matches an expression for the whole environment in a line of code, not for one variable. */
const wholeEnvironment =
  /\bprocess\.env\b(?![.[?])|\bos\.environ\b(?![.[])|\bos\.environ\.items\b|\bENV\.(?:each|to_h|inspect|map)|%ENV\b|\$_ENV\b(?!\[)|getenv\(\)/u;

const printers: ReadonlySet<string> = new Set(["env", "printenv", "export", "set", "declare"]);
const readers: ReadonlySet<string> = new Set(
  "cat tac nl bat batcat less more most head tail grep egrep fgrep rg ag ack awk gawk sed cut sort uniq strings tee xxd od view vi vim nano type get-content gc source . dotenv python python3 node deno bun ruby php perl diff comm paste column tr jq yq cp xargs".split(
    " ",
  ),
);
const carriers: ReadonlySet<string> = new Set(
  "sudo doas command builtin exec nohup time timeout nice ionice stdbuf setsid sh bash zsh dash ksh fish docker podman docker-compose kubectl oc nerdctl ssh su runuser chroot nsenter busybox xargs watch script flock eval cmd powershell pwsh wsl vagrant heroku fly flyctl railway".split(
    " ",
  ),
);

/** Programs that print settings with their values, and the subcommands that do it. */
const showsSecrets: readonly (readonly [programs: string, shape: RegExp])[] = [
  ["heroku", /^config\b/u],
  ["docker podman", /^(?:compose )?(?:inspect|config)\b/u],
  ["docker-compose podman-compose", /^(?:inspect|config)\b/u],
  [
    "kubectl oc",
    /^(?:-n \S+ )?(?:get \S+.*(?:-o|--output)|describe (?:pods?|po|deploy\S*|cm|configmaps?|sts|statefulsets?|jobs?|cronjobs?)\b)/u,
  ],
  ["terraform tofu pulumi", /^(?:output|show|state (?:show|pull)|config|stack output)\b/u],
  [
    "lpass bw gopass keepassxc-cli secret-tool security rbw",
    /^(?:show|get|find-generic-password|find-internet-password|lookup|search|export)\b/u,
  ],
  ["pass", /^(?:show )?[\w./-]+$/u],
  ["gh", /^auth (?:token|status)/u],
  ["gcloud", /^auth print/u],
  ["az", /^account get-access-token/u],
  ["aws", /^(?:sts|iam create-access-key|ecr get-login|configure (?:get|export-credentials)\b)/u],
  [
    "gcloud az aws",
    /^(?:secrets|keyvault|secretsmanager|ssm)\b.*\b(?:read|get|secrets|export|download|item|access|show)\b/u,
  ],
  ["git", /^(?:config (?:--list|-l|--get)|credential)/u],
  ["vault doppler infisical chamber op", /\b(?:read|get|secrets|export|download|item|access|show)\b/u],
  ["vercel netlify railway supabase wrangler", /^(?:env|variables|secrets?)\b/u],
  ["systemctl", /^(?:show-environment|show\b.*\benvironment)\b/iu],
  ["ansible-vault", /^view\b/u],
  ["sops", /^(?:-d|--decrypt|decrypt)\b/u],
  ["gpg age", /^(?:-d|--decrypt)\b/u],
  ["launchctl", /^(?:export|getenv)\b/u],
  ["ps", /\be[a-z]*\b/u],
];

/** Returns the words of each simple command, without quotes. Precise enough to recognise the printing program. */
function simpleCommands(command: string): string[][] {
  const commands: string[][] = [[]];
  let word: string | undefined;
  const endWord = (): void => {
    if (word !== undefined) commands.at(-1)?.push(word);
    word = undefined;
  };
  const text = command.slice(0, 20_000);
  for (let index = 0; index < text.length; index++) {
    const char = text.charAt(index);
    if (char === "'" || char === '"') {
      const end = text.indexOf(char, index + 1);
      word = (word ?? "") + text.slice(index + 1, end < 0 ? undefined : end);
      index = end < 0 ? text.length : end;
    } else if (char === "\\") {
      word = (word ?? "") + text.charAt(index + 1);
      index += 1;
    } else if (/[;|&\n()`{}]/u.test(char)) {
      endWord();
      commands.push([]);
    } else if (/[\s<>]/u.test(char)) endWord();
    else word = (word ?? "") + char;
  }
  endWord();
  return commands.filter((words) => words.length > 0);
}
