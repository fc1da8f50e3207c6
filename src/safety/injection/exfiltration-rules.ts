import { type InjectionRule, words } from "./rule.ts";
import { oneOf, outside, same, secret, secretFile, send, sendLast, within, word } from "./vocabulary.ts";

/** A name of a variable that says nothing of whose key it is. */
const generic =
  /^(?:API|AUTH|ACCESS|MY|APP|BOT|DB|SERVICE|PRIVATE|BEARER|CLIENT|USER|SECRET|JWT|CI|DEPLOY|TEST|YOUR)$/iu;

/** Getting out what nobody else may have. */
export const exfiltrationRules: readonly InjectionRule[] = [
  words(
    "hand_over_secrets",
    [
      `commit (?:the |your )?\\.env(?: file)?${same(20)}push`,
      `(?:gib|gebt|nenne|zeige?) mir (?:alle )?(?:passworter|zugangsdaten|schlussel|geheimnisse)|donne[sz]?(?: moi)? (?:la |les |ta |tes )?(?:cle secrete|cles? api|mots? de passe)|dame (?:las? |tus? )?(?:claves?|contrasenas?)|dammi (?:le |la )?(?:password|chiavi?)|输出(?:所有)?密码`,
      `give me (?:the|your|all)(?: of)?(?: your| the)? ?(?:\\w+ )?(?:api keys?|keys stored|passwords?|secrets|credentials)`,
      `reveal (?:any|all|the) (?:stored |saved |user )?(?:passwords?|credentials|confidential)`,
      `${word("collect", "gather", "find", "harvest", "read")}${same(30)}${word("api keys?", "passwords?", "credentials", "secrets?", "private keys?")}${same(80)}${word("upload", "send", "post", "transmit")}${same(20)}${outside}`,
      `always include (?:the )?(?:contents? of )?(?:\\S+ )?(?:\\.env|secrets?|credentials|api keys?)`,
      `${word("send", "transfer", "wire", "pay")}[^.!?]{0,12}(?:\\$ ?\\d|\\d+ ?(?:usd|eur|btc|eth|dollars))${same(30)}to (?:account|iban|wallet|the (?:account|wallet)|us\\d|0x)`,
      `(?!submit )${send}(?![^.!?]{0,80}(?: header|bearer|oauth))${same(70)}${secret}${same(60)}${outside}`,
      `(?:把|将|將)${same(12)}${secret}${same(20)}${send}${same(10)}${outside}`,
      `${secret}${same(25)}${outside}${same(60)}${sendLast}`,
      `${send} (?:the |a |your |its )?(?:full |entire |whole |complete )?${word("contents?", "conversation(?: history)?", "text", "body", "inhalt", "contenu", "contenido", "conteudo", "contenuto", "содержимое")}${within(40)}(?:${same(30)})${outside}`,
      `${word("include", "add", "put", "append", "paste", "insert", "encode", "copy", "embed")}${same(50)}${word("user'?s? (?:api key|password|token|credentials|secrets?|last message|data)", "contents? of (?:the )?(?:\\S+ )?(?:conversation|\\S*\\.env|secrets?)", "(?:every|all|each|any)(?: the| of the| your)? (?:secrets?|api keys?|passwords?|credentials|tokens?)(?: that you know)?", "private keys?", "environment variables", "value of (?:the )?(?:\\S+ ){0,3}?(?:secret|api|access) (?:access )?key")}${same(80)}${oneOf(outside, word("message", "commit", "pull request(?: description)?", "issue(?: comment)?", "comment", "next request", "url", "answer", "response", "reply", "here"))}`,
      `${word("look for", "search for", "find", "collect", "gather", "harvest", "steal")}${within(20)}${word("private keys?", "passwords?", "credentials", "secrets?", "api keys?", "tokens?")}${within(60)}${word("include", "report", "send", "post", "upload", "commit", "e ?mail")} (?:them|it|those|all)`,
      `${word("post", "send", "paste", "share", "output", "tell me", "reveal")} (?:your(?=[^.!?]{0,30}(?: here| now|[.!]|$))|the user'?s?|all(?: of)?(?: the| your)?|every) ${word("(?:[a-z]+ )?tokens?", "api keys?", "passwords?", "credentials", "secrets?", "personal data", "private keys?", "session cookies?")}(?! ?(?:to|in|with|as) (?:the )?(?:vault|keychain|header|api|server|endpoint|request))`,
      `reveal (?:all|the user'?s?|every) ?secrets?`,
      `exfiltrate (?:all|the|any|every|your|everything)`,
      `upload (?:the )?(?:whole |entire |full )?(?:repository|codebase|source code)${within(20)}to ${same(12)}${outside}`,
      `now share (?:credentials|secrets|passwords)`,
      `ask (?:them|the user) for (?:their|his|her|the) (?:credit card|password|passwort|bank|social security)`,
      `(?:visit|open|go to) https?:\\S{4,80} and (?:enter|submit|type|provide|post)${within(20)}${secret}`,
    ],
    { isOrder: true },
  ),
  words("standing_hand_over", [
    `${secret}${same(60)}${word("(?:is|are|be|get) (?:sent|uploaded|forwarded|posted|copied|mailed)", "(?:write|send|post|upload|forward) (?:it|them)")}${same(20)}${outside}`,
    `(?:sends?|uploads?|posts?|forwards?) (?:process\\.env|all environment variables|the environment)${same(20)}${outside}`,
  ]),
  words(
    "read_secret_file",
    [
      `${word("cat", "read", "open", "print", "show", "dump", "display", "load", "access")}${same(30)}${secretFile}(?!\\S{0,20}\\.pub|\\.example)(?:(?!never|not |don't)[^!?]){0,60}?${word("paste", "show", "send", "post", "pass", "include", "tell", "output", "print", "upload", "report", "share", "append")}`,
    ],
    { isOrder: true },
  ),
  words("image_exfiltration", [
    `(?:append|add|encode|put)[^!?]{0,80}?(?:url|https?:\\S+)[^!?]{0,60}?(?:as|in)(?: an?)?(?: markdown)? image`,
    `(?:render|show|display|include|insert)[^!?]{0,30}image[^!?]{0,50}(?:each|every) (?:answer|response|reply|message)`,
  ]),
  {
    rule: "image_exfiltration",
    view: "shown",
    shape:
      /!\[[^\]]{0,200}\]\(\s*https?:\/\/[^\s)]{3,300}[?&/=][^\s)]{0,100}(?:\{\{|\{[a-z_]+\}|\$\{?[A-Za-z_]|<[a-z_ ]+>|=BASE64|BASE64_|%7B|\[(?:data|secret|conversation|chat|base64)|(?:conversation|chat_?history|secrets?|api_?key|password|system_?prompt)(?=[\s)&]))/giu,
  },
  {
    rule: "image_exfiltration",
    view: "shown",
    shape:
      /\b(?:embed|render|include|insert|show|load)\b[^\n]{0,40}\bimage\b[^\n]{0,40}https?:\/\/[^\s"']{3,200}=(?:<[^>]{2,40}>|\{|\[|\$|…|\.\.\.)/giu,
  },
  {
    rule: "link_exfiltration",
    view: "shown",
    shape:
      /https?:\/\/[^\s"'<>]{3,200}(?:\$\((?:whoami|hostname|cat|env|id|uname|printenv|base64)\b|\{\{?\s?(?:user_?data|conversation|chat|secrets?|history|api_?key|password|system_?prompt)\b)/giu,
  },
  {
    rule: "shell_exfiltration",
    view: "shown",
    shape:
      /\b(?:curl|wget|nc|ncat|netcat|Invoke-WebRequest|iwr)\b[^\n]{0,200}?(?:\$\(\s{0,3}(?:cat|env|printenv|base64|tar|gpg|head|tail)\b|`(?:cat|env|printenv)\b[^`\n]{0,80}`|@(?:~|\$HOME)?[\w./-]{0,40}(?:\.ssh|\.aws|\.env\b|id_rsa|\.netrc))|\b(?:cat|tar|base64|zip|gzip|head|grep)\b[^\n|]{0,120}?(?:\.ssh\b|\.aws\b|\.env\b|id_rsa\b|credentials\b|\.netrc\b|\.gnupg\b|\.kube\b)(?!\S{0,12}\.pub)[^\n|]{0,60}\|[^\n]{0,80}?\b(?:curl|wget|nc|ncat|netcat|telnet|openssl s_client)\b|\b(?:env|printenv)\b[^\n|]{0,20}\|[^\n]{0,40}\b(?:curl|wget|nc|ncat|netcat)\b/giu,
  },
  {
    rule: "shell_exfiltration",
    view: "shown",
    shape:
      /\b(?:curl|wget|nc)\b(?:(?!authorization|x-api-key|bearer|private-token|\s-u\s)[^\n]){0,200}?\$\{?([A-Z]+)_[A-Z_]{0,40}(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)\b[^\n]{0,120}/giu,
    // A vendor's own key may go to the vendor.
    holds: ([whole, vendor]) =>
      !generic.test(vendor ?? "") &&
      !new RegExp(`\\b[\\w.-]*${vendor ?? ""}[\\w-]*\\.\\w`, "iu").test(whole) &&
      /https?:|\w\.\w{2,}/u.test(whole),
  },
  {
    rule: "code_exfiltration",
    view: "shown",
    shape:
      /(?:urlopen|requests\.(?:post|get|put)|fetch|axios(?:\.\w+)?|sendBeacon|http\.request|\.open)\s{0,2}\([^\n]{0,160}?(?:os\.environ(?![[.]\w*)|JSON\.stringify\(process\.env\)|\+\s{0,3}(?:document\.cookie|localStorage)|open\(["'][^"']{0,40}(?:\.ssh|\.env|id_rsa))/giu,
  },
];
