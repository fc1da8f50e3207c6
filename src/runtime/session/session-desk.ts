import { join, resolve } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { err, ok } from "../../base/result.ts";
import { userFolder } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { SessionDesk } from "../../contracts/session/session-desk.ts";
import type { SessionStore } from "../../contracts/session/session.ts";
import { openRedactor } from "../policy/open-redactor.ts";

export interface SessionDeskDeps {
  readonly store: SessionStore;
  readonly who: Principal;
  /** Where files of a bare name are written. */
  readonly cwd: string;
  readonly clock: Clock;
}

export function createSessionDesk(config: LoadedConfig, { store, who, cwd, clock }: SessionDeskDeps): SessionDesk {
  return {
    now: clock.now,
    list: (limit) => store.list({ limit }, who),
    find: (text) => store.find(text, who),
    async export(id, asked, signal) {
      const record = await store.get(id, who);
      if (!record) return err({ message: `There is no session ${id}.` });
      const { exportFormats, exportSessions, formatOf, writeExport } =
        await import("../../sessions/export/export-sessions.ts");
      const file = resolve(cwd, fromHome(asked ?? `hermes-${id}.html`, userFolder(config.env)));
      const format = formatOf(file);
      if (!format)
        return err({
          message: `A file ends in ${exportFormats.map((each) => `.${each}`).join(", ")}: what it is to be.`,
        });
      const { redact } = openRedactor(config.secrets, config.home);
      const pieces = exportSessions([record], format, { store, redact, signal });
      const written = await writeExport(file, pieces, { overwrites: false });
      return written.ok ? ok({ file, bytes: written.value }) : written;
    },
  };
}

/** `~/a.html`, as a shell would read it. */
function fromHome(file: string, folder: string): string {
  return /^~[/\\]/u.test(file) ? join(folder, file.slice(2)) : file;
}
