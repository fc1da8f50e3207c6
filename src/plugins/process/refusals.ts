import { existsSync } from "node:fs";
import { dirname } from "node:path";

import { quoteForShellIfNeeded } from "../../base/text/shell-quote.ts";
import { cut, oneLine } from "../../base/text/text.ts";
import type { RefusedAccess } from "./plugin-process.ts";

export interface RefusalDeps {
  readonly name: string;
  readonly report: (sentence: string) => void;
  readonly audit: (refusal: RefusedAccess) => void;
}

/** Reports and audits each refused thing once. A plugin can send any number and any text. */
export function createRefusals({ name, report, audit }: RefusalDeps): (refusal: RefusedAccess) => void {
  const seen = new Set<string>();
  return ({ permission, target }) => {
    const shown = oneLine(cut(target, maxTargetChars), maxTargetChars);
    const grant = permission === "exec" ? permission : `${permission}:${shown}`;
    if (!Object.hasOwn(attempts, permission) || seen.has(grant) || seen.size >= maxRefusals) return;
    // A file that does not exist was not refused, nor a new one in a folder that does not exist.
    if (permission === "read" && !existsSync(target)) return;
    if (permission === "write" && !existsSync(dirname(target))) return;
    seen.add(grant);
    audit({ permission, target: shown });
    report(
      `Plugin ${name} tried to ${attempts[permission]} ${shown} and was refused. To allow it: hermes plugins grant ${name} ${quoteForShellIfNeeded(grant)}`,
    );
    if (seen.size === maxRefusals) report(`Plugin ${name} was refused ${maxRefusals} times; more are not shown.`);
  };
}

const attempts: Readonly<Record<RefusedAccess["permission"], string>> = {
  read: "read",
  write: "write",
  net: "connect to",
  env: "see the variable",
  exec: "start",
};

const maxTargetChars = 200;
const maxRefusals = 50;
