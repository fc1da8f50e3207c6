import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { writeFileAtomic } from "../../../base/files/atomic-file.ts";
import { codeOf, describeFault } from "../../../base/files/file-fault.ts";
import { makeFolder } from "../../../base/files/make-folder.ts";
import { isObject } from "../../../base/json.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import type { Answer, PendingApproval } from "../../../contracts/safety/approval.ts";

/** Stores questions and their answers as files, so that any program of this home can see and answer them. */
export interface ApprovalStore {
  put(pending: PendingApproval): Promise<Result<void>>;
  /** Returns the questions whose process is still waiting, oldest first. Removes abandoned ones. */
  list(): Promise<readonly PendingApproval[]>;
  /** Stores an answer. Returns false if the question was already answered. */
  answer(id: string, given: StoredAnswer): Promise<Result<boolean>>;
  answered(id: string): Promise<StoredAnswer | undefined>;
  remove(id: string): Promise<void>;
}

export interface StoredAnswer {
  /** The answer. Undefined if nobody answered in time. */
  readonly answer?: Answer;
  readonly by: string;
}

export interface StoreOptions {
  readonly folder: string;
  readonly now: () => number;
  readonly pid: number;
  /** Returns whether the waiting process is still running. */
  readonly isAlive: (pid: number) => boolean;
}

export function createApprovalStore({ folder, now, pid, isAlive }: StoreOptions): ApprovalStore {
  const questionFile = (id: string) => join(folder, `${id}.json`);
  const answerFile = (id: string) => join(folder, `${id}.answer`);

  async function remove(id: string): Promise<void> {
    await rm(questionFile(id), { force: true });
    await rm(answerFile(id), { force: true });
  }

  async function read(id: string): Promise<PendingApproval | undefined> {
    const stored = await readJson(questionFile(id));
    const pending = isObject(stored) ? stored["pending"] : undefined;
    if (!isObject(stored) || !isObject(pending) || pending["id"] !== id) return undefined;
    if (Number(pending["expiresAt"]) <= now() || !isAlive(Number(stored["pid"]))) {
      await remove(id);
      return undefined;
    }
    // Safe cast: `put` wrote the file, and only its owner can write in the folder.
    return Array.isArray(pending["asks"]) ? (pending as unknown as PendingApproval) : undefined;
  }

  return {
    async put(pending) {
      try {
        await makeFolder(folder, 0o700);
      } catch (thrown) {
        return err(describeFault(thrown, folder));
      }
      return writeFileAtomic(questionFile(pending.id), JSON.stringify({ pid, pending }), { mode: 0o600 });
    },
    async list() {
      const names = await readdir(folder).catch((): string[] => []);
      const ids = names.filter((name) => /^apr_[a-z0-9]+\.json$/u.test(name)).map((name) => name.slice(0, -5));
      const questions = await Promise.all(ids.map(read));
      // Removes answers that arrived after their question was removed.
      const late = names.filter((name) => name.endsWith(".answer") && !names.includes(`${name.slice(0, -7)}.json`));
      await Promise.all(late.map((name) => rm(join(folder, name), { force: true })));
      return questions.filter((pending) => pending !== undefined).toSorted((a, b) => a.askedAt - b.askedAt);
    },
    async answer(id, given) {
      try {
        // Only one writer can create the file, so the first answer wins.
        await writeFile(answerFile(id), JSON.stringify(given), { flag: "wx", mode: 0o600 });
        // The asking process removes the question before the answer. If the question is missing, another answer was
        // used.
        if ((await readJson(questionFile(id))) !== undefined) return ok(true);
        await rm(answerFile(id), { force: true });
        return ok(false);
      } catch (thrown) {
        return codeOf(thrown) === "EEXIST" ? ok(false) : err(describeFault(thrown, answerFile(id)));
      }
    },
    async answered(id) {
      const stored = await readJson(answerFile(id));
      if (stored === undefined || stored === "unfinished") return undefined;
      const by = isObject(stored) && typeof stored["by"] === "string" ? stored["by"] : "somebody";
      if (isObject(stored) && !("answer" in stored)) return { by };
      return { answer: answerOf(isObject(stored) ? stored["answer"] : undefined), by };
    },
    remove,
  };
}

/** Any answer that is not a clear approval denies the call. */
function answerOf(given: unknown): Answer {
  const scope = isObject(given) ? given["scope"] : undefined;
  if (scope === "once" || scope === "session") return { scope };
  if (scope === "always") {
    const rules = isObject(given) && Array.isArray(given["rules"]) ? given["rules"] : undefined;
    return { scope, ...(rules && { rules: rules.filter((rule) => typeof rule === "string") }) };
  }
  const reason = isObject(given) ? given["reason"] : undefined;
  return typeof reason === "string" && reason !== "" ? { scope: "deny", reason } : { scope: "deny" };
}

/** Returns the answer, or undefined if there is none. */
async function readJson(file: string): Promise<unknown> {
  try {
    const text = await readFile(file, "utf8");
    // The file exists, but its content is not written yet.
    return text === "" ? "unfinished" : JSON.parse(text);
  } catch (thrown) {
    return codeOf(thrown) === "ENOENT" ? undefined : null;
  }
}
