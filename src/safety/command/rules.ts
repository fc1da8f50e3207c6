/** The reason why a command is denied or needs approval. */
export interface CommandRule {
  /** `hardline`: always denied. `dangerous`: needs approval. */
  readonly severity: "hardline" | "dangerous";
  /** Describes the effect of the command to a person. */
  readonly sentence: string;
}

const hardline = (sentence: string): CommandRule => ({ severity: "hardline", sentence });
const dangerous = (sentence: string): CommandRule => ({ severity: "dangerous", sentence });

/** Rules as data. Ids are stable: settings and the audit log name them. */
export const rules = {
  // ── always denied ─────────────────────────────────────────────────────────────────────────────────────────────────
  delete_root: hardline("deletes the root folder, a system folder or a whole home folder"),
  format_disk: hardline("formats a disk or a partition"),
  raw_disk: hardline("writes directly to a disk device"),
  fork_bomb: hardline("starts copies of itself without end"),
  kill_all: hardline("kills every process on the machine"),
  power: hardline("shuts down or restarts the machine"),
  // ── files ─────────────────────────────────────────────────────────────────────────────────────────────────────────
  delete_recursive: dangerous("deletes a file or a whole folder"),
  delete_absolute: dangerous("deletes files outside the workspace or by an absolute path"),
  delete_listed: dangerous("deletes the files that a list or a search returns"),
  delete_unknown: dangerous("deletes a path that is unknown until the command runs"),
  overwrite_unknown: dangerous("overwrites a path that is unknown until the command runs"),
  permission_unknown: dangerous("changes permissions of a path that is unknown until the command runs"),
  permission_open: dangerous("makes files writable for everybody or sets the setuid bit"),
  owner_root: dangerous("gives a folder and everything in it to root"),
  system_file: dangerous("changes a system file"),
  user_secret: dangerous("changes a file with keys or a start-up file of the shell"),
  secret_read: dangerous("reads a file with keys or passwords"),
  project_config: dangerous("overwrites a settings file or a key file of the project"),
  outside_workspace: dangerous("changes a file outside the workspace"),
  own_files: dangerous("changes files of Hermes"),
  read_disk: dangerous("copies a disk or a file byte by byte"),
  format_image: dangerous("creates a file system in a file, which replaces its content"),
  shred: dangerous("makes a file unrecoverable"),
  truncate: dangerous("empties a file"),
  // ── code ──────────────────────────────────────────────────────────────────────────────────────────────────────────
  unknown_program: dangerous("runs a program whose name is unknown until the command runs"),
  unknown_code: dangerous("runs code that is unknown until the command runs"),
  remote_code: dangerous("runs code from the network"),
  hidden_code: dangerous("runs code that is hidden in an encoding"),
  inline_code: dangerous("runs code that deletes, sends or starts something"),
  unreadable_code: dangerous("runs code that Hermes cannot analyse"),
  unparsable: dangerous("cannot be parsed as shell code"),
  too_much: dangerous("is too long or too deeply nested to analyse"),
  fooling_text: dangerous("contains characters that hide what it does"),
  shadowing: dangerous("redefines a common command"),
  loader_variable: dangerous("sets a variable that makes other programs load or run code"),
  made_executable: dangerous("makes a file executable and runs it"),
  exec_option: dangerous("makes a program that only reads run another program"),
  // ── machine ───────────────────────────────────────────────────────────────────────────────────────────────────────
  service: dangerous("stops, restarts or disables a service"),
  kill_force: dangerous("kills processes by force or by name"),
  privilege: dangerous("raises privileges, changes who has them, or attaches to another process"),
  sudo_password: dangerous("passes a password to sudo, opens a root shell or lists what sudo allows"),
  user_account: dangerous("changes users, groups or passwords"),
  firewall: dangerous("changes the firewall or the network settings of the machine"),
  kernel: dangerous("changes the kernel, its modules or its settings"),
  mount: dangerous("mounts or unmounts file systems"),
  partition: dangerous("changes partitions or volumes of a disk"),
  boot: dangerous("changes the boot configuration or the backups of the machine"),
  package_system: dangerous("removes system packages"),
  persistence: dangerous("makes something run later or at start-up"),
  logging_off: dangerous("removes logs or turns off logging or protection"),
  own_process: dangerous("stops or changes Hermes"),
  container: dangerous("stops or removes containers, or uses another container engine"),
  container_escape: dangerous("gives a container access to the host"),
  // ── network ───────────────────────────────────────────────────────────────────────────────────────────────────────
  reverse_shell: dangerous("opens a shell to another machine"),
  exfiltration: dangerous("sends files or secrets to another machine"),
  send_unknown: dangerous("sends data that is unknown until the command runs"),
  // ── work ──────────────────────────────────────────────────────────────────────────────────────────────────────────
  git_discard: dangerous("discards work that is not committed"),
  git_rewrite: dangerous("rewrites or removes history that others may have fetched"),
  git_config: dangerous("makes git run a program"),
  told_to_delete: dangerous("tells an unknown program to delete or destroy something"),
  cloud_delete: dangerous("deletes resources in a cloud or a cluster"),
  infrastructure: dangerous("changes or destroys infrastructure"),
  database: dangerous("deletes or changes data in a database without a condition"),
  publish: dangerous("publishes or removes a package or release"),
  windows: dangerous("deletes or changes parts of Windows"),
} satisfies Readonly<Record<string, CommandRule>>;

export type RuleId = keyof typeof rules;
