import { err, ok, type Result } from "../../base/result.ts";
import type { SecretAsker } from "../../contracts/host/ports.ts";

/** The password for `sudo` in commands: from the settings, else the user is asked once per session. */
export interface SudoPassword {
  get(signal: AbortSignal): Promise<Result<string, { readonly reason: string }>>;
  /** Called if the password was wrong, to ask again. A configured password is kept. */
  forget(): void;
}

export interface SudoDeps {
  /** SUDO_PASSWORD; an empty value counts as configured. */
  readonly configured: string | undefined;
  readonly asker: SecretAsker | undefined;
  /** Masks the password wherever it would be shown. */
  readonly hide: (secret: string) => void;
}

export function createSudoPassword({ configured, asker, hide }: SudoDeps): SudoPassword {
  let pending: Promise<Result<string, { readonly reason: string }>> | undefined;

  async function ask(signal: AbortSignal): Promise<Result<string, { readonly reason: string }>> {
    if (!asker) return err({ reason: "no user can be asked; set SUDO_PASSWORD in the home's .env" });
    const answer = await asker.askSecret("SUDO_PASSWORD", "Password for sudo", signal);
    if (!answer.ok) return err({ reason: reasons[answer.error.reason] });
    hide(answer.value);
    return ok(answer.value);
  }

  return {
    async get(signal) {
      if (configured !== undefined) return ok(configured);
      pending ??= ask(signal);
      const answer = await pending;
      // If the user declines, that applies to this command only.
      if (!answer.ok) pending = undefined;
      return answer;
    },
    forget() {
      pending = undefined;
    },
  };
}

const reasons = {
  declined: "the user did not enter the password",
  timeout: "the password prompt timed out",
  aborted: "interrupted",
} as const;
