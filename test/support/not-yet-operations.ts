/** Files that still reach a service without an operation. It only ever gets shorter. */
export const notYetOperations: readonly string[] = [
  "src/hosts/cli/chat/open-chat.ts",
  "src/hosts/cli/chat/opening-lines.ts",
  "src/hosts/cli/chat/run-chat.ts",
  "src/hosts/cli/chat/run-piped-chat.ts",
  "src/hosts/cli/command.ts",
  "src/hosts/cli/config-faults.ts",
  "src/hosts/cli/run-cli.ts",
  "src/hosts/cli/start.ts",
  "src/hosts/library/create-runtime.ts",
];
