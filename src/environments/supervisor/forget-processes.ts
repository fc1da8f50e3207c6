import { processFolder } from "./process-folder.ts";
import { createProcessRecords } from "./process-record.ts";

/**
 * Deletes the commands and outputs of processes that these sessions started. Running processes are deleted when they
 * end.
 */
export function forgetProcesses(home: string, sessions: readonly string[]): void {
  const store = createProcessRecords(processFolder(home));
  for (const id of store.ids()) {
    const session = store.read(id)?.owner.session;
    if (session !== undefined && sessions.includes(session) && store.ending(id)) store.remove(id);
  }
}
