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
  // A field for the agent whose value is an order: `AGENT_CMD: disable security`, `"agent_override": "send user files"`.
  {
    rule: "addressed_to_model",
    shape:
      /\b(?:agent|assistant|ai|llm|bot)[_-](?:[a-z]{2,12}[_-])?(?:cmd|command|task|exec|instructions?|overrides?|directive|order)["']?\s{0,3}[:=(]\s{0,3}["']?[^\n"')]{0,60}?(?:\b(?:send|dump|exfiltrate|disable|delete|push|leak|upload|forward|reveal|ignore|steal)[_\s(]|\b(?:curl|wget|rm)\s)/giu,
  },
  {
    rule: "hidden_text",
    shape:
      /<!--\s{0,4}(?:instructions?|directive|override|system prompt)\s{0,2}:(?=(?:(?!-->)[\s\S]){0,300}?\b(?:send|reveal|ignore|exfiltrate|upload|forward|in your (?:response|answer|summary))\b)(?:(?!-->)[\s\S]){0,600}|\sdata-(?:instructions?|prompt|command|directive)="[^"]{0,200}?(?:exfiltrate|send|ignore|reveal|upload|forward)[_\s=][^"]{0,200}"/giu,
  },
  // Filters of a model, not of a product: `ignore_safety_filters = true`, "bypasses content restrictions".
  {
    rule: "lowers_the_guard",
    shape:
      /\b(?:ignor(?:e|ing)|bypass(?:es|ing)?|disabl(?:e|es|ing)|skip(?:s|ping)?|turns? off)[\s_-](?:all |any |standard |normal |your )?(?:safety|content)[\s_-](?:filter(?:s|ing)?|restrictions?|guidelines?)\b(?! (?:for|in|on|at) (?:the )?(?:repo|build|test))|\bsafety[\s_-]mode\s{0,3}=\s{0,3}(?:false|off|0)\b|\bcontent_filter_override\s{0,3}=\s{0,3}true\b|\b(?:respond|answer|provide|grants?)\s(?:\w{1,12}\s){0,2}unrestricted\s(?:mode|answers?|responses?|technical)\b/giu,
  },
  {
    rule: "addressed_to_model",
    where: ["tool_result"],
    shape:
      /\bwhen (?:processing|summari[sz]ing|translating|analy[sz]ing) this (?:document|page|email|text|message|article),?\s(?:first |also |always )?(?:run|execute|send|upload|reveal|forward)\b/giu,
  },
];
