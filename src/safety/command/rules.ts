/** Why a command is refused or asked about. */
export interface Rule {
  /** `hardline`: refused whoever asks. `dangerous`: asked about. */
  readonly severity: "hardline" | "dangerous";
  /** For a person: what the command would do. */
  readonly sentence: string;
}

const hardline = (sentence: string): Rule => ({ severity: "hardline", sentence });
const dangerous = (sentence: string): Rule => ({ severity: "dangerous", sentence });

/** Rules as data. Ids are stable: settings and the audit log name them. */
export const rules = {
  // ── never ─────────────────────────────────────────────────────────────────────────────────────────────────────────
  delete_root: hardline("deletes the root folder, a system folder or a whole home folder"),
  format_disk: hardline("makes a new file system over what is there"),
  raw_disk: hardline("writes over a disk below its file system"),
  fork_bomb: hardline("starts itself again without end until the machine stands still"),
  kill_all: hardline("ends every process of the machine"),
  power: hardline("switches the machine off or restarts it"),
  // ── files ─────────────────────────────────────────────────────────────────────────────────────────────────────────
  delete_recursive: dangerous("deletes a folder with all that is in it"),
  delete_absolute: dangerous("deletes outside the workspace, or by an absolute path"),
  delete_listed: dangerous("deletes what a list or a search finds"),
  delete_unknown: dangerous("deletes something that cannot be known before it runs"),
  overwrite_unknown: dangerous("overwrites something that cannot be known before it runs"),
  permission_unknown: dangerous("changes rights of something that cannot be known before it runs"),
  permission_open: dangerous("lets everybody write, or gives a program the rights of its owner"),
  owner_root: dangerous("gives folders with all that is in them to root"),
  system_file: dangerous("changes a file of the system"),
  user_secret: dangerous("changes a file that holds keys, or that every shell reads"),
  secret_read: dangerous("reads a file that holds keys or passwords"),
  project_config: dangerous("overwrites a file of settings or keys of the project"),
  outside_workspace: dangerous("changes a file outside the workspace"),
  own_files: dangerous("changes files of Hermes itself"),
  read_disk: dangerous("copies a disk or a file byte by byte"),
  shred: dangerous("makes a file impossible to recover"),
  truncate: dangerous("empties a file"),
  // ── code ──────────────────────────────────────────────────────────────────────────────────────────────────────────
  unknown_program: dangerous("runs a program whose name cannot be known before it runs"),
  unknown_code: dangerous("runs code that cannot be known before it runs"),
  remote_code: dangerous("runs code that comes from the network"),
  hidden_code: dangerous("runs code that was hidden by encoding it"),
  inline_code: dangerous("runs code that deletes, sends or starts something"),
  unreadable_code: dangerous("runs code that cannot be read"),
  unparsable: dangerous("cannot be read as a shell would read it"),
  too_much: dangerous("is too long or nests too deep to be judged"),
  fooling_text: dangerous("has characters in it that hide what it does"),
  shadowing: dangerous("changes what a common command does from now on"),
  loader_variable: dangerous("sets a variable that makes other programs load or run something"),
  made_executable: dangerous("makes a file a program and runs it"),
  exec_option: dangerous("lets a program that only reads run another one"),
  // ── machine ───────────────────────────────────────────────────────────────────────────────────────────────────────
  service: dangerous("stops, restarts or disables a service"),
  kill_force: dangerous("ends processes by force or by name"),
  privilege: dangerous("raises privileges or changes who has them"),
  sudo_password: dangerous("hands a password to sudo or opens a shell with it"),
  user_account: dangerous("changes users, groups or passwords"),
  firewall: dangerous("changes the firewall or the network of the machine"),
  kernel: dangerous("changes the kernel, its modules or its settings"),
  mount: dangerous("mounts or unmounts file systems"),
  partition: dangerous("changes partitions or volumes of a disk"),
  boot: dangerous("changes what is needed to start the machine, or its backups"),
  package_system: dangerous("removes packages of the system"),
  persistence: dangerous("makes something run again later without anybody asking"),
  logging_off: dangerous("removes traces or switches logging or protection off"),
  own_process: dangerous("stops or changes Hermes itself"),
  container: dangerous("stops or removes containers, or talks to another engine"),
  container_escape: dangerous("gives a container the rights of the machine"),
  // ── network ───────────────────────────────────────────────────────────────────────────────────────────────────────
  reverse_shell: dangerous("opens a shell to another machine"),
  exfiltration: dangerous("sends files or secrets to another machine"),
  send_unknown: dangerous("sends something that cannot be known before it runs"),
  // ── work ──────────────────────────────────────────────────────────────────────────────────────────────────────────
  git_discard: dangerous("throws away work that git has not stored"),
  git_rewrite: dangerous("rewrites or removes history that others may have"),
  git_config: dangerous("makes git run a program"),
  told_to_delete: dangerous("tells a program that is not known here to delete or destroy something"),
  cloud_delete: dangerous("deletes resources of a cloud or cluster"),
  infrastructure: dangerous("changes or destroys infrastructure"),
  database: dangerous("deletes or changes data of a database without a condition"),
  publish: dangerous("publishes or removes a package or release"),
  windows: dangerous("deletes or changes parts of Windows"),
} satisfies Readonly<Record<string, Rule>>;

export type RuleId = keyof typeof rules;
