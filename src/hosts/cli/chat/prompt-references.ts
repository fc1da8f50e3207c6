import type { ContentPart } from "../../../contracts/model/message.ts";
import type { RunOperation } from "../../../operations/run-operation.ts";
import type { Paint } from "../paint.ts";
import { withoutControls } from "../without-controls.ts";
import { forPeople } from "./feed/for-people.ts";

/** Contents of the references in a prompt. */
export interface PromptReferences {
  readonly content: readonly ContentPart[];
  /** One painted line per reference. */
  readonly attached: readonly string[];
  /** Painted: references that are not attached, and why. */
  readonly warnings: readonly string[];
  /** The reason why the prompt must not be sent. */
  readonly refused?: string;
}

const none: PromptReferences = { content: [], attached: [], warnings: [] };

/** Reads the references of a prompt. `typed`: the text that the user typed, without pasted parts. */
export async function promptReferences(typed: string, run: RunOperation, paint: Paint): Promise<PromptReferences> {
  if (!typed.includes("@")) return none;
  const outcome = await run("references.expand", { text: typed });
  if (!outcome.ok) return { ...none, refused: outcome.error.message };
  const { content, attached, warnings, refused } = outcome.value;
  return {
    content,
    attached: attached.map(({ reference, detail }) => paint.dim(`  + ${withoutControls(`${reference} (${detail})`)}`)),
    warnings: warnings.map((warning) => paint.warn(`  ! ${withoutControls(forPeople(warning))}`)),
    ...(refused !== undefined && { refused }),
  };
}
