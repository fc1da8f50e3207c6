import { type RuleId, rules } from "../../command/rules.ts";

/**
 * A key in the list of the Python version that allows a whole class of commands. It has no effect until a user confirms
 * it.
 */
export interface OldKey {
  readonly text: string;
  /** The rules that are stored when the key is confirmed. */
  readonly rules: readonly RuleId[];
}

/** Returns whether the entry is such a key. Commands and globs are ordinary rules. */
export function oldKey(text: string): OldKey | undefined {
  if (text.startsWith("tirith:")) return { text, rules: [] };
  const plain = text.trim().toLowerCase();
  const ruleIds = kinds.filter(([sign]) => sign.test(plain)).flatMap(([, ids]) => ids);
  return ruleIds.length === 0 ? undefined : { text, rules: [...new Set(ruleIds)] };
}

/** Tells the user what a confirmation would allow. */
export function oldKeyText({ text, rules: ids }: OldKey): string {
  if (ids.length === 0) return `"${text}" was about one conversation and allows nothing here`;
  return `"${text}" would allow every command that ${ids.map((id) => rules[id].sentence).join(", or that ")}`;
}

const kinds: readonly (readonly [RegExp, readonly RuleId[]])[] = [
  [/^(?:recursive delete|rm recursive|recursive rm)/u, ["delete_recursive"]],
  [/^delete in root path/u, ["delete_absolute"]],
  [/^(?:xargs with rm|find -(?:exec|execdir) rm|find -delete)/u, ["delete_listed"]],
  [/^(?:pipe remote content to shell|execute remote script|eval(?:\/source)? .*remote|remote exec)/u, ["remote_code"]],
  [/^(?:decode|base64|hex|obfuscat).*(?:pipe|shell|exec)/u, ["hidden_code"]],
  [/^script execution via (?:-e\/-c flag|heredoc)/u, ["inline_code", "unreadable_code"]],
  [/^shell command via -c/u, ["unknown_code"]],
  [/^(?:world\/other-writable permissions|chmod 777|world-writable)/u, ["permission_open"]],
  [/^recursive chown to root/u, ["owner_root"]],
  [/^disk copy/u, ["read_disk"]],
  [/^sql (?:drop|delete without where|truncate)/u, ["database"]],
  [/^(?:stop\/(?:restart|disable) system service|stop system service)/u, ["service"]],
  [/^(?:force kill processes|kill all processes)/u, ["kill_force"]],
  [/^(?:overwrite|copy\/move file into|in-place edit of) system (?:config|file)/u, ["system_file"]],
  [/^overwrite (?:project|user)? ?(?:env|config|secret)/u, ["project_config", "user_secret"]],
  [/^git (?:reset --hard|clean|branch force delete|checkout) .*\(.*\)/u, ["git_discard"]],
  [/^git force push/u, ["git_rewrite"]],
  [/^(?:stop\/restart hermes|kill hermes).*\(/u, ["own_process"]],
  [/^docker (?:restart|stop|kill|lifecycle).*\(.*\)/u, ["container"]],
  [/^sudo with/u, ["sudo_password", "privilege"]],
];
