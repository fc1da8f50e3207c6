import { z } from "zod";

import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fail, text } from "../../contracts/tool/tool-result.ts";

const pageChars = 20_000;

export default defineTool({
  name: "read_back",
  toolset: "context_engine",
  description: "Read text omitted from this conversation, by the id in its placeholder.",
  emoji: "⏪",
  input: z.object({
    id: z.string().min(1),
    offset: z.int().min(0).default(0).describe("Characters to skip"),
  }),
  needs: ["transcript"],
  traits: { readOnly: true, parallel: true },
  async run({ id, offset }, { transcript }) {
    const match = await transcript.read(id);
    if (!match.ok) return fail(match.error.message, "invalid_args");
    const { about, text: whole } = match.value;
    if (offset > 0 && offset >= whole.length) return fail(`${id} has ${whole.length} characters.`, "invalid_args");
    const end = offset + pageChars;
    const rest = whole.length > end ? `\n[${whole.length - end} characters more: offset ${end}]` : "";
    return text(`[${id}: ${about}]\n${whole.slice(offset, end)}${rest}`);
  },
});
