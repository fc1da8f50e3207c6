import { join } from "node:path";

import type { Clock } from "../base/clock.ts";
import { createFileLog, type FileLog } from "../base/log/log-file.ts";
import { homeFiles } from "../config/home.ts";
import type { LoadedConfig } from "../config/load.ts";

/**
 * Opens the log of this process in the home, with every configured secret masked. The file is created with the first
 * line.
 */
export function openLog({ home, values }: LoadedConfig, redact: (text: string) => string, clock: Clock): FileLog {
  return createFileLog({
    folder: join(home.path, homeFiles.logs),
    level: values.logging.level,
    maxFileBytes: values.logging.max_file_mb * 1_000_000,
    maxTotalBytes: values.logging.max_total_mb * 1_000_000,
    redact,
    clock,
  });
}
