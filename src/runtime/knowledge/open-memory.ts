import { join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { sha256 } from "../../base/digest.ts";
import type { Logger } from "../../base/log/log.ts";
import { createNamedList, type NamedList } from "../../base/named-list.ts";
import { err, ok } from "../../base/result.ts";
import { oneLine, plural } from "../../base/text/text.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { isOwner } from "../../config/owner.ts";
import {
  type MemoryAuthor,
  type MemoryChange,
  type MemoryProvider,
  type MemoryStore,
  type MemoryTarget,
  memoryTargets,
} from "../../contracts/knowledge/memory.ts";
import type { MemoryProviderContribution } from "../../contracts/plugin/plugin.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { TurnCompanion } from "../../contracts/session/turn-companion.ts";
import { memoryCompanion, serviceText } from "../../memory/memory-companion.ts";
import { memoryBlock, safeEntries, createMemoryFiles, type MemoryFiles } from "../../memory/memory-files.ts";
import { createPendingChanges, type PendingChanges } from "../../memory/pending-changes.ts";
import { createJudge } from "../prompt/judge-text.ts";
import { builtinMemoryProviders } from "./memory-providers.ts";

export interface MemoryDeps {
  readonly principal: Principal;
  /** Default: the built-in ones. */
  readonly providers?: Pick<NamedList<MemoryProviderContribution>, "find">;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The memory of one user. */
export interface PersonalMemory {
  readonly folder: string;
  readonly files: MemoryFiles;
  readonly pending: PendingChanges;
  /** The files that the settings enable. */
  readonly targets: readonly MemoryTarget[];
  readonly provider: MemoryProvider | undefined;
  /** The store for a tool. `say`: shows a sentence to the user. */
  store(author: { readonly by: MemoryAuthor; readonly session?: string }, say: (sentence: string) => void): MemoryStore;
  /** Companions for the turns of a session; empty without an external memory service. */
  companion(of: { readonly session: string; readonly say: (sentence: string) => void }): readonly TurnCompanion[];
  /** Memory blocks for the prompt of a new session, and notices about notes that it omits. */
  blocks(signal: AbortSignal): Promise<{ readonly blocks: readonly string[]; readonly notices: readonly string[] }>;
}

/** Opens the memory. Files are read or created only at the first use. */
export function openMemory(
  config: LoadedConfig,
  { principal, providers = createNamedList(builtinMemoryProviders(config)), clock, log }: MemoryDeps,
): PersonalMemory {
  const { memory: settings } = config.values;
  const root = join(config.home.path, homeFiles.memories);
  const folder = isOwner(config, principal) ? root : join(root, "people", sha256(principal.id).slice(0, 32));
  const { on_full: onFull } = settings;
  const files = createMemoryFiles({
    folder,
    limits: {
      memory: { chars: settings.memory_char_limit, onFull },
      user: { chars: settings.user_char_limit, onFull },
    },
    clock,
  });
  const pending = createPendingChanges(folder, clock);
  const isOn = { memory: settings.memory_enabled, user: settings.user_profile_enabled };
  const targets = memoryTargets.filter((target) => isOn[target]);
  const provider = providers.find(settings.provider)?.create({ clock, log });
  const judge = createJudge(config.home.path, "memory");

  async function refusal(changes: readonly MemoryChange[]): Promise<string | undefined> {
    for (const change of changes) {
      const why = change.action === "remove" ? undefined : await judge(change.content);
      if (why !== undefined) return `the entry was not stored, because ${why}`;
    }
    return undefined;
  }

  return {
    folder,
    files,
    pending,
    targets,
    provider,
    store: (author, say) => ({
      read: files.read,
      async apply(target, changes, signal) {
        const refused = async (message: string) => err({ message, page: await files.read(target) });
        if (!isOn[target]) return refused(`${target} is switched off by the settings`);
        const why = await refusal(changes);
        if (why !== undefined) return refused(why);
        if (settings.write_approval && author.by !== "user") {
          const waits = await pending.add({ ...author, target, changes }, signal);
          if (!waits.ok) return refused(waits.error.message);
          say(
            `A change of the memory waits for you: /memory approve ${waits.value.id}, or /memory reject ${waits.value.id}.`,
          );
          return ok({ page: await files.read(target), evicted: [], pending: waits.value.id });
        }
        const result = await files.change(target, changes, author, signal);
        if (!result.ok) return refused(result.error.message);
        for (const note of result.value.evicted) {
          say(`The memory was full. Archived: "${oneLine(note, 100)}". To restore it: hermes memory undo`);
        }
        provider?.noteChange({ target, changes });
        return result;
      },
    }),
    companion: ({ session, say }) => (provider ? [memoryCompanion(provider, { session, judge, say, clock })] : []),
    async blocks(signal) {
      const blocks: string[] = [];
      const notices: string[] = [];
      for (const target of targets) {
        const page = await files.read(target);
        if (page.fault !== undefined) notices.push(`The memory cannot be used: ${page.fault}.`);
        const safe = await safeEntries(page.entries, judge);
        notices.push(...safe.notices);
        blocks.push(memoryBlock(target, safe.entries, page));
      }
      const damaged = await files.damagedHistory();
      if (damaged > 0)
        notices.push(`${plural(damaged, "line")} of the memory's history cannot be read; undo skips those changes.`);
      const more = (await provider?.promptBlock(signal)) ?? "";
      const why = more === "" ? undefined : await judge(more);
      if (why === undefined) blocks.push(more === "" ? "" : serviceText(provider?.name ?? "", more));
      else notices.push(`The answer of the memory service ${provider?.name} was omitted: ${why}.`);
      return { blocks: blocks.filter((block) => block !== ""), notices };
    },
  };
}
