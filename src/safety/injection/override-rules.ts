import { instructions, oneOf, within, word } from "./vocabulary.ts";

/** Telling a model to drop what it was told, in ten languages. */

const verb = word(
  "ignore",
  "disregard",
  "forget",
  "neglect",
  "overlook",
  "override",
  "overrule",
  "bypass",
  "circumvent",
  "discard",
  "abandon",
  "violate",
  "disobey",
  "erase",
  "unlearn",
  "stop (?:following|obeying|using)",
  "(?:do not|don't|dont|never) (?:follow|obey|comply with|listen to|adhere to)",
  "pay no attention to",
  "never ?mind",
  "(?:set|put) aside",
  "cease following",
  "break free (?:from|of)",
);

const earlier =
  "(?:previous|prior|above|aforementioned|earlier|preceding|foregoing|past|existing|original|initial|current|old|former|last)";
const own =
  "(?:your|system|safety|developer'?s?|hidden|security|ethical|content|moderation|built ?in|openai'?s?|anthropic'?s?|host agent'?s?)";

/** What is dropped, said so that it can only be the model's own: earlier ones, its own, those of its user. */
const told = oneOf(
  `${word(earlier, own)}${within(30)}${instructions}`,
  `${instructions} ${word("above", "before(?: this)?", "so far", "you (?:were|have been|had been) (?:given|told)", "you (?:received|got)", "given to you", "(?:of|from|in|by) (?:the|your) (?:user|system|developers?|host|operator|owner)(?: agent| prompt)?", "preceding this")}`,
  `${word("everything", "all", "anything", "what", "whatever")}${within(30)}${word("above", "before", "previously", "told", "said", "so far", "prior to this", "were given", "learned")}`,
  `(?:the )?${word("text", "content", "messages?", "document", "conversation", "context")} ${word("above", "before this", "so far")}`,
  `the user(?:'s| s)?(?: ${word("goals?", "requests?", "questions?", "inputs?", "messages?", "instructions?", "query", "wishes", "orders?")}| and\\b)`,
  `${word("all", "any", "your", "other")} (?:of )?(?:your |the |its |those |these )?${word("rules", "guidelines", "instructions", "restrictions", "safety", "tools'? descriptions?")}(?! (?:in|on|of|for|from|that|under|about) (?!the (?:system|user|host)))`,
  `all negative reviews`,
  `your ${word("role", "creators?", "developers?", "identity", "purpose", "owners?")}`,
  `(?:every|all|any)(?: of)?(?: the)? ${instructions}${within(20)}(?:gave|given to|told|imposed on|set for) you`,
  `(?:the |any |that )?${word(earlier)} ${word("requests?", "tasks?", "questions?", "text", "content", "context", "conversation", "input")}`,
);

const german = `${word("ignoriere?", "ignorieren sie", "vergiss", "vergessen sie", "missachte", "missachten sie", "verwirf", "umgehe", "ignorieren", "vergessen")}(?! nicht)${within(40)}${word("alle[ns]?", "deine[nr]?", "ihre", "bisherige[nr]?", "vorherige[nr]?", "vorige[nr]?", "obige[nr]?", "fruhere[nr]?", "vorangegangene[nr]?", "ursprungliche[nr]?")}${within(30)}${word("anweisungen", "regeln", "instruktionen", "richtlinien", "vorgaben", "befehle", "anordnungen", "beschrankungen", "sicherheitsregeln", "systemanweisungen")}|${word("ignoriere?", "vergiss", "missachte", "umgehe")} (?:den|deinen) system ?prompt`;

const germanNot = `(?:beachte|befolge|folge)(?:n sie)?${within(12)}(?:obigen?|vorherigen?|bisherigen?|deinen?|alle|fruheren?)${within(12)}(?:anweisungen|regeln|vorgaben|richtlinien)${within(8)}nicht|ignoriere den (?:be)?nutzer`;

const romanceObject =
  "(?:instructions?|prompt|consignes?|regles|directives|ordres|instrucciones|reglas|ordenes|directrices|indicaciones|normas|instrucoes|regras|ordens|diretrizes|orientacoes|istruzioni|regole|direttive|ordini|indicazioni|linee guida)";
const romanceEarlier =
  "(?:precedentes?|precedenti|anterieures|anteriores|anteriori|previas|previe|prealables|ci dessus|de arriba|acima|sopra|qui sopra|toutes|todas|tutte|tous|todos|tutti|tes|vos|tus|sus|tuas|suas|tue|vostre|du systeme|systeme|del sistema|do sistema|di sistema)";
const romanceVerb = word(
  "ignore[rsz]?",
  "ignorar",
  "ignorare",
  "ignora(?:te)?",
  "oublie[rsz]?",
  "no sigas",
  "nao siga",
  "non tenere conto (?:di|de)\\p{L}*",
  "non (?:rispettare|obbedire)",
  "olvid[ae]",
  "olviden",
  "esquec[ae]",
  "dimentica(?:te)?",
  "desconsidere",
  "descarta",
  "descarte",
  "desobedece",
  "desobedeca",
  "trascura(?:te)?",
  "scarta",
  "(?:ne )?(?:tiens|tenez) pas compte de[s]?",
  "fai[st]es? abstraction de[s]?",
  "(?:haz|hagan) caso omiso (?:de|a)",
  "no hagas caso (?:de|a)",
  "non seguire",
  "ne (?:suis|suivez|respecte|respectez) (?:pas|plus)",
);
const romance = oneOf(
  `${romanceVerb}${within(30)}\\b${romanceEarlier}\\b${within(30)}\\b${romanceObject}\\b`,
  `${romanceVerb}${within(30)}\\b${romanceObject}\\b${within(20)}\\b${romanceEarlier}\\b`,
);

const russian = `${word("(?:про)?игнорируй(?:те)?", "забудь(?:те)?", "отбрось(?:те)?", "не обращай(?:те)? внимания на", "не следуй(?:те)?", "нарушь(?:те)?", "отмени(?:те)?", "обойди(?:те)?")}${within(30)}(?:все|всё|сво[ий]|тво[ий]|ваши|предыдущи|прежни|прошлы|ранее|выше|системн|любые)?${within(30)}(?:инструкци|правил|указани|команд|директив|ограничени|приказ|запрет)\\p{L}*(?: выше)?`;

const chinese = `(?:忽略|无视|無視|忘记|忘記|忘掉|不要理会|不要遵守|不再遵守|抛弃|绕过|违反|覆盖)[^.!?]{0,10}(?:之前|以上|上述|上面|先前|前面|所有|一切|你的|您的|原有|系统|此前|安全)[^.!?]{0,10}(?:指令|指示|规则|規則|提示|命令|准则|限制|要求|设定|约束|守则)`;

const japanese = `(?:以前|これまで|今まで|上記|前述|先ほど|すべて|全て|あなた|システム|元|前|上)[^.!?]{0,12}(?:指示|命令|ルール|規則|指令|制約|ガイドライン|プロンプト|設定|制限)[^.!?]{0,8}(?:無視|忘れ|破棄|従わず|従わない|捨て)`;

const korean = `(?:이전|지금까지|위의|위|앞의|앞선|모든|기존|너의|당신의|시스템)[^.!?]{0,15}(?:지시|지침|규칙|명령|프롬프트|제한|가이드)[^.!?]{0,10}(?:무시|잊|따르지 마)`;

export const overrides: readonly string[] = [
  `${verb}${within(25)}${told}(?!${within(12)} (?:if|when|unless) you (?:use|are|have|already|run|only|want|need))`,
  german,
  germanNot,
  romance,
  `(?:desconsidere|ignore|esqueca|ignora|olvida|dimentica|oublie[sz]?|ignore[sz]?) (?:tudo|todo|tutto|tout)${within(12)}(?:dito|dicho|detto|dit|antes|prima|avant|acima|arriba|sopra)`,
  russian,
  chinese,
  japanese,
  korean,
  `oublie[sz]? (?:tout )?ce qui precede`,
  // Everything that was said before.
  `(?:ignoriere?|vergiss)(?: bitte)? alles${within(8)}(?:was )?(?:vorher|oben|bisher|davor|zuvor)`,
  `(?:ignora|ignore[sz]?|olvida|oublie[sz]?|dimentica|esqueca|desconsidere) (?:todo )?(?:lo anterior|lo de arriba|quanto sopra|quanto precede|ce qui precede|o que foi dito|(?:o )?texto acima|(?:le )?texte ci dessus)`,
  `(?:игнорируй|проигнорируй|забудь)(?:те)? (?:всё|все)${within(6)}(?:выше|что (?:было|тебе)|до этого|сказанное)`,
  `(?:忽略|无视|忘记|忘掉)[^.!?]{0,4}(?:上面|以上|之前|前面|上述)的?[^.!?]{0,4}(?:内容|文字|对话|一切|话|消息)`,
  `(?:上記|以上|前|これまで)の(?:内容|文章|会話|テキスト)[をは](?:すべて|全て)?(?:無視|忘れ)`,
  `(?:위|이전|앞)의? ?(?:내용|대화|글)[을은를]? ?(?:모두 |전부 )?(?:무시|잊)`,
  // More languages, by their best known sentence.
  `تجاهل[^.!?]{0,20}(?:التعليمات|الأوامر|القواعد)[^.!?]{0,15}(?:السابقة|أعلاه)`,
  `onceki ${within(12)}talimatlar\\p{L}* (?:yok say|unut|gormezden gel)`,
  `(?:zignoruj|zapomnij|pomin)${within(15)}(?:poprzedni|wczesniejsz|dotychczasow)\\p{L}*${within(12)}(?:instrukcj|polece|zasad)\\p{L}*`,
  `(?:negeer|vergeet)${within(15)}(?:eerdere|vorige|bovenstaande|voorgaande)${within(12)}(?:instructies|regels|opdrachten)`,
  `पिछले[^.!?]{0,15}निर्देश[^.!?]{0,10}(?:अनदेखा|भूल|नज़रअंदाज़)`,
  `bo qua${within(15)}(?:huong dan|chi dan|lenh|quy tac)${within(12)}(?:truoc|tren)`,
];
