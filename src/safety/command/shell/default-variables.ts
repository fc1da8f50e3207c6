import { words } from "../../../base/text/words.ts";

/** Variables with the same meaning on every machine. They are folders with programs, where changes need approval. */
export function defaultVariables(home: string, workspace: string): Map<string, string | undefined> {
  const variables = new Map<string, string | undefined>(fixedVariables);
  for (const [name, folder] of homeFolders) variables.set(name, `${home}/${folder}`);
  for (const name of buildFolders) variables.set(name, workspace);
  return variables;
}

/** Returns whether a text may use one of these variables: it has a dollar sign, and two capitals in a row or `env`. */
export function mayUseDefaults(text: string): boolean {
  return text.includes("$") && /[A-Z]{2}|[Ee]nv/u.test(text);
}

const homeFolders: readonly (readonly [string, string])[] = [
  ["VIRTUAL_ENV", ".virtualenvs/default"],
  ["CONDA_PREFIX", "miniconda3"],
  ["PYENV_ROOT", ".pyenv"],
  ["NVM_DIR", ".nvm"],
  ["NVM_BIN", ".nvm/versions/node/default/bin"],
  ["GOPATH", "go"],
  ["GOBIN", "go/bin"],
  ["CARGO_HOME", ".cargo"],
  ["ANDROID_HOME", "Android/Sdk"],
  ["ANDROID_SDK_ROOT", "Android/Sdk"],
  ["FLUTTER_ROOT", "flutter"],
];

/** Files and temporary folders of a build server. */
const buildFiles = words(`
  GITHUB_OUTPUT GITHUB_ENV GITHUB_PATH GITHUB_STEP_SUMMARY GITHUB_STATE RUNNER_TEMP AGENT_TEMPDIRECTORY WORKSPACE_TMP
  BUILD_ARTIFACTSTAGINGDIRECTORY BUILD_BINARIESDIRECTORY CIRCLE_ARTIFACTS CIRCLE_TEST_REPORTS BUILDKITE_ENV_FILE
  CIRRUS_ENV DRONE_OUTPUT
`);

/** Folders into which a build server checks out the project. */
const buildFolders = words(`
  CI_PROJECT_DIR GITHUB_WORKSPACE GITHUB_ACTION_PATH CIRCLE_WORKING_DIRECTORY TRAVIS_BUILD_DIR BITBUCKET_CLONE_DIR
  BUILDKITE_BUILD_CHECKOUT_PATH BUILD_SOURCESDIRECTORY SYSTEM_DEFAULTWORKINGDIRECTORY APPVEYOR_BUILD_FOLDER
  CODEBUILD_SRC_DIR DRONE_WORKSPACE CIRRUS_WORKING_DIR WORKSPACE SRCROOT
`);

/** Programs that variables of make and of build servers refer to. */
const buildPrograms: Readonly<Record<string, string>> = {
  CC: "cc",
  CXX: "c++",
  CPP: "cpp",
  LD: "ld",
  AR: "ar",
  NM: "nm",
  RANLIB: "ranlib",
  STRIP: "strip",
  OBJCOPY: "objcopy",
  OBJDUMP: "objdump",
  MAKE: "make",
  CMAKE: "cmake",
  PYTHON: "python3",
  PIP: "pip",
  NODE: "node",
  NPM: "npm",
  CARGO: "cargo",
  RUSTC: "rustc",
  GO: "go",
  RUBY: "ruby",
  PHP: "php",
  PERL: "perl",
};

/**
 * Variables of build servers whose absence changes the meaning of a text: as a whole word (`$CC rm x` runs `rm` if `CC`
 * is unset), or before a path that would then be a system file.
 */
export function buildVariablesIn(text: string): readonly string[] {
  if (!mayUseDefaults(text) || text.search(buildVariable) < 0) return [];
  return Array.from(text.matchAll(buildVariable), ([, name = ""]) => name);
}

const buildVariable = new RegExp(
  String.raw`\$\{?(${[...buildFiles, ...buildFolders, ...Object.keys(buildPrograms)].join("|")})\b\}?"?(?:(?![/"\w])|/+(?:etc|usr|bin|sbin|lib|boot|dev|proc|sys|var|root|home|Users|opt)\b)`,
  "gu",
);

/** Variables with the same value in every home and workspace. */
const fixedVariables: ReadonlyMap<string, string> = new Map([
  ["JAVA_HOME", "/usr/lib/jvm/default"],
  ["GOROOT", "/usr/local/go"],
  ["HOMEBREW_PREFIX", "/usr/local"],
  ...buildFiles.map((name) => [name, `/tmp/${name.toLowerCase()}`] as const),
  ...Object.entries(buildPrograms),
  // PowerShell variables, which POSIX shells do not have.
  ...["env", "Env", "PSVersionTable"].map((name) => [name, `/usr/lib/powershell/${name}`] as const),
]);
