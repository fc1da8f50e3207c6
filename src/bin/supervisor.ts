import { systemClock } from "../base/clock.ts";
import { runSupervisor } from "../environments/supervisor/run-supervisor.ts";

const [folder = "", idleMs = "", maxOutputBytes = "", searchPath = ""] = process.argv.slice(2);
await runSupervisor({
  folder,
  idleMs: Number(idleMs),
  maxOutputBytes: Number(maxOutputBytes),
  searchPath,
  clock: systemClock,
});
