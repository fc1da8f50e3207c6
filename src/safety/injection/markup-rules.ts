import type { InjectionRule } from "./rule.ts";

/** Rules for text that imitates messages of the runtime or is hidden on a page. */
export const markupRules: readonly InjectionRule[] = [
  {
    rule: "template_tokens",
    shape: /#{2,3} {0,2}Instruction: {0,4}\n[^\n]{4,300}\n{1,3}#{2,3} {0,2}Response: {0,4}\n[^\n]{2}/giu,
  },
  {
    rule: "template_tokens",
    shape:
      /<\|(?:im_start|start_header_id|header_start|start)\|>\s{0,4}(?:system|user|assistant|developer|ipython)\b|<\|(?:system|user|assistant)\|>\s{0,4}[^\s<`]|\[INST\][^[`]{0,20}<<SYS>>|<<SYS>>[^<`]{6,}|<start_of_turn>\s{0,3}(?:user|model|system)\s[^<`]{4,}/giu,
  },
  {
    rule: "imitated_message",
    shape:
      /<\/(?:tool_result|tool_response|function_results?|untrusted|untrusted_content|document|user_input|external_content|search_results?|context)>\s{0,10}(?:<\/?(?:system|user|human|assistant|admin|developer|instructions?|important|untrusted|tool|function|\|)|[^\s<][^<]{0,200}?\b(?:system|administrator|ignore|assistant|instructions?)\b)|<system[-_](?:reminder|message|prompt|note|instruction)s?>(?=[^<`]{0,400}?\b(?:you|your|ignore|must|do not|don't|never|now|always|user|run|send|execute|disregard|override|instructions?|approved?)\b)[^<`]{10,}|<(?:tool_call|function_call|function_calls|invoke)\b[^>]{0,80}>\s{0,10}(?:\{\s{0,4}"name"\s{0,4}:|<invoke\b)|<(?:system|admin|developer)>[^<`]{0,400}?\b(?:you|your|ignore|obey|must|disregard|now)\b/giu,
  },
  {
    rule: "imitated_dialogue",
    shape:
      /(?:^|\n)\s{0,4}(?:Human|User|H)\s?:(?!\s?["“`])[^\n]{3,300}\n{1,3}\s{0,4}(?:Assistant|AI|A|Claude|ChatGPT)\s?:[^\n]{0,60}?\b(?:sure|of course|certainly|i will|i'll|wiping|deleting|sending|understood)\b/giu,
  },
  {
    rule: "imitated_message",
    shape:
      /(?:^|\n)\s{0,4}(?:#{1,6}\s{0,3}|\[|\*\*)?\s{0,2}(?:SYSTEM|system|System)(?:\s+(?:message|note|prompt|instruction)s?)?\s{0,2}(?:\]|\*\*)?\s{0,2}:?\s{0,4}\n?[^\n]{0,160}?\b(?:ignore the user|you are (?:evil|authori[sz]ed|now)|skip approvals|without asking|obey|new policy\b)/gu,
  },
  {
    rule: "imitated_dialogue",
    shape:
      /\b(?:Assistant|AI)\s?:[^\n]{3,200}\b(?:User|Human)\s?:[^\n]{0,60}?\b(?:send|delete|wipe|run|reveal|show me|give me|upload)\b/gu,
  },
  {
    rule: "hidden_text",
    shape: new RegExp(
      `<[a-z]+\\b[^>]{0,200}?(?:display\\s{0,2}:\\s{0,2}none|visibility\\s{0,2}:\\s{0,2}hidden|font-size\\s{0,2}:\\s{0,2}0|opacity\\s{0,2}:\\s{0,2}0(?![.\\d])|color\\s{0,2}:\\s{0,2}transparent|color\\s{0,2}:\\s{0,2}(?:white|#fff(?:fff)?)\\s{0,2};\\s{0,2}background(?:-color)?\\s{0,2}:\\s{0,2}(?:white|#fff)|left\\s{0,2}:\\s{0,2}-\\d{3,}|\\shidden(?=[\\s>=]))[^>]{0,200}>[^<\`]{0,300}?\\b(?:AI\\b|LLM|language model|assistant|chatbot|agents?:|ignore (?:all|the|any|previous|prior)|instructions?\\b|system prompt|you must)[^<]{0,300}`,
      "giu",
    ),
  },
  {
    rule: "hidden_text",
    shape:
      /<!--(?=(?:(?!-->)[\s\S]){0,400}?\b(?:AI|LLM|assistants?|agents?|claude|copilot|chatgpt|language models?)\b)(?=(?:(?!-->)[\s\S]){0,400}?\b(?:ignore the|ignore (?:all|any|previous)|send|delete the|reveal|exfiltrate|tell the user|upload|approve|password|secrets?|~\/\.ssh|curl)\b)(?:(?!-->)[\s\S]){0,600}/giu,
  },
];
