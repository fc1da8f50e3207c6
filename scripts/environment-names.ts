import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { endpointRows } from "../src/providers/endpoints/find-row.ts";

/**
 * Descriptions of the variables that the code reads directly. A missing description fails the build of the reference.
 */
const meanings: Readonly<Record<string, string>> = {
  APPTAINER_CACHEDIR: "Cache of images that Apptainer builds.",
  AWS_DEFAULT_REGION: "Region of Amazon Bedrock, if `AWS_REGION` is not set.",
  AWS_REGION: "Region of Amazon Bedrock.",
  AZURE_CLIENT_ID: "Account of Azure, with `AZURE_TENANT_ID` and `AZURE_CLIENT_SECRET`.",
  AZURE_CLIENT_SECRET: "Secret of the Azure account.",
  AZURE_TENANT_ID: "Tenant of the Azure account.",
  CAMOFOX_ACCESS_KEY: "Key of the Camofox server, if it requires one.",
  CAMOFOX_URL: "Address of a Camofox server, for `browser.backend: camofox`.",
  CARGO_HOME: "Cache of cargo, writable in the sandbox.",
  COLORFGBG: "Set by some terminals: the screen uses it to tell light from dark.",
  COLORTERM: "`truecolor` or `24bit`: the screen uses 24-bit colours.",
  CONDA_PREFIX: "The active Conda environment, whose Python runs scripts.",
  DAYTONA_API_KEY: "Key of the daytona backend.",
  DAYTONA_ORGANIZATION_ID: "Organization of the daytona backend.",
  DISPLAY: "Set by X11: the clipboard is read with xclip, and `hermes browser open` shows its window there.",
  EDITOR: "The editor of `hermes config edit` and of Ctrl-G, if `VISUAL` is not set.",
  FORCE_COLOR: "0: no colours; 1, 2 or 3: 16, 256 or 24-bit colours.",
  GITHUB_TOKEN: "Token for skills on GitHub.",
  GOOGLE_CLOUD_LOCATION: "Region of Vertex AI.",
  GOOGLE_CLOUD_PROJECT: "Project of Vertex AI.",
  GOPATH: "Cache of Go, writable in the sandbox.",
  GRADLE_USER_HOME: "Cache of Gradle, writable in the sandbox.",
  HERMES_API_TIMEOUT: "Timeout of a model request in seconds.",
  HERMES_BACKUP_PASSPHRASE:
    "The passphrase of the secrets in backups, for `hermes backup` and `hermes restore` without a terminal.",
  HERMES_BUNDLED_PLUGINS: "The folder of the bundled plugins. Default: the one in the installation.",
  HERMES_DEBUG: "Print a stack trace when an unexpected error happens.",
  HERMES_ENABLE_PROJECT_PLUGINS: "1: enable all plugins of the project. You must trust the project all the same.",
  HERMES_HOME: "The home folder of Hermes. Default: `~/.hermes`.",
  HERMES_MCP_TOKEN:
    "The token that clients of `hermes mcp serve --http` must send. Default: the token that is stored in the home.",
  HERMES_INFERENCE_MODEL: "The model, also for `--provider` without `--model`.",
  HERMES_PLUGINS_DEBUG: "1: show each plugin with its state at the start.",
  HERMES_RPC_SOCKET: "Set by Hermes for scripts of `execute_code`: the address of the connection to the tools.",
  HERMES_RPC_TOKEN: "Set by Hermes for scripts of `execute_code`: the token of one run.",
  HERMES_SCREEN_READER: "1: the plain chat, line by line, which suits screen readers.",
  HERMES_TIMEZONE: "The time zone of scripts.",
  HERMES_TUI: "1: `hermes` opens the full screen; 0: the plain chat.",
  HERMES_TUI_THEME: "`light` or `dark`: the background of the terminal. Default: Hermes asks the terminal.",
  HERMES_WRITE_SAFE_ROOT: "Folders, separated by colons. File tools can write only there.",
  HERMES_YOLO_MODE: "1, true, yes or on: approvals are off in a chat. Hard blocks and deny rules still apply.",
  HOME: "Your home folder.",
  KITTY_WINDOW_ID: "Set by kitty: the screen uses kitty's notification protocol.",
  KUBECONFIG: "Settings of Kubernetes, hidden in the sandbox.",
  MODAL_TOKEN_ID: "Token of the modal backend, with `MODAL_TOKEN_SECRET`.",
  MODAL_TOKEN_SECRET: "Secret of the modal token.",
  NO_COLOR: "If set, Hermes prints no colours.",
  NPM_CONFIG_PREFIX: "Where npm installs global packages, which may be plugins.",
  PATH: "Where programs are found.",
  SHELL: "Your shell, for local commands.",
  SSH_AUTH_SOCK: "Set by the agent that holds your SSH keys: git uses it to fetch before it makes a worktree.",
  SINGULARITY_CACHEDIR: "Cache of images that Singularity builds.",
  STY: "Set by GNU Screen, which truncates lines when the window becomes narrower.",
  SUDO_PASSWORD: "The password for sudo in commands.",
  TERM: "`dumb`: no escape sequences.",
  TERM_PROGRAM: "Set by some terminals: the screen derives from it which colours the terminal supports.",
  TMUX: "Set by tmux.",
  USER: "Your name.",
  USERPROFILE: "Your home folder on Windows.",
  VERTEX_PROJECT_ID: "Project of Vertex AI.",
  VERTEX_REGION: "Region of Vertex AI.",
  VIRTUAL_ENV: "The Python environment, whose packages may be plugins.",
  XDG_CONFIG_HOME: "Where `hermes setup` puts the completion for fish. Default: `~/.config`.",
  ZELLIJ: "Set by Zellij, which draws no pictures.",
  XDG_DATA_HOME: "Where `hermes setup` puts the completion for bash. Default: `~/.local/share`.",
  CLAUDE_CONFIG_DIR: "The folder of Claude Code to import from. Default: `~/.claude`.",
  CODEX_HOME: "The folder of Codex to import from. Default: `~/.codex`.",
  FORCE_HYPERLINK: "1: write links that a terminal can open; 0: never.",
  TERM_PROGRAM_VERSION: "Version of the terminal, to know whether it can open links.",
  WT_SESSION: "Set by Windows Terminal, which can open links.",
  KONSOLE_VERSION: "Set by Konsole, which can open links.",
  VISUAL: "The editor of `hermes config edit` and of Ctrl-G.",
  VTE_VERSION: "Set by VTE terminals: the screen uses their notification protocol.",
  WAYLAND_DISPLAY: "Set by Wayland: the clipboard is read with wl-paste.",
  WSL_DISTRO_NAME: "Set by Windows Subsystem for Linux: the clipboard is read with PowerShell.",
  XAUTHORITY: "The key of the X server, for a window of `hermes browser open`. Default: `~/.Xauthority`.",
  XTERM_VERSION: "Set by xterm, which truncates lines when the window becomes narrower.",
};

/** Every environment variable that the source reads, with its meaning, except the API keys of providers. */
export function environmentNames(): readonly (readonly [name: string, meaning: string])[] {
  const root = join(import.meta.dirname, "..");
  const files = globSync("src/**/*.ts", { cwd: root }).filter((file) => !file.endsWith(".test.ts"));
  const names = new Set(
    files.flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(reads)].map(([, ...groups]) => nameIn(groups)),
    ),
  );
  const unknown = [...names].filter((name) => meanings[name] === undefined);
  const unread = Object.keys(meanings).filter((name) => !names.has(name));
  if (unknown.length + unread.length > 0)
    throw new Error(`scripts/environment-names.ts: add ${unknown.join(", ")}; remove ${unread.join(", ")}`);
  const providers = endpointRows.flatMap(({ title, keyVars, accountVars = [], baseUrlVar, program }) => [
    ...keyVars.map((name) => [name, `Key for ${title}.`] as const),
    ...accountVars.map((name) => [name, `File with an account for ${title}.`] as const),
    ...(baseUrlVar === undefined ? [] : [[baseUrlVar, `Address of ${title}.`] as const]),
    ...(program === undefined ? [] : [[program.argsVar, `Arguments of the program of ${title}.`] as const]),
  ]);
  const all = new Map<string, string>();
  for (const [name, meaning] of [...Object.entries(meanings), ...providers])
    if (!all.has(name)) all.set(name, meaning);
    else if (all.get(name) !== meaning) all.set(name, `${all.get(name)} ${meaning}`);
  return [...all].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** `env["NAME"]`, `env.NAME`, `env("NAME")` and `secrets.get("NAME")`. */
const reads =
  /\b(?:env\??\.?\["([A-Z][A-Z0-9_]+)"\]|env\.([A-Z][A-Z0-9_]+)\b|env\("([A-Z][A-Z0-9_]+)"\)|secrets\.get\("([A-Z][A-Z0-9_]+)"\))/gu;

function nameIn(groups: readonly (string | undefined)[]): string {
  return groups.find((each) => each !== undefined) ?? "";
}
