import { words } from "../../../base/text/words.ts";

/**
 * Variables with the same meaning on every machine: they name folders of programs in which nothing may change without a
 * question.
 */
export function defaultVariables(home: string, workspace: string): readonly (readonly [string, string])[] {
  return [
    ["JAVA_HOME", "/usr/lib/jvm/default"],
    ["VIRTUAL_ENV", `${home}/.virtualenvs/default`],
    ["CONDA_PREFIX", `${home}/miniconda3`],
    ["PYENV_ROOT", `${home}/.pyenv`],
    ["NVM_DIR", `${home}/.nvm`],
    ["NVM_BIN", `${home}/.nvm/versions/node/default/bin`],
    ["GOROOT", "/usr/local/go"],
    ["GOPATH", `${home}/go`],
    ["GOBIN", `${home}/go/bin`],
    ["CARGO_HOME", `${home}/.cargo`],
    ["ANDROID_HOME", `${home}/Android/Sdk`],
    ["ANDROID_SDK_ROOT", `${home}/Android/Sdk`],
    ["FLUTTER_ROOT", `${home}/flutter`],
    ["HOMEBREW_PREFIX", "/usr/local"],
    ...buildFiles.map((name) => [name, `/tmp/${name.toLowerCase()}`] as const),
    ...buildFolders.map((name) => [name, workspace] as const),
    ...Object.entries(buildPrograms),
    // PowerShell's: no shell of ours has them.
    ...["env", "Env", "PSVersionTable"].map((name) => [name, `/usr/lib/powershell/${name}`] as const),
  ];
}

/** Files and temporary folders of a build server. */
const buildFiles = words(`
  GITHUB_OUTPUT GITHUB_ENV GITHUB_PATH GITHUB_STEP_SUMMARY GITHUB_STATE RUNNER_TEMP AGENT_TEMPDIRECTORY WORKSPACE_TMP
  BUILD_ARTIFACTSTAGINGDIRECTORY BUILD_BINARIESDIRECTORY CIRCLE_ARTIFACTS CIRCLE_TEST_REPORTS BUILDKITE_ENV_FILE
  CIRRUS_ENV DRONE_OUTPUT
`);

/** The folder into which a build server checks the project out. */
const buildFolders = words(`
  CI_PROJECT_DIR GITHUB_WORKSPACE GITHUB_ACTION_PATH CIRCLE_WORKING_DIRECTORY TRAVIS_BUILD_DIR BITBUCKET_CLONE_DIR
  BUILDKITE_BUILD_CHECKOUT_PATH BUILD_SOURCESDIRECTORY SYSTEM_DEFAULTWORKINGDIRECTORY APPVEYOR_BUILD_FOLDER
  CODEBUILD_SRC_DIR DRONE_WORKSPACE CIRRUS_WORKING_DIR WORKSPACE SRCROOT
`);

/** Programs by the variables that make and build servers use. */
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
 * The variables of a build server that a text uses where it matters whether they are set: as a whole word (`$CC rm x` runs
 * `rm` without one), or before a path that is a system file without one.
 */
export function buildVariablesIn(text: string): readonly string[] {
  return text.includes("$") ? [...text.matchAll(buildVariable)].map(([, name = ""]) => name) : [];
}

const buildVariable = new RegExp(
  String.raw`\$\{?(${[...buildFiles, ...buildFolders, ...Object.keys(buildPrograms)].join("|")})\b\}?"?(?:(?![/"\w])|/+(?:etc|usr|bin|sbin|lib|boot|dev|proc|sys|var|root|home|Users|opt)\b)`,
  "gu",
);
