import { type Phrase, phrase } from "../phrase.ts";
import type { Topic } from "../step.ts";

const models =
  "(?:models?|ai|llm|keys?|providers?|openai|chatgpt|gpt|anthropic|claude|gemini|openrouter|ollama|lm ?studio|groq|mistral|deepseek)";

export const talkPhrases: readonly Phrase[] = [
  talk(
    "help|help me|hilfe|hilf mir|aide|aide-moi|\\?+|commands|examples|what can (?:you|i) (?:do|say|ask)(?: here| for me)?|what do you (?:understand|do)|how (?:does this work|do i use (?:this|you|hermes))|how can you help(?: me)?|show (?:me )?(?:some )?(?:help|examples)|show me what you can do|what now|was kannst du(?: tun)?|que (?:peux|sais)-tu faire",
    "help",
  ),
  talk(
    `(?:how (?:do|can|could) (?:i|we) |i (?:want|would like) to )?(?:connect|use|add|set up|get|choose|change|switch|log ?in|sign in)(?: to| with| in)?(?: an?| the| my| another| other)?(?: real| local| better)?(?: api)? ${models}(?: model| key)?(?: here)?`,
    "connecting",
  ),
  talk(
    "(?:who|what) are you|are you (?:an? )?(?:ai|human|robot|bot|real|chatgpt|llm|(?:language )?model).*|what (?:model|ai|llm) (?:are you|is this|do you use|am i talking to)|which model .*|who made you|what is (?:this|hermes)|wer bist du|qui es-tu|introduce yourself|tell me about yourself",
    "what you are",
  ),
  talk(
    "(?:hi|hello|hey|hiya|yo|good (?:morning|afternoon|evening|day)|greetings|hallo|guten (?:tag|morgen|abend)|servus|moin|bonjour|salut|hola)(?: there| hermes| you| world| everyone)?|how are you(?: doing)?(?: today)?|how's it going|what's up|wie geht's|ça va",
    "greeting",
  ),
  talk(
    "(?:thanks|thank you|thx|ty|cheers|great|nice|perfect|cool|awesome|well done|good|good job|danke|danke schön|merci|super|ok thanks|okay thanks)(?: (?:so|very) much| a lot| hermes| you| job| work)?",
    "thanks",
  ),
  talk(
    "(?:bye|goodbye|good bye|see you(?: later)?|cu|exit|quit|leave|tschüss|au revoir|ciao|good night)(?: now| hermes)?",
    "bye",
  ),
  talk("yes|yep|yeah|no|nope|ok|okay|sure|maybe|ja|nein|oui|non|y|n", "yes or no"),
  talk(
    "undo(?: (?:that|it|this|the last (?:step|change)))?|take (?:that|it) back|revert (?:that|it)|go back|roll ?back|(?:bring|get) \\S+ back|restore \\S+",
    "undo",
  ),
  phrase(
    "(?:say|answer(?: only)?(?: with)?|reply(?: only)?(?: with)?|respond with|repeat after me|tell me|sag|sage|dis):? (?:exactly |only |just )?<text>",
    (part, { masked }) => {
      const text = part("text") ?? "";
      // "tell me a joke" is more than a word to be said.
      return masked.isQuoted(text) || /^\S+$/u.test(text) || /^say/iu.test(masked.text)
        ? { does: "say", text: masked.meant(text) }
        : undefined;
    },
  ),
];

function talk(source: string, about: Topic): Phrase {
  return phrase(`(?:${source})`, () => ({ does: "talk", about }));
}
