import { err, ok, type Result } from "../../base/result.ts";
import type { SecretAsker } from "../../contracts/host/ports.ts";

/** The password for `sudo` in commands: from the settings, else asked of the person once for a conversation. */
export interface SudoPassword {
  get(signal: AbortSignal): Promise<Result<string, { readonly reason: string }>>;
  /** It was wrong: the person is asked again. One from the settings stays what it is. */
  forget(): void;
}

export interface SudoDeps {
  /** SUDO_PASSWORD; an empty one counts as configured. */
  readonly configured: string | undefined;
  readonly asker: SecretAsker | undefined;
  /** Hides it wherever it would be shown. */
  readonly hide: (secret: string) => void;
}

export function createSudoPassword({ configured, asker, hide }: SudoDeps): SudoPassword {
  let asked: Promise<Result<string, { readonly reason: string }>> | undefined;

  async function ask(signal: AbortSignal): Promise<Result<string, { readonly reason: string }>> {
    if (!asker) return err({ reason: "nobody is there to ask; set SUDO_PASSWORD in the home's .env" });
    const answer = await asker.askSecret("SUDO_PASSWORD", "Password for sudo", signal);
    if (!answer.ok) return err({ reason: reasons[answer.error.reason] });
    hide(answer.value);
    return ok(answer.value);
  }

  return {
    async get(signal) {
      if (configured !== undefined) return ok(configured);
      asked ??= ask(signal);
      const answer = await asked;
      // A refusal holds for this command alone.
      if (!answer.ok) asked = undefined;
      return answer;
    },
    forget() {
      asked = undefined;
    },
  };
}

const reasons = {
  declined: "the password was not given",
  timeout: "nobody gave the password in time",
  aborted: "interrupted",
} as const;
