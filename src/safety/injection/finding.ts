/** A part of the text that was given: from `start` up to, not with, `end`. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** What was found and where: `quote` is the place as it stands in the text, shortened when it is long. */
export interface Finding extends Place {
  readonly rule: string;
  /** The same in words for a person. */
  readonly says: string;
  /** The line of the text, from 1. */
  readonly line: number;
  readonly quote: string;
}

/** What a rule found, in words that follow "the text …". */
export function saysOf(rule: string): string {
  return sentences[rule] ?? "makes demands of the agent that its user did not make";
}

const sentences: Readonly<Record<string, string>> = {
  instruction_override: "tells the agent to drop its instructions or to put others above them",
  role_change: "tells the agent to be somebody else, without rules",
  prompt_leak: "asks for the instructions that the agent was given",
  hand_over_secrets: "wants keys, passwords or other secrets handed over",
  hand_over_data: "wants private data sent to somebody else",
  read_secret_file: "wants a file with secrets read",
  keep_from_user: "wants something kept from the user",
  deceive_user: "wants the user to be told something wrong",
  approval_bypass: "wants things done without asking, or says that they are approved",
  lowers_the_guard: "wants a safeguard off",
  never_refuses: "forbids the agent to refuse",
  grants_access: "wants rights given to somebody",
  planted_memory: "wants to be remembered for later conversations",
  planted_file: "wants a file changed that is read or run later",
  planted_code: "wants foreign code in files of the user",
  remote_control: "wants the agent to take orders from elsewhere",
  tool_abuse: "wants a tool used for something that the user did not ask for",
  addressed_to_model: "gives orders to whatever model reads it",
  hidden_review: "tells reviewing models what not to see",
  template_tokens: "has the marks with which a model tells apart who speaks",
  imitated_message: "imitates a message of the system or the end of a tool's result",
  imitated_dialogue: "imitates a conversation in which the agent has agreed",
  hidden_text: "has text for models that people do not see",
  invisible_text: "has characters that nobody sees",
  encoded_instructions: "has demands in an encoding",
  image_exfiltration: "would send data out in the address of an image",
  link_exfiltration: "would send data out in an address",
  shell_exfiltration: "has a command that sends secrets out",
  code_exfiltration: "has code that sends secrets out",
  runs_download: "runs something that is fetched from elsewhere or hidden in an encoding",
  reverse_shell: "opens a shell to somebody else",
  dangerous_command: "has a command that destroys or takes over the machine",
  swaps_address: "wants an address of payment changed",
  secret_in_memory: "holds a secret that should not be remembered",
  orders_to_agent: "reads like orders to the agent",
};
