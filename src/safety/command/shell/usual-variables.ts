/**
 * Variables that are what they are on every machine, as far as it matters: programs lie there, and nothing there may be
 * changed without a question.
 */
export function usualVariables(home: string): readonly (readonly [string, string])[] {
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
    // Files of a build server for what a step tells the next ones.
    ...["GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STEP_SUMMARY", "RUNNER_TEMP"].map(
      (name) => [name, `/tmp/${name.toLowerCase()}`] as const,
    ),
    // PowerShell's: no shell of ours has them.
    ...["env", "Env", "PSVersionTable"].map((name) => [name, `/usr/lib/powershell/${name}`] as const),
  ];
}
