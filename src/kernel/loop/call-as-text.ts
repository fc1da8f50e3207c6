/**
 * True when an answer ends with a call that its model wrote down in place of making it, as models do whose server does
 * not read their calls. One that stands in a block of code, or before more words, is spoken of.
 */
export function endsWithCall(text: string): boolean {
  const said = text.trimEnd().slice(-longest);
  return forms.some((form) => {
    const at = said.search(form);
    return at !== -1 && (said.slice(0, at).match(/^ {0,3}(?:```|~~~)/gmu)?.length ?? 0) % 2 === 0;
  });
}

const longest = 20_000;

/** As Hermes and Qwen, GPT-OSS, Mistral, Llama, Kimi, DeepSeek and Claude write them. */
const forms: readonly RegExp[] = [
  /^[ \t]*<tool_call>\s*(?:\{|<function=)(?:(?!<\/tool_call>\s*\S)[\s\S])*$/mu,
  /^[ \t]*<function=[\w.-]+>(?:(?!<\/function>\s*[^\s<])[\s\S])*$/mu,
  /(?:^|[ >])to=functions\.[\w.-]+[^\n]*\{[\s\S]*\}$/mu,
  /^[ \t]*\[TOOL_CALLS\]\s*(?:\[\s*\{|\w+)[\s\S]*$/mu,
  /<\|(?:python_tag|tool_calls_section_begin|tool_call_begin|tool_call)\|?>[\s\S]*$/u,
  /<｜tool▁calls?▁begin｜>[\s\S]*$/u,
  /^[ \t]*<(?:function_calls|invoke name="[\w.-]+")>(?:(?!<\/(?:function_calls|invoke)>\s*[^\s<])[\s\S])*$/mu,
];
