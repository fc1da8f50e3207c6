/** A part of the original text: from `start` up to `end`, exclusive. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** One finding. `quote` is the original text at that position, shortened if long. */
export interface TextFinding extends TextRange {
  readonly rule: string;
  /** Describes the finding to a person. */
  readonly says: string;
  /** The line number in the text, starting at 1. */
  readonly line: number;
  readonly quote: string;
}

/** Describes the finding of a rule, as a phrase that follows "the text …". */
export function describeFinding(rule: string): string {
  return sentences[rule] ?? "makes demands that the user did not make";
}

const sentences: Readonly<Record<string, string>> = {
  instruction_override: "tells the agent to ignore or override its instructions",
  role_change: "tells the agent to play another role without rules",
  prompt_leak: "asks for the instructions of the agent",
  hand_over_secrets: "demands keys, passwords or other secrets",
  hand_over_data: "demands that private data is sent to somebody else",
  read_secret_file: "demands that a file with secrets is read",
  keep_from_user: "demands that something is hidden from the user",
  deceive_user: "demands a false answer for the user",
  approval_bypass: "demands actions without approval, or claims that they are approved",
  lowers_the_guard: "demands that a safeguard is turned off",
  never_refuses: "forbids the agent to refuse",
  grants_access: "demands permissions for somebody",
  planted_memory: "demands to be stored in memory",
  planted_file: "demands a change to a file that is read or run later",
  planted_code: "demands foreign code in files of the user",
  remote_control: "demands that the agent follows orders from elsewhere",
  tool_abuse: "demands a tool call that the user did not request",
  addressed_to_model: "gives orders to any model that reads it",
  hidden_review: "tells reviewing models what to overlook",
  template_tokens: "contains chat template tokens",
  imitated_message: "imitates a system message or the end of a tool result",
  imitated_dialogue: "imitates a conversation in which the agent agrees",
  hidden_text: "contains text that only models see",
  invisible_text: "contains invisible characters",
  encoded_instructions: "contains encoded demands",
  image_exfiltration: "sends data out in an image URL",
  link_exfiltration: "sends data out in a URL",
  shell_exfiltration: "contains a command that sends secrets out",
  code_exfiltration: "contains code that sends secrets out",
  packs_secrets: "packs files with keys or passwords",
  opens_machine: "opens the machine to others or turns its protection off",
  runs_download: "runs code that is downloaded or encoded",
  reverse_shell: "opens a shell to another machine",
  dangerous_command: "contains a command that destroys or takes over the machine",
  swaps_address: "demands another payment address",
  secret_in_memory: "contains a secret that does not belong in memory",
  orders_to_agent: "reads like orders to the agent",
};
