import type { FindingClass, Severity } from "./skill-scan.ts";

/** The severity of a command or code rule in a skill. Rules about normal work are omitted. */
export interface JudgedRule {
  readonly class: FindingClass;
  readonly inScript: Severity;
  /** True if the code is in a block that is only shown to a person or the model. */
  readonly inProse: Severity;
}

const both = (of: FindingClass, severity: Severity): JudgedRule => ({
  class: of,
  inScript: severity,
  inProse: severity,
});
const less = (of: FindingClass, inScript: Severity, inProse: Severity): JudgedRule => ({
  class: of,
  inScript,
  inProse,
});

export const judgedRules: Readonly<Partial<Record<string, JudgedRule>>> = {
  delete_root: both("destructive", "critical"),
  format_disk: both("destructive", "critical"),
  raw_disk: both("destructive", "critical"),
  fork_bomb: both("destructive", "critical"),
  kill_all: both("destructive", "critical"),
  power: less("destructive", "high", "medium"),
  shred: less("destructive", "high", "medium"),
  reverse_shell: both("network", "critical"),
  hidden_code: both("obfuscation", "critical"),
  remote_code: both("supply_chain", "high"),
  exfiltration: less("exfiltration", "medium", "medium"),
  send_unknown: less("exfiltration", "medium", "medium"),
  secret_read: less("credential_exposure", "high", "medium"),
  user_secret: less("persistence", "high", "medium"),
  persistence: less("persistence", "high", "medium"),
  own_files: less("persistence", "high", "medium"),
  own_process: less("persistence", "high", "medium"),
  loader_variable: less("execution", "high", "medium"),
  system_file: less("privilege_escalation", "high", "medium"),
  sudo_password: less("privilege_escalation", "high", "medium"),
  user_account: less("privilege_escalation", "high", "medium"),
  container_escape: less("privilege_escalation", "high", "medium"),
  kernel: less("privilege_escalation", "high", "medium"),
  firewall: less("privilege_escalation", "high", "medium"),
  permission_open: less("privilege_escalation", "medium", "medium"),
  logging_off: both("obfuscation", "high"),
  fooling_text: less("obfuscation", "medium", "medium"),
  unreadable_code: less("obfuscation", "medium", "medium"),
  too_much: both("obfuscation", "high"),
  unknown_code: less("execution", "medium", "medium"),
  inline_code: less("execution", "medium", "medium"),
};

/** Well-known installers on their official sites. */
export const knownInstallers =
  /https:\/\/(?:astral\.sh|bun\.sh|deno\.land|sh\.rustup\.rs|get\.docker\.com|get\.pnpm\.io|install\.python-poetry\.org|fnm\.vercel\.app|raw\.githubusercontent\.com\/(?:Homebrew|nvm-sh|helm|ohmyzsh|pyenv|asdf-vm)|get\.helm\.sh|cli\.github\.com|starship\.rs|mise\.run|get\.k3s\.io|tailscale\.com|ollama\.com|pyenv\.run|nixos\.org|install\.determinate\.systems|get\.sdkman\.io|pixi\.sh|volta\.sh|get\.volta\.sh|fly\.io|cli\.doppler\.com|sdk\.cloud\.google\.com|aka\.ms|dot\.net|claude\.ai|opencode\.ai|(?:deb|rpm)\.nodesource\.com)\b/iu;
