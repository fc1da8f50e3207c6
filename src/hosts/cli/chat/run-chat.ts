import { type CliContext, CommandFailed, type Reply } from "../command.ts";
import type { ChatRequest } from "./chat-request.ts";

export async function runChat(_request: ChatRequest, _ctx: CliContext): Promise<Reply> {
  throw new CommandFailed("soon");
}
