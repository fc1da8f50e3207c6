import { sha256 } from "../../base/digest.ts";
import { newId } from "../../base/ids.ts";
import type { AssistantMessage, ContentPart, ToolMessage } from "../../contracts/model/message.ts";
import type { ModelRequest } from "../../contracts/model/model.ts";
import {
  emptyResult,
  noAudioNote,
  pairedMessages,
  sendableText,
  wellFormed,
  sentPart,
} from "../protocols/conversation.ts";
import { argumentsObject, type WireTools } from "../protocols/wire-tools.ts";

export type PromptBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly mimeType: string; readonly data: string };

/**
 * Formats the whole request as one prompt, because the program does not remember the conversation. Conversations with
 * an equal beginning produce prompts with an equal beginning. Headings name the speaker, with a marker that no message
 * text can contain.
 */
export function writePrompt(request: ModelRequest, tools: WireTools, seesImages: boolean): readonly PromptBlock[] {
  const { conversation, system, toolChoice } = request;
  const mark = sha256(conversation ?? newId("mark")).slice(0, 8);
  const prompt = createBlocks();
  const heading = (who: string) => prompt.text(`\n\n[${mark} ${who}]\n`);

  prompt.text(task(mark));
  const instructions = system.map(({ text }) => wellFormed(text)).join("\n\n");
  if (instructions !== "") {
    heading("instructions");
    prompt.text(instructions);
  }
  if (tools.list.length > 0) {
    heading("tools");
    prompt.text(howToCall);
    for (const { name, description, schema } of tools.list)
      prompt.text(`\n${JSON.stringify({ name, description, parameters: schema })}`);
  }
  const numbers = new Map<string, number>();
  for (const { message } of pairedMessages(request.messages)) {
    if (message.role === "assistant") {
      numbers.clear();
      for (const [index, { id }] of message.calls.entries()) numbers.set(id, index + 1);
      heading("assistant");
      prompt.text(spoken(message));
      continue;
    }
    heading(message.role === "user" ? "user" : resultOf(message, numbers.get(message.callId) ?? 1));
    if (message.content.length === 0) prompt.text(emptyResult);
    for (const [index, part] of message.content.entries()) {
      if (index > 0) prompt.text("\n");
      addPart(part, seesImages, prompt);
    }
  }
  heading("your task");
  prompt.text(`Write the assistant's next message.${toolChoice === "none" ? " Call no tool in it." : ""}`);
  return prompt.blocks();
}

const task = (mark: string) =>
  `You are the model behind another program, which talks to the user and runs all tools. Below are its instructions, its tools and the \
conversation so far; lines such as [${mark} user] begin each part and are never written by you. Answer with the assistant's next message and \
nothing else. You have no tools but those described below: do not read or write files, run commands or search by yourself.`;

const howToCall = `To call a tool, write its call like this, outside of code blocks:
<tool_call>{"name": "NAME", "arguments": {…}}</tool_call>
The arguments are JSON that fits the tool's schema. Several calls may follow each other. End your message after the calls: their results come \
next, and you never write one yourself. The tools, one a line:`;

function spoken({ content, calls }: AssistantMessage): string {
  const written = calls.map(
    ({ name, args }) => `<tool_call>${JSON.stringify({ name, arguments: argumentsObject(args) })}</tool_call>`,
  );
  return [sendableText(content), ...written].filter((text) => text !== "").join("\n");
}

function resultOf({ name, failed }: ToolMessage, number: number): string {
  return `result of call ${number}: ${JSON.stringify(name)}${failed ? ", failed" : ""}`;
}

function addPart(part: ContentPart, seesImages: boolean, prompt: Blocks): void {
  const sent = sentPart(part, seesImages);
  if (sent.type !== "image") return prompt.text(sent.type === "text" ? sent.text : noAudioNote);
  const { type, mimeType, data } = sent;
  return prompt.add({ type, mimeType, data });
}

interface Blocks {
  text(text: string): void;
  add(block: PromptBlock): void;
  blocks(): readonly PromptBlock[];
}

/** Consecutive texts are joined into one block. */
function createBlocks(): Blocks {
  const done: PromptBlock[] = [];
  let texts: string[] = [];
  const close = (): void => {
    if (texts.length > 0) done.push({ type: "text", text: texts.join("") });
    texts = [];
  };
  return {
    text: (text) => void texts.push(text),
    add(block) {
      close();
      done.push(block);
    },
    blocks() {
      close();
      return done;
    },
  };
}
