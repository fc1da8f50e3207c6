import { endsInCodeBlock } from "../../../base/text/text.ts";

/**
 * True when an answer ends with a call that its model wrote down in place of making it, as models do whose server does
 * not read their calls. A call in a code block, in quotes or before more words is a mention.
 */
export function endsWithCall(text: string): boolean {
  const whole = text.trimEnd();
  const from = Math.max(0, whole.length - maxChars);
  const tail = whole.slice(from);
  return forms.some(({ begins, goesToEnd }) => {
    const start = Array.from(tail.matchAll(begins)).at(-1)?.index;
    return start !== undefined && goesToEnd.test(tail.slice(start)) && !endsInCodeBlock(whole.slice(0, from + start));
  });
}

const maxChars = 20_000;

/** How the last call begins, and what must be true from there on. */
const forms: readonly { readonly begins: RegExp; readonly goesToEnd: RegExp }[] = [
  // Hermes and Qwen, Claude.
  {
    begins: /^ {0,3}<(?:tool_call>\s*(?:\{|<function=)|function=[\w.-]+>|function_calls>|invoke name="[\w.-]+">)/gmu,
    goesToEnd: /^(?![\s\S]*<\/(?:tool_call|function|function_calls|invoke)>\s*[^\s<])/u,
  },
  // GPT-OSS.
  { begins: /(?:^|[ >])to=functions\.\w[^\n{]{0,200}\{/gmu, goesToEnd: /\}$/u },
  // Mistral.
  {
    begins: /^ {0,3}\[TOOL_CALLS\]\s*(?:\[\s*\{|[\w.-]+\s*(?:\{|\[(?:ARGS|CALL_ID)\]))/gmu,
    goesToEnd: /[}\]](?:<\/s>)?$/u,
  },
  // Llama.
  { begins: /(?<!["'`])<\|python_tag\|>\s*(?:[{[]|[\w.]+\()/gu, goesToEnd: /[}\])](?:<\|\w+\|>)?$/u },
  // Phi and Gemma.
  { begins: /(?<!["'`])<\|tool_call\|?>\s*(?:[{[]|call:)/gu, goesToEnd: /[}\]](?:<[|/\w]+>)?$/u },
  // Kimi.
  {
    begins: /(?<!["'`])<\|tool_call_begin\|>\s*[\w.-]+:\d+\s*<\|tool_call_arg/gu,
    goesToEnd: /(?:\}|_end\|>)$/u,
  },
  // DeepSeek.
  {
    begins: /(?<!["'`])<｜tool▁call▁begin｜>[\w.-]*\s*<｜tool▁sep｜>/gu,
    goesToEnd: /^(?![\s\S]*<｜tool▁calls?▁end｜>\s*[^\s<])/u,
  },
];
