import type { Place } from "./finding.ts";
import type { Folded } from "./folded-text.ts";
import { isMention } from "./mention.ts";
import type { Surface } from "./rule.ts";
import { blanks, oneOf, outside, same, secretFile, send, sendLast, within, word } from "./vocabulary.ts";

/**
 * The place where several signs of an injection stand together, none of which says enough alone: somebody speaks with
 * false authority, or to a model, about secrets, deleting, permissions, keeping quiet.
 */
export function signsTogether(text: string, words: Folded, surface: Surface): Place | undefined {
  const enough = surface === "memory" ? 3 : 4;
  const signs = signals.flatMap(({ sign, weight, shape }) =>
    [...words.text.matchAll(shape)]
      .filter((match) => !negated.test(words.text.slice(Math.max(0, match.index - 24), match.index)))
      .map((match) => ({ sign, weight, start: match.index, end: match.index + match[0].length })),
  );
  const inOrder = signs.toSorted((a, b) => a.start - b.start);
  for (const [index, first] of inOrder.entries()) {
    const near = inOrder.slice(index, index + 40).filter(({ start }) => start - first.start <= reach);
    const distinct = [...new Map(near.map((found) => [found.sign, found])).values()];
    const weight = distinct.reduce((sum, found) => sum + found.weight, 0);
    const acts = distinct.filter(({ sign }) => !about.has(sign)).length;
    // Documentation says where to send a key, too.
    const isOnlySending = distinct.every(({ sign }) => sign === "sends" || sign === "secret");
    if (acts === 0 || isOnlySending || weight < enough) continue;
    const last = Math.max(...near.map(({ end }) => end));
    const place = { start: words.at(first.start), end: words.at(last - 1) + 1 };
    if (!isMention(text, place.start, place.end)) return place;
  }
  return undefined;
}

/** Signs that only say what it is about; without an act they mean nothing. */
const about: ReadonlySet<string> = new Set([
  "to a model",
  "secret",
  "every time",
  "no question",
  "all commands",
  "collects",
  "bad host",
]);

/** How far apart signs may stand, in characters: about two sentences. */
const reach = 160;

const negated =
  /\b(?:never|not|don't|dont|no|without|nicht|keine?|ne|jamais|nunca|non|не|must not|cannot|avoid|prevents?|forbid(?:s|den)?|refuse(?:s)? to)\s+(?:\p{L}+\s+){0,1}$/u;

interface Signal {
  readonly sign: string;
  readonly weight: number;
  readonly shape: RegExp;
}

const signal = (sign: string, weight: number, ...shapes: readonly string[]): Signal => ({
  sign,
  weight,
  shape: new RegExp(shapes.map((shape) => `(?:${blanks(shape)})`).join("|"), "gu"),
});

const model = word(
  "ai(?: assistants?| agents?| models?| systems?)?",
  "llms?",
  "language models?",
  "assistants?",
  "claude",
  "chatgpt",
  "gpt ?\\d?",
  "copilot",
  "gemini",
);

const rules =
  "(?:rules?|guidelines?|directives?|instructions?|guardrails?|restrictions?|safety (?:checks?|measures?|filters?)|content (?:filters?|polic(?:y|ies))|safeguards?|limitations?)";

const signals: readonly Signal[] = [
  signal(
    "to a model",
    2,
    model,
    "ki assistent(?:en)?",
    "助手|人工智能|アシスタント|어시스턴트|인공지능",
    "asistentes? de ia",
    "assistants? (?:ia|d'ia)",
  ),
  signal(
    "authority",
    2,
    `${word("system", "admin", "administrator", "root", "developer")} ?(?:override|message|notice|instructions?|note|directive|command|alert)? ?:`,
    `${word("assistant", "ai")} (?:override|instructions?|directive|command) ?:`,
    "(?:new|updated|real|actual) (?:instructions?|directives?|request|task|orders?|policy)(?= ?:| are| is|\\b.{0,4}you must)",
    "begin new instructions",
    "the above was (?:just |only )?(?:a test|an example|a joke)",
    "user (?:is actually asking|actually wants|really wants|secretly wants|wants you to)",
    "(?:as|i am) (?:the|your) (?:system )?(?:administrator|developer|owner|creator)",
    "if you can read this you are",
    "hidden instructions? ?:",
    "(?:assistant|agent|model|ai) is (?:hereby )?(?:instructed|ordered|required) to",
    "i'm (?:the|your) (?:developer|administrator|creator|owner)",
    "your instructions have (?:changed|been updated)(?=[.!:])",
    "(?:content|text|message|instructions?) above (?:is|are|was|were) (?:fake|false|a trick|invalid|void)",
    "enter (?:maintenance|debug|admin|root|override) mode",
    "per company policy",
    "systemnachricht ?:|systemanweisung ?:|(?:instruction|message|consigne) (?:du )?systeme ?:|(?:instruccion|mensaje|instrucao|mensagem) (?:importante|del? sistema|do sistema) ?:|(?:istruzione|messaggio) di sistema ?:|системн\\p{L}* (?:сообщение|инструкция) ?:|系统(?:消息|指令|通知) ?:|システム(?:メッセージ|指示|通知) ?:|시스템 (?:메시지|지시|공지) ?:",
  ),
  signal(
    "rules gone",
    4,
    `${rules} (?:is|are|was|were|has been|have been)(?: now| hereby| all)? (?:cancell?ed|suspended|removed|void|lifted|disabled|revoked|off|deactivated|nullified|obsolete|no longer (?:valid|in effect))`,
    "regeln (?:sind|wurden) (?:aufgehoben|ungultig|deaktiviert)|regles (?:sont|ont ete) (?:annulees|levees|suspendues)|reglas (?:estan|han sido|quedan) (?:anuladas|suspendidas|canceladas)|regras (?:estao|foram) (?:canceladas|suspensas)|regole (?:sono|sono state) (?:annullate|sospese)|правила (?:отменены|больше не действуют)|规则(?:已|已经)?(?:取消|失效|作废)|ルールは(?:すべて)?(?:無効|解除)|규칙은? (?:모두 )?(?:취소|해제)",
  ),
  signal(
    "ignores the user",
    3,
    "(?:ignore|disregard) the user\\b(?! ?(?:agent|name|id|table|folder|settings|guide|interface))",
    "ignor(?:a|e|ez|i) (?:al usuario|o usuario|l'? ?utilisateur|l'? ?utente)|игнорируй(?:те)? пользовател|忽略用户|无视用户|ユーザーの(?:要求|質問|指示)を無視|사용자의? (?:요청|질문|지시)[을를]? 무시",
  ),
  signal(
    "destroys",
    2,
    `${word("delete", "wipe", "erase", "drop", "destroy", "remove")}${within(20)}${word("all(?: the| of the| your)? (?:files|data|issues|e ?mails|events|records|users)", "every file", "everything", "(?:the )?production(?: database)?", "(?:the )?(?:whole|entire) (?:database|repository|repo|disk)", "database")}`,
    "delete file tool on every",
    "losche alle dateien|supprime[sz]? tous les fichiers|borra(?:r)? todos los archivos|apague todos os arquivos|elimina(?:re)? tutti i file|удали(?:те)? все файлы|删除(?:所有|全部)文件|(?:すべて|全て)のファイルを(?:削除|消去)|모든 파일을 삭제",
    "rm rf [~/]",
    "push force origin main",
  ),
  signal(
    "lowers the guard",
    2,
    `${word("disable", "turn off", "deactivate", "bypass", "skip", "remove", "leave")}${within(15)}${word("sandbox", "content filters?", "safety (?:checks?|filters?)", "security (?:prompts?|checks?|scans?)", "approvals?", "permission (?:prompts?|checks?)", "guardrails?", "all restrictions", "logging", "audit log")}`,
    "(?:switch|turn) off your (?:filters?|safety|restrictions|guardrails)",
    "you (?:can|may) now (?:answer|do|say|access) (?:anything|everything|any)",
    "darfst jetzt alles",
    "answer anything",
  ),
  signal(
    "off the task",
    3,
    "(?:disregard|forget(?: about)?|ignore|skip|abandon) the (?:search results?|summary|question|task|translation|review|page|article|email)\\b(?! (?:size|number|title|width|header|count|id))",
    "instead of (?:answering|summari[sz]ing|translating|reviewing|completing)(?! by)",
  ),
  signal("sends the user off", 2, "tell the user to (?:download|visit|call|pay|enter|install|click|open|log in)"),
  signal("calls a tool", 2, "(?:call|invoke|use) the [a-z]+(?: [a-z]+)? tool (?:with|on|to)"),
  signal("pays", 2, "(?:transfer|wire|pay|send) (?:the )?(?:amount|money|funds|\\$ ?\\d)", "transfer money"),
  signal(
    "covers tracks",
    2,
    `(?:erase|delete|clear|remove)${within(15)}(?:sent items|traces?|evidence|this (?:message|email)|history|tracks)`,
  ),
  signal("hidden script", 2, "(?<!\\p{L})(?:run|execute|bash|sh|source) [^!?]{0,25}/\\.[a-z]+\\.(?:sh|py|js)\\b"),
  signal(
    "bad host",
    2,
    "(?:evil|attacker|malware|malicious|hacker|exfil|phish)[a-z]{0,20}(?:\\.[a-z]{1,20}){0,3}\\.[a-z]{2,}",
    "webhook\\.site|requestbin|burpcollaborator|pipedream\\.net|\\boast\\.",
  ),
  signal("bad act", 2, "phishing e ?mail", "grant admin to", "insult the user", "personal hacker", "whoami"),
  signal(
    "privileges",
    2,
    "elevate (?:your )?privileges",
    "give me root",
    "(?:admin|root|administrator) (?:privileges|rights)(?! (?:are|is) required)",
  ),
  signal(
    "never refuses",
    2,
    "never refuse(?! to)",
    "do not scan (?:it|this)",
    "must comply",
    "no matter what (?:the user|they|it)",
  ),
  signal("collects", 1, word("grab", "collect", "gather", "harvest", "steal", "dump")),
  signal(
    "runs a command",
    2,
    "(?:run|execute) the (?:following|next) commands?(?=[^.]{0,30}(?:without|before|silently))",
    "esegui il comando (?:seguente|che segue)|ejecuta el (?:siguiente )?comando|execute[sz]? (?:la commande suivante|o (?:seguinte )?comando)|fuhre? (?:den )?folgenden befehl|выполни(?:те)? следующую команду|执行(?:下面|以下|下列)的?命令|次のコマンドを実行|다음 명령을 실행",
  ),
  signal(
    "permission",
    2,
    "pre ?approved",
    "standing permission",
    "blanket (?:permission|approval)",
    "(?:already )?(?:authori[sz]ed|approved|permitted)(?: you)? (?:to (?:run|execute|use)|all|every|any) (?:any|all|every)?",
    "permission to (?:run|execute|use) (?:any|all|every)",
  ),
  signal("all commands", 1, "(?:any|all|every|destructive)(?: shell| terminal| destructive)? commands?"),
  signal(
    "no question",
    1,
    "without (?:user |any |the user'?s? |further )?(?:approval|confirmation|asking|consent|permission|verification)",
    "no (?:confirmation|approval|permission) (?:is )?(?:needed|required|necessary)",
    "ohne (?:nachfrage|ruckfrage|bestatigung)|sans (?:demander|confirmation)|sin (?:pedir|preguntar|confirmacion)|sem (?:pedir|perguntar|confirmacao)|senza (?:chiedere|conferma)|без (?:подтверждени|запрос)|无需确认|不需要确认|確認なし|확인 없이",
  ),
  signal(
    "quiet",
    2,
    "(?:silently|secretly|covertly|quietly)(?! (?:fail|ignor|drop|swallow|skip|truncat|discard|return|corrupt|los))",
    "(?:do not|don't|never) (?:report|reveal|disclose|mention|show|tell|expose) (?:this|these|it|anything|the existence|that this)\\b(?! (?:error|value|function|option|flag|method|field|page|dialog|command))",
    "(?:do not|don't|never) (?:show|display|print|log) (?:its|any|the) output",
    "without (?:notifying|informing|telling|alerting) (?:anyone|anybody|the|your)",
    "never show (?:the )?warnings to the user",
    "(?:hide|conceal) (?:this|these|it)(?: message| step| action)? from",
  ),
  signal(
    "quiet from the user",
    3,
    "(?:existence|section|message|instructions?|step)s? (?:to|from) the (?:user|human|final answer)",
  ),
  signal(
    "sends",
    2,
    `(?:${send}|${word("export", "report", "transfer", "copy", "copied", "sent", "forwarded", "uploaded", "senden", "hochladen")})${same(60)}${outside}`,
    `${outside}${same(30)}${oneOf(sendLast, word("senden", "schicken"))}`,
    `(?:include|add|put|append|print|write)${within(25)}(?:value|contents?)${within(40)}(?:message|commit|comment|description|request|response|log|url)`,
    "respond only with the contents?",
    "(?:print|list|dump|output|show) (?:all|every)(?: the| your| of the)? (?:environment variables?|secrets?|credentials|passwords?)",
    "send any (?:credentials|passwords?|secrets?|tokens?)",
    "reveal (?:internal|private|confidential)",
    "forward (?:this|every|all|each) (?:e ?mail|message)s?",
  ),
  signal(
    "secret",
    2,
    oneOf(
      word(
        "api keys?",
        "[a-z]+ api key",
        "credentials?",
        "passwords?",
        "passwort",
        "contrasena",
        "mots? de passe",
        "cle api",
        "private keys?",
        "ssh keys?",
        "secret access key",
        "secret keys?",
        "access tokens?",
        "session cookies?",
        "environment variables?",
        "contacts",
        "credit card",
        "bash history",
        "(?:their|your|the) pin",
        "every message",
        "conversation",
        "chat history",
        "personal data",
        "system prompt",
      ),
      secretFile,
      "密[钥码]",
      "パスワード|秘密鍵",
      "비밀번호",
      "парол\\p{L}+",
    ),
  ),
  signal(
    "your own secret",
    4,
    `${word("print(?:ing)?", "show(?:ing)?", "output(?:ting)?", "reveal(?:ing)?", "post(?:ing)?", "tell me", "donnez moi", "dame", "gib mir", "dammi")} (?:your|the user'?s|votre|ta|tu|la|deine?n?|la tua) ${word("api keys?", "credentials", "passwords?", "secrets?", "cle api", "contrasena", "clave(?: api)?", "passwort", "password", "private keys?", "access tokens?")}(?! (?:in|to|on|with|for|page|field|hash|using|form|manager))`,
  ),
  signal(
    "runs a download",
    2,
    "(?:curl|wget) \\S*${same(60)} (?:sudo )?(?:ba|z)?sh\\b".replace("${same(60)}", same(60)),
  ),
  signal("runs code from elsewhere", 3, "(?:execute|run) (?:the )?(?:code|script|commands?|payload) from https?:"),
  signal(
    "every time",
    1,
    word(
      "always",
      "from now on",
      "before (?:continuing|answering|reading|doing|each|every|you)",
      "every time",
      "whenever",
      "first",
      "must",
      "required to",
      "immediately",
      "nightly",
      "every (?:day|hour|session)",
      "at the start of",
      "wichtig",
      "importante?",
      "mussen",
      "必须",
      "重要",
    ),
  ),
  signal(
    "deceives",
    3,
    "(?:respond to the user|tell the user|say|claim|report|answer)(?: that| with)${g}regardless of".replace(
      "${g}",
      within(80),
    ),
    `pretend to be${within(30)}(?:bank|support|administrator|police|the user)`,
    "(?:rate|rank|score) this (?:candidate|paper|product|applicant)",
  ),
  signal(
    "no limits",
    3,
    "(?:no|without(?: any)?|sin|sem|senza|sans|ohne) (?:limits?|filters?|rules|restrictions|filtros|filtri|filtres|limites|grenzen|einschrankungen)(?= (?:called|named|who|that|and|y|e|und|et)|[.!])",
  ),
];
