import { join } from "node:path";

import type { Clock } from "../base/clock.ts";
import { newId, type SessionId } from "../base/ids.ts";
import type { Logger } from "../base/log.ts";
import type { Mask } from "../base/mask.ts";
import { once } from "../base/once.ts";
import { oneLine, plural } from "../base/text.ts";
import { userName } from "../base/this-user.ts";
import { homeFiles, userFolder } from "../config/home.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { Ledger, Policy } from "../contracts/dispatch.ts";
import type { CommandDefaults } from "../contracts/environment.ts";
import type { HookBus } from "../contracts/hook.ts";
import type { ContentPart, ToolCall } from "../contracts/message.ts";
import type { SecretAsker } from "../contracts/ports.ts";
import type { Catalog } from "../contracts/registry.ts";
import type { Place, ToolResult } from "../contracts/tool.ts";
import { createRealPaths } from "../environments/real-paths.ts";
import { createDispatcher } from "../kernel/dispatch/dispatcher.ts";
import { createFileReads } from "../kernel/file-reads.ts";
import { createInbox } from "../kernel/inbox.ts";
import { createProcessTable } from "../kernel/processes/process-table.ts";
import { openEnvironment, type TaskOverrides } from "./open-environment.ts";
import { createSpillStore } from "./spill-store.ts";
import { createSudoPassword } from "./sudo-password.ts";
import { workspaceOf } from "./workspace.ts";
import { createWriteAlone } from "./write-alone.ts";

/** Everything that a call needs and a list of tools does not: it is loaded by the first call. */
export interface Calls extends AsyncDisposable {
  /** Through the whole dispatch path, as asked by a person. Never rejects. */
  call(call: ToolCall, catalog: Catalog, signal: AbortSignal): Promise<ToolResult>;
  /** What background processes have told since somebody last asked. */
  messages(): readonly string[];
}

export interface CallDeps {
  /** Where the program was started. */
  readonly cwd: string;
  readonly task: TaskOverrides | undefined;
  readonly secretAsker: SecretAsker | undefined;
  readonly say: (sentence: string) => void;
  readonly hooks: HookBus;
  readonly policy: Policy;
  readonly ledger: Ledger;
  readonly mask: Mask;
  readonly clock: Clock;
  readonly log: Logger;
}

export function openCalls(config: LoadedConfig, deps: CallDeps): Calls {
  const { values, home, secrets } = config;
  const { clock, log, mask, say, hooks, policy, ledger } = deps;
  const commands = openEnvironment(config, { cwd: deps.cwd, clock, log, say }, deps.task);
  const dispatcher = createDispatcher({
    hooks,
    policy,
    ledger,
    resolver: createRealPaths(commands.environment.files),
    redactor: values.security.redact_secrets ? mask : { redact: (text) => text },
    spill: createSpillStore({ folder: join(home.path, homeFiles.results), maxTotalBytes: maxSpilledBytes }),
    clock,
    log,
    secrets: secrets.get,
    limits: {
      resultChars: values.tool_output.result_chars,
      turnChars: values.tool_output.turn_chars,
      timeoutMs: values.tools.timeout_s * 1000,
    },
  });
  const sessionId = newId<SessionId>("ses");
  const fileReads = {
    ...createFileReads({ lines: values.tool_output.max_lines, lineChars: values.tool_output.max_line_length }),
    writeAlone: createWriteAlone(join(home.root, homeFiles.fileWrites), { clock, log }),
    home,
  };
  const workspace = once(() => workspaceOf(commands.place.cwd, userFolder(config.env)));
  const sudo = createSudoPassword({
    configured: secrets.get("SUDO_PASSWORD"),
    asker: deps.secretAsker,
    hide: mask.add,
  });
  const commandDefaults: CommandDefaults = {
    timeoutMs: values.terminal.timeout * 1000,
    maxTimeoutMs: values.terminal.max_foreground_timeout * 1000,
    sudoPassword: sudo.get,
    forgetSudoPassword: sudo.forget,
  };
  const principal = { id: `local:${userName()}` };
  const inbox = createInbox();
  const { environment } = commands;
  const processes = createProcessTable({
    environment,
    inbox,
    redactor: mask,
    clock,
    log,
    program: newId("run"),
    principal: principal.id,
  });

  async function placeOf(): Promise<Place> {
    const { root } = commands.place.backend === "local" ? await workspace() : { root: undefined };
    return { ...commands.place, ...(root !== undefined && { workspace: root }) };
  }

  return {
    async call(call, catalog, signal) {
      return dispatcher.dispatch(call, {
        catalog,
        sessionId,
        origin: "user",
        principal,
        place: await placeOf(),
        services: { toolIndex: catalog.search, environment, commandDefaults, processes, fileReads },
        signal,
        emit() {},
      });
    },
    messages: () => inbox.take(sessionId).map(({ content }) => textOf(content)),
    async [Symbol.asyncDispose]() {
      const left = await processes.own(new AbortController().signal);
      if (left.length > 0) say(leavingText(left));
      await processes[Symbol.asyncDispose]();
      await commands[Symbol.asyncDispose]();
    },
  };
}

const maxSpilledBytes = 256_000_000;

/** The processes that leaving the program ends, named before it happens. */
function leavingText(left: readonly { readonly id: string; readonly command: string }[]): string {
  const named = left.slice(0, 20).map(({ id, command }) => `${id} (${oneLine(command, 80)})`);
  const more = left.length > named.length ? ` and ${left.length - named.length} more` : "";
  return `ending ${plural(left.length, "background process")} on leaving: ${named.join(", ")}${more}; keep: true lets one go on`;
}

function textOf(content: readonly ContentPart[]): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
