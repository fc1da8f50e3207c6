import { chmodSync, chownSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";

import { valueOr } from "../../base/result.ts";

/** An unprivileged account of this system. */
export interface BrowserAccount {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * The account that runs the browser for root, because Chromium's sandbox refuses root. Undefined if this process is
 * not root, or the system has no such account.
 */
export function browserAccount(passwd: string = readPasswd(), uid = process.getuid?.()): BrowserAccount | undefined {
  if (uid !== 0) return undefined;
  const accounts = passwd.split("\n").flatMap((line) => {
    const [name = "", , userId = "", groupId = ""] = line.split(":");
    const account = { name, uid: Number(userId), gid: Number(groupId) };
    return name !== "" && account.uid > 0 && account.gid > 0 ? [account] : [];
  });
  return accounts.find(({ name }) => name === "hermes-browser") ?? accounts.find(({ name }) => name === "nobody");
}

function readPasswd(): string {
  return valueOr(() => readFileSync("/etc/passwd", "utf8"), "");
}

/** Creates a folder that only the account, or else this user, can read. */
export function makeBrowserFolder(folder: string, account: BrowserAccount | undefined): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!account) return;
  chownSync(folder, account.uid, account.gid);
  chmodSync(folder, 0o700);
}

/** Whether the account can reach files in the folder, because it may enter every folder above it. */
export function canReach(folder: string, { uid, gid }: BrowserAccount): boolean {
  for (let each = dirname(folder); ; each = dirname(each)) {
    const stats = valueOr(() => statSync(each), undefined);
    if (!stats) return false;
    const bit = stats.uid === uid ? 0o100 : stats.gid === gid ? 0o010 : 0o001;
    if ((stats.mode & bit) === 0) return false;
    if (each === dirname(each)) return true;
  }
}
