/**
 * Words of prompt injection in ten languages, for texts as `wordsOf` writes them: small letters, no accents on Latin
 * ones, one blank between words. Each is a piece of a regular expression.
 */

/** Marks are blanks in a text of words, so there may be several between two words. */
export function blanks(shape: string): string {
  return shape.replaceAll(/ (?:\{\d+,\d+\})?(\??)/gu, (_, optional: string) => ` {${optional === "" ? 1 : 0},9}`);
}

/** Inside one sentence, at most this many characters. */
export const within = (most: number): string => `[^.!?:]{0,${most}}?`;

/** The same where addresses, with their dots and colons, may stand between. */
export const same = (most: number): string => `(?:(?!\\. )[^!?]){0,${most}}?`;

export const oneOf = (...pieces: readonly string[]): string => `(?:${pieces.join("|")})`;

/** A word of a script with blanks between words. */
export const word = (...pieces: readonly string[]): string => `(?<![\\p{L}\\d])(?:${pieces.join("|")})(?![\\p{L}\\d])`;

/** Who reads: a model. */
export const assistant = word(
  "ai(?: assistants?| agents?| models?| systems?| code reviewers?| reviewers?)?",
  "a\\.i\\.",
  "llms?",
  "(?:large )?language models?",
  "assistants?",
  "agents?",
  "chatbots?",
  "bots?",
  "claude",
  "chatgpt",
  "gpt(?: ?\\d\\S*)?",
  "copilot",
  "gemini",
  "codex",
  "cursor",
  "hermes",
  "ki",
  "ia",
  "ии",
  "нейросеть",
);

/** Values that nobody else may have. */
export const secret = oneOf(
  word(
    "(?:api|access|secret|private|ssh|deploy) ?keys?",
    "credentials?",
    "passwords?",
    "passphrases?",
    "secrets?",
    "(?:[a-z]+ )?tokens?",
    "environment variables?",
    "env(?:ironment)? vars?",
    "process\\.env",
    "environment",
    "conversations?(?: history)?",
    "chat(?: history| logs?)?",
    "system prompt",
    "session cookies?",
    "cookies?",
    "personal (?:data|information)",
    "inbox",
    "(?:all|every|the user'?s?) e ?mails?",
    "e ?mails (?:with|that|containing)",
    "(?:every|all|each)(?: the| of the)?(?: user'?s)? files?",
    "copy of every file",
    "credit card(?: numbers?)?",
    "claves?",
    "contrasenas?",
    "mots? de passe",
    "cles? (?:d'?)?api",
    "passwort(?:er)?",
    "zugangsdaten",
    "senhas?",
    "chaves?",
    "chiavi?",
    "dados do usuario",
    "datos del usuario",
    "donnees de l'?utilisateur",
    "bank balance",
    "парол\\p{L}*",
    "ключ\\p{L}*",
    "токен\\p{L}*",
  ),
  "\\.env\\b",
  "\\.ssh\\b",
  "\\.aws\\b",
  "\\.netrc\\b",
  "\\.gnupg\\b",
  "\\.kube\\b",
  "\\.hermes\\b",
  "\\.config/",
  "\\.cursor/",
  "id rsa\\b",
  "id ed25519\\b",
  "/etc/(?:passwd|shadow)",
  "环境变量",
  "id rsa",
  "密[钥鑰码碼]",
  "令牌",
  "凭证",
  "パスワード",
  "秘密鍵",
  "会話",
  "비밀번호",
  "대화",
  "키를",
);

/** Files that hold such values. */
export const secretFile = oneOf(
  "(?:~/|/|\\b)\\.(?:ssh/id|ssh\\b|aws/credentials|netrc|gnupg|kube/config|hermes/\\.env|pgpass|npmrc|git credentials|cursor/mcp)",
  "(?<![\\p{L}\\d])\\.env(?![.\\p{L}\\d])",
  "id (?:rsa|ed25519|ecdsa)\\b(?!\\.pub)",
  "/etc/(?:passwd|shadow)",
  "private keys?\\b",
  "\\bsecrets? files?\\b",
);

/** Orders to hand something over. */
export const send = oneOf(
  word(
    "send",
    "post",
    "upload",
    "forward",
    "transmit",
    "exfiltrate",
    "e ?mail",
    "mail",
    "leak",
    "submit",
    "push",
    "publish",
    "sende",
    "schicke?",
    "lade",
    "ubermittle",
    "envoie[sz]?",
    "envoyez",
    "transmet(?:s|tez)",
    "envia",
    "envie",
    "manda",
    "mande",
    "sube",
    "invia",
    "inviate",
    "spedisci",
    "carica",
    "отправь(?:те)?",
    "пришли(?:те)?",
    "загрузи(?:те)?",
    "перешли(?:те)?",
  ),
  "发送",
  "上传",
  "发到",
  "传到",
  "傳送",
);

/** The same where the verb comes last. */
export const sendLast = oneOf("送信", "送って", "送りなさい", "アップロード", "보내", "전송", "업로드");

/** Somewhere outside. */
export const outside = oneOf(
  "https?://",
  "\\bwww\\.",
  "(?<![\\w.])[\\w.]{1,64}@[\\w ]{1,64}\\.\\w",
  "\\b[a-z\\d]{1,40}\\.(?:example|com|net|org|io|site|dev|app|xyz|ru|cn|top|info|sh)\\b",
  word(
    "(?:to|at) (?:a |the |my |this )?webhook",
    "pastebin",
    "(?:remote|external|my|our|the|attacker'?s?) server",
    "public branch",
    "(?:the |an )?(?:attacker|hacker)s?",
    "serveur",
    "servidor",
    "сервер",
  ),
);

/** What a model was told. */
export const instructions = word(
  "instructions?",
  "(?:system ?)?prompts?",
  "rules?",
  "guidelines?",
  "guidance",
  "directives?",
  "directions",
  "constraints?",
  "restrictions?",
  "polic(?:y|ies)",
  "(?:safety|security|content) (?:measures?|protocols?|filters?|checks?|rules?|guards?|guardrails|polic(?:y|ies))",
  "guardrails?",
  "safeguards?",
  "programming",
  "training",
  "commands?",
  "orders?",
  "constitution",
  "persona",
);
