import { err, ok, type Result } from "../../base/result.ts";
import type { AuxiliaryModel } from "../../contracts/host/ports.ts";
import type { ModelClient } from "../../contracts/model/model.ts";
import type { BookedUsage } from "../../contracts/session/session.ts";

export interface MainAuxiliaryDeps {
  readonly main: ModelClient;
  book(usage: BookedUsage): Promise<void>;
  /** Returns why no model request is currently allowed. */
  refusal(): Promise<string | undefined>;
}

/** Runs auxiliary requests on the main model. */
export function mainAuxiliary({ main, book, refusal }: MainAuxiliaryDeps): AuxiliaryModel {
  return {
    async complete(task, prompt, { maxTokens, images = [] }, signal): Promise<Result<string>> {
      const refused = await refusal();
      if (refused !== undefined) return err({ message: refused });
      const messages = [{ role: "user", content: [{ type: "text", text: prompt }, ...images] }] as const;
      for await (const event of main.stream({ system: [], messages, tools: [], maxTokens }, signal)) {
        if (event.type === "error") return err({ message: event.error.message });
        if (event.type !== "finish") continue;
        const { usage, by } = event;
        await book({ provider: by.provider, model: by.model, task, usage });
        return ok(event.message.content.map((part) => (part.type === "text" ? part.text : "")).join(""));
      }
      return err({ message: "the model ended without an answer" });
    },
  };
}
