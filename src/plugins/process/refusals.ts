import { existsSync } from "node:fs";
import { dirname } from "node:path";

import { cut, oneLine } from "../../base/text/text.ts";
import type { RefusedAccess } from "./plugin-process.ts";

export interface RefusalDeps {
  /** The subject of messages to the user, such as "Plugin sample". */
  readonly who: string;
  /** Returns the command that grants this permission. */
  readonly allowCommand: (grant: string) => string;
  readonly report: (sentence: string) => void;
  readonly audit: (refusal: RefusedAccess) => void;
  /** A warning: why the user should hesitate to grant it. */
  readonly warningOf: (refusal: RefusedAccess) => string | undefined;
}

/** Reports and audits each refused access once. Untrusted code can send any number of refusals with any text. */
export function createRefusals({
  who,
  allowCommand,
  report,
  audit,
  warningOf,
}: RefusalDeps): (refusal: RefusedAccess) => void {
  const seen = new Set<string>();
  return ({ permission, target }) => {
    const shown = oneLine(cut(target, maxTargetChars), maxTargetChars);
    const grant = permission === "exec" ? permission : `${permission}:${shown}`;
    if (!Object.hasOwn(attempts, permission) || seen.has(grant) || seen.size >= maxRefusals) return;
    // An access to a missing file, or to a new file in a missing folder, failed for another reason and was not refused.
    if (permission === "read" && !existsSync(target)) return;
    if (permission === "write" && !existsSync(dirname(target))) return;
    seen.add(grant);
    audit({ permission, target: shown });
    const warning = warningOf({ permission, target });
    const advice = warning === undefined ? "To allow it" : `${warning} If you know why it needs this access`;
    report(`${who} tried to ${attempts[permission]} ${shown} and was refused. ${advice}: ${allowCommand(grant)}`);
    if (seen.size === maxRefusals) report(`${who} was refused ${maxRefusals} times; further refusals are not shown.`);
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
