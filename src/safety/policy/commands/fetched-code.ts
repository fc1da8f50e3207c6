import { words } from "../../../base/text/words.ts";
import { readOptions } from "../../command/programs/options.ts";
import type { SimpleCommand } from "../../command/shell/simple-command.ts";
import { isCommonTool } from "./package-runners.ts";

/**
 * Returns how a command installs or runs code from elsewhere: from an address or another index instead of the default
 * one, or as a program for all projects. Undefined for a package that the default index installs into the project.
 */
export function fetchedCode({ argv, assignments }: SimpleCommand, program: string): string | undefined {
  for (const { name, value } of assignments)
    if (indexVariable.test(name) && isRemote(value.text)) return "uses another package index";
  const row = managers.get(program);
  if (row === undefined) return undefined;
  const { operands, has, values } = readOptions(argv.slice(1), valueOptions);
  const skipped = program === "python" ? 2 : 0;
  const verbs = operands.slice(skipped, skipped + 3).map(({ text }) => text);
  if (harmless.test(verbs[0] ?? "") || harmless.test(verbs[1] ?? "")) return undefined;
  const isFar = argv.some(
    ({ text }, index) => index > 0 && isSource(text, row.hasShortNames === true && index >= firstSource(program)),
  );
  if (isFar && (row.fetches === undefined || row.fetches.test(verbs.join(" ")))) return "fetches code from an address";
  if (values("c", "channel", "r", "remote").some(({ text }) => otherChannel(program, text)))
    return "uses another package index";
  if (
    operands.some(({ text }) => /\.(?:deb|rpm|snap|vsix|flatpakref)$/u.test(text)) &&
    !/^(?:dpkg|rpm)$/u.test(program)
  )
    return "installs a package from a file";
  if (has("trusted-host", "dangerous", "HEAD")) return "installs code without checking its origin";
  const isGlobal =
    row.installs?.test(verbs.join(" ")) || (has("g", "global", "location") && anInstall.test(verbs[0] ?? ""));
  if (!isGlobal || has("path", "e", "editable", "l", "list")) return undefined;
  const names = operands.slice(skipped).filter(({ text }) => !verbWord.test(text));
  const isLocal = names.length > 0 && names.every(({ text }) => /^\.{0,2}\//u.test(text) || text.startsWith("./"));
  if (isLocal || (names.length > 0 && names.every(({ text }) => isCommonTool(text)))) return undefined;
  return names.length > 0 || row.isBare ? "installs a program for all projects" : undefined;
}

/** A package manager takes the address after its subcommand. */
function firstSource(program: string): number {
  return templateTools.has(program) ? 1 : 2;
}

const templateTools: ReadonlySet<string> = new Set(words("cookiecutter copier cruft giter8 g8"));

function otherChannel(program: string, channel: string): boolean {
  if (program === "conan") return channel !== "conancenter";
  if (!/^(?:conda|mamba|micromamba)$/u.test(program)) return false;
  return !/^(?:conda-forge|defaults|bioconda|pytorch(?:-nightly)?|nvidia|anaconda|main|r|intel|plotly|huggingface)$/u.test(
    channel,
  );
}

interface Manager {
  /** The subcommands that take an address. Undefined: all of them. */
  readonly fetches?: RegExp;
  /** The subcommands that install a program for all projects, or a plugin that other programs load. */
  readonly installs?: RegExp;
  /** True if `owner/name` is an address. */
  readonly hasShortNames?: boolean;
  /** True if the package is in an option. */
  readonly isBare?: boolean;
}

const anInstall = /^(?:install|i|add|link|ln|update|up|upgrade)$/u;
const verbWord =
  /^(?:install|i|add|tool|global|plugin|plugins|extension|pkg|profile|collection|require|activate|pub|krew|labextension|nbextension|box|use|tap|archive\.install|escript\.install|role|module|hex|create|init|new|binstall)$/u;

const valueOptions = {
  short: "cpr",
  long: words("version features index-url registry source channel target tag branch trusted-host"),
};

const row = (names: string, manager: Manager): readonly (readonly [string, Manager])[] =>
  words(names).map((name) => [name, manager] as const);

const managers: ReadonlyMap<string, Manager> = new Map([
  ...row("npm pnpm yarn bun", { installs: /^global add/u, hasShortNames: true }),
  ...row("pip uv pipx poetry hatch rye", { installs: /^tool install|^install --user/u }),
  ...row("pipx gem luarocks opam cabal nimble cpanm cpan krew sdk coursier cs", {
    installs: /^(?:install|i|runpip)\b/u,
  }),
  ...row("cpan cpanm easy_install", { installs: /^./u }),
  ...row("conda mamba micromamba nuget conan vcpkg guix nix-shell nix-build", {}),
  ...row("stack cargo", { installs: /^(?:install|binstall)\b/u }),
  ...row("go", { fetches: /^$/u, installs: /^install \S+@/u }),
  ...row("bundle composer", { installs: /^global require|^create-project/u }),
  ...row("raco", { installs: /^pkg install/u }),
  ...row("mix", { installs: /^(?:archive|escript)\.install/u }),
  ...row("dotnet", { installs: /^tool install/u }),
  ...row("brew", { installs: /^tap |^install \S+\/\S+\/|^install$/u }),
  ...row("asdf mise rtx", { installs: /^plugins? (?:add|install)|^use/u }),
  ...row("nix nix-env", { installs: /^profile install|^-i/u }),
  ...row("helm kubectl docker gh", {
    fetches: /^(?:install|upgrade|plugin|krew|build|buildx|compose|extension)\b/u,
    installs: /^(?:plugin|krew|extension) install/u,
    hasShortNames: false,
  }),
  ...row("code codium cursor", { isBare: true }),
  ...row("jupyter", { installs: /^(?:lab|nb)extension install/u }),
  ...row("flutter dart", { installs: /^pub global activate/u }),
  ...row("ansible-galaxy puppet", { installs: /^(?:install|role install|collection install|module install)/u }),
  ...row("vagrant", { installs: /^box add/u }),
  ...row("cookiecutter copier cruft giter8 g8 vue", { hasShortNames: true }),
  ...row("ng", { installs: /^add /u }),
  ...row("scoop kustomize argocd pacman pdm", {}),
  ...row("yay paru pikaur", { installs: /^./u }),
  ...row("add-apt-repository", { installs: /^./u }),
  ...row("rustup", { installs: /^toolchain link/u }),
  ...row("wasmer", { installs: /^run \S+\//u }),
  ...row(
    "deno rails django-admin nx expo ionic multipass lima limactl earthly dagger sam serverless sls terraform terragrunt pre-commit ansible-pull singularity apptainer distrobox toolbox jbang scala-cli flatpak snap apt-get dnf julia chef-run act pulumi apm micro plop tlmgr quarto",
    {},
  ),
]);

/** Subcommands that only show, search or download. */
const harmless =
  /^(?:view|info|show|search|list|ls|outdated|audit|why|pull|push|login|logout|repo|ping|whoami|publish|mod|doc|docs|help|version|cache|download|pack|config|get|set|status|open|run-script|state|output|plan|apply|destroy|deploy)$/u;

const indexVariable = /^(?:\w+_)?(?:INDEX(?:_URL)?|REGISTRY|GOPROXY|MIRROR|CHANNELS?|RUBYGEMS_HOST)$|^GOPROXY$/iu;

function isRemote(text: string): boolean {
  return remote.test(text) && !commonHost.test(text);
}

/** Whether a word, or the value of an option in it, is an address of code. */
function isSource(word: string, hasShortNames: boolean): boolean {
  const text = word.replace(/^(?:--?[\w-]+|[\w.]+)=/u, "");
  return (
    isRemote(text) || (hasShortNames && /^(?!@|\.|~)[\w.-]+\/[\w.-]+(?:#\S*)?$/u.test(text) && !word.startsWith("-"))
  );
}

const remote =
  /^(?:git\+)?(?:https?|ssh|git|oci|docker|library|shub|ftp|svn|hg|s3|gs):\/\/(?!(?:localhost|127\.|\[::1\]))|^git\+|^git::|^(?:github|gitlab|bitbucket|gist|ubi|tarball):|^github\.com\/|^git@[\w.-]+:/u;

/** Default indexes, and their public mirrors. */
const commonHost =
  /^https?:\/\/(?:[\w-]+\.)*(?:npmjs\.org|npmjs\.com|yarnpkg\.com|npmmirror\.com|pypi\.org|pytorch\.org|python\.org|rubygems\.org|crates\.io|golang\.org|goproxy\.(?:cn|io)|nuget\.org|packagist\.org|conda\.anaconda\.org|mirrors\.aliyun\.com|[\w.-]+\.edu\.cn)(?:[/:,|]|$)/u;
