import { slowestFiles, slowestFirst } from "./test-times.ts";

/**
 * Integration tests that run the whole runtime in their own process and change nothing in it: no variable, folder or
 * handler of the process. The files of a line share a process, which loads and compiles the sources once for all of
 * them. Each file that shares one saves about 0.9 seconds of processor time. The groups that take longest start first.
 */
const sharing = [
  // In this order: the last file removes all containers of the engine that the three share.
  "docker-environment remote-checkpoints session-containers",
  "code-guide plugin-templates plugins-guide python-guide quoted-command read-only-home real-clients resume run-by-client script-by-input session-worktrees upkeep-commands wire-protocols",
  "agents-in-chat approval-prompt approvals chat chat-flags chat-questions chat-typing chat-view clarify notices-and-tool-lines",
  "approval-races file-tools model-client model-interplay process-tool session-search-tool speech-providers turn-interplay web-services write-file",
  "screen screen-background screen-newcomer screen-panels screen-pictures screen-queue screen-terminal screen-tmux screen-typing screen-waits",
  "checkpoint-crash child-program config-writers file-lock leftovers load-group log-file remote-contents session-erasure skills-crash speech-to-text",
  "code-kernels code-wire-faults command-equivalence mcp-real-servers shell-hooks verdict",
  "mcp-advisories mcp-clients mcp-content mcp-program mcp-reconnects mcp-serve-killed mcp-terminal",
  "browser-attached browser-cloud browser-conversation browser-hostile browser-killed browser-page browser-records browser-sandbox browser-window execute-code-browser pictures",
  "agents-guide audit-show bundled-plugins cli completion config-start docker-command id-beginnings key-files-guide policy-elsewhere profiles",
  "session-commands session-files shell-state-approval skill-grants skills slash-commands smart-review taint tokenizer vision",
  "execute-code-session plugin-contributions plugin-hooks plugin-objects plugin-requests plugin-ui published-plugins",
  "nested-calls resume-crash search-files swapped-folders turn-crash write-faults",
  "agent-worktrees agents child-workspaces goals goals-guide learnings session-mail shared-tree",
  "model-commands plugin-commands plugin-install plugins-in-chat replay-command sign-in skills-hub",
  "model-change nested-repositories offline-model plan-mode principals prompt queue-and-compress references replay",
  "checkpoints compaction contributions hook-arguments interrupt-compaction kernel-faults library loops-in-hosts",
  "mcp-chat mcp-serve mcp-serve-content mcp-serve-http mcp-serve-truth memory mixture-tool moa",
  "aws-chain mcp-asks mcp-connections mcp-hostile mcp-network mcp-tls model-lists plugin-kinds searx web-pages",
  "node-plugin-parts node-plugins plugin-client plugin-data plugin-providers plugin-refusals python-context python-imports python-plugins",
  "bedrock-keys copilot-acp plugin-network plugin-other-sandboxes plugin-swap talk voice-mode",
  "code-hints code-modules file-sync google-token guarded-fetch local-servers mcp-sign-in mcp-sign-in-hostile mcp-tokens media-generate move-folder open-environment wire-http",
  "agent-delivery child-session folder-hints hooks internal-summary service-effects titles trajectories",
];

/** The groups as paths of test files. */
export const sharingFiles: readonly (readonly string[])[] = sharing.map((line) =>
  line.split(" ").map((name) => `test/integration/${name}.test.ts`),
);

/** The integration tests by process, in the order in which the processes start: slow files, groups, the others. */
export function processesOf(files: readonly string[]): readonly (readonly string[])[] {
  const groups = sharingFiles.map((group) => group.filter((file) => files.includes(file)));
  const shared = new Set(groups.flat());
  const alone = slowestFirst(files.filter((file) => !shared.has(file))).map((file) => [file]);
  const slow = alone.filter(([file = ""]) => slowestFiles.includes(file));
  const filled = groups.filter((group) => group.length > 0);
  return [...slow, ...filled, ...alone.slice(slow.length)];
}
