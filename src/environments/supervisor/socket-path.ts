import { closeSync, constants, openSync } from "node:fs";
import { join } from "node:path";

/**
 * A short path to the socket for any folder: a socket address holds about a hundred bytes. Valid until disposed. Throws
 * when the folder cannot be opened.
 */
export function socketPath(folder: string): { readonly path: string } & Disposable {
  const path = join(folder, socketName);
  if (Buffer.byteLength(path) <= maxAddressBytes || process.platform !== "linux") {
    return { path, [Symbol.dispose]() {} };
  }
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  return { path: `/proc/self/fd/${fd}/${socketName}`, [Symbol.dispose]: () => closeSync(fd) };
}

export const socketName = "supervisor.sock";
const maxAddressBytes = 100;
