import type { Clock } from "../base/clock.ts";
import type { Variables } from "../base/process/run-program.ts";
import type { Backend } from "../contracts/plugin/backend.ts";
import type { GuardedWeb } from "../contracts/safety/web.ts";

/** Parts of the program that speech is built on. */
export interface SpeechDeps {
  web(): Promise<GuardedWeb>;
  /** Reads a key from the environment or the home's `.env`. */
  secret(name: string): string | undefined;
  /** Variables for the user's own commands. */
  readonly env: Variables;
  /** Variables for other programs, without keys. */
  readonly programEnv: Variables;
  /** Services of plugins. */
  backends(): Promise<readonly Backend[]>;
  readonly clock: Clock;
  /** The folder for files that are deleted after a call. */
  readonly tempFolder: string;
}
