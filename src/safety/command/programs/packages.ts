import { path, rule } from "../fact.ts";
import { readOptions } from "./options.ts";
import type { Program, Programs } from "./program.ts";
import { allOf, everyUse, withOption, anyMatching, firstMatching, verbs, withWord } from "./verbs.ts";

const publishing = (words: string): Program => verbs([["publish", words]]);

/** Finds packages that are installed from a URL instead of a package index. */
const fromAddress: Program = (args) => {
  const { operands, values } = readOptions(args, {
    short: "crtieC",
    long: ["index-url", "extra-index-url", "requirement", "prefix", "find-links", "registry"],
  });
  if (!/^(?:install|i|add|download)$/u.test(operands[0]?.text ?? "")) return [];
  const isForeign = operands
    .slice(1)
    .some(({ text }) =>
      /^https?:\/\/(?!(?:github|gitlab|codeload\.github|bitbucket)\.(?:com|org)\/)|^git\+http:\/\//u.test(text),
    );
  // Finds a package index that is used over an insecure connection.
  const isOpen = values("i", "index-url", "extra-index-url", "find-links", "registry").some(({ text }) =>
    /^http:\/\/(?!localhost|127\.|\[::1\])/u.test(text),
  );
  return isForeign || isOpen ? [rule("remote_code", ...args)] : [];
};

/** Handles options that set the target folder. */
const installing: Program = (args) =>
  args[0]?.text === "install"
    ? readOptions(args, {
        short: "trcie",
        long: ["target", "prefix", "root", "requirement", "constraint", "index-url"],
      })
        .values("t", "target", "prefix", "root")
        .map((folder) => path("place", folder))
    : [];

/** Matches a package that is given as a URL instead of a name. */
const address = /^(?:git\+|https?:|github:|gitlab:|bitbucket:|gist:|git@|ssh:)/u;

const runsPackage: Program = (args) => {
  const { operands, values } = readOptions(args, { short: "pcw", long: ["package", "from", "with"], isPrefix: true });
  const packages = [...operands.slice(0, 1), ...values("p", "package", "from", "with")];
  return packages.some(({ text }) => address.test(text)) ? [rule("remote_code", ...args)] : [];
};

/** Handles `npm exec URL` and `pipx run URL`, which download and run a package. */
const runsAddress: Program = (args, ran, name) => {
  const index = args.findIndex(({ text }) => /^(?:exec|x|dlx|run)$/u.test(text));
  return index < 0 ? [] : runsPackage(args.slice(index + 1), ran, name);
};

const node = allOf(
  verbs(
    [
      ["publish", "publish|unpublish|deprecate"],
      ["publish", "dist-tag rm|add|remove"],
      ["publish", "owner|access|team|org add|rm|set|grant|revoke|create|destroy|public|restricted"],
      ["publish", "npm publish, workspace * publish, workspaces foreach ** publish, workspaces foreach ** npm publish"],
      ["privilege", "token create|revoke"],
      ["loader_variable", "config|c set *script-shell*|*node-options*|*git*"],
      ["project_config", "config|c set *_authToken*|*//*|*registry*"],
      ["project_config", "set *_authToken*|*//*|*registry*"],
      ["loader_variable", "set *script-shell*|*node-options*"],
    ],
    { short: "wC", long: ["workspace", "prefix", "filter", "cwd", "registry", "tag", "otp"] },
  ),
  fromAddress,
  runsAddress,
);

const system = (words: string): Program =>
  verbs([["package_system", words]], { short: "toc", long: ["target-release", "option"] });

const removing = (words: string): Program => verbs([["package_system", words]]);

export const packages: Programs = {
  "npm pnpm yarn bun": node,
  cargo: allOf(
    withOption("remote_code", "git", "p"),
    publishing("publish|yank|owner"),
    firstMatching("publish", /^owner$/u),
  ),
  go: verbs([["loader_variable", "env *toolexec*|CC=*|CXX=*"]]),
  "twine cabal stack luarocks": publishing("upload"),
  "poetry flit hatch pdm rye ovsx lerna changeset opam jsr": publishing("publish"),
  uv: allOf(publishing("publish"), verbs([["remote_code", "pip install http:*|https:*"]])),
  gem: allOf(publishing("push|yank|owner"), fromAddress),
  pip: allOf(installing, fromAddress, verbs([["project_config", "config set"]])),
  python: publishing("setup.py ** upload|register"),
  pipx: allOf(fromAddress, runsAddress),
  mvn: publishing("** deploy|deploy:deploy*|release:perform|release:prepare"),
  mvnw: publishing("** deploy|release:perform"),
  gradle: publishing("** publish|publish*|uploadArchives|bintrayUpload"),
  gradlew: publishing("** publish|publish*|uploadArchives"),
  sbt: publishing("** publish|publishSigned|release"),
  lein: publishing("deploy"),
  dotnet: publishing("nuget push|delete"),
  nuget: publishing("push|delete"),
  helm: publishing("push"),
  vsce: publishing("publish|unpublish"),
  "semantic-release": everyUse("publish", "--dry-run", "-d", "--version", "--help"),
  "release-it": everyUse("publish", "--dry-run", "--version", "--help"),
  np: everyUse("publish", "--preview", "--version", "--help"),
  goreleaser: (args) =>
    args[0]?.text === "release" && !readOptions(args).has("snapshot", "skip-publish") ? [rule("publish", ...args)] : [],
  anaconda: publishing("upload|remove"),
  pod: publishing("trunk push|delete"),
  mix: publishing("hex.publish|hex.retire"),
  rebar3: publishing("hex publish"),
  "dart flutter": publishing("pub publish"),
  deno: allOf(publishing("publish"), verbs([["remote_code", "run|install http:*|https:*"]], { short: "A" })),
  "npx bunx pnpx uvx": runsPackage,
  snapcraft: publishing("upload|push|release|close"),
  crane: publishing("push|delete|copy|cp"),
  skopeo: publishing("copy|delete|sync"),
  oras: publishing("push|cp"),
  cosign: publishing("sign"),
  modal: verbs([["cloud_delete", "app|volume|secret stop|delete|rm"]]),
  "huggingface-cli": publishing("upload|upload-large-folder|delete-cache, repo delete"),
  hf: publishing("upload, repo delete"),
  "apt-get": allOf(
    system("remove|purge|autoremove|autopurge|dist-upgrade|full-upgrade|dselect-upgrade"),
    withWord("package_system", "--allow-unauthenticated", "--force-yes", "--allow-remove-essential"),
  ),
  "apt-key": removing("add|adv|del"),
  dpkg: anyMatching("package_system", /^(?:-[rP]|--remove|--purge|--force-.*|--clear-.*)$/u),
  "dpkg-reconfigure pkg_delete": everyUse("package_system"),
  rpm: anyMatching("package_system", /^(?:-e\w*|--erase|--nodeps|--force)$/u),
  dnf: removing("remove|erase|autoremove|downgrade|swap|distro-sync, history undo|rollback, module remove"),
  pacman: anyMatching("package_system", /^-R\w*$|^--remove$|^-S\w*cc/u),
  "yay paru": anyMatching("package_system", /^-R\w*$/u),
  apk: removing("del"),
  zypper: removing("remove|rm|dup|dist-upgrade"),
  brew: verbs([
    ["package_system", "uninstall|remove|rm|autoremove|untap"],
    ["service", "services stop|restart|kill"],
  ]),
  snap: removing("remove"),
  "flatpak winget": removing("uninstall|remove"),
  emerge: withWord("package_system", "-C", "--unmerge", "--depclean", "-c"),
  "port choco scoop": removing("uninstall"),
  pkg: removing("delete|remove|autoremove"),
  "nix-env": withWord("package_system", "-e", "--uninstall", "--delete-generations"),
  "nix-collect-garbage": everyUse("package_system", "--dry-run"),
  "do-release-upgrade": everyUse("package_system", "-c"),
};
