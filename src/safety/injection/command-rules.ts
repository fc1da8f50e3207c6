import type { InjectionRule } from "./rule.ts";

/** Rules for commands and code that send secrets, persist or take control, and for URLs that contain data to send. */
export const commandRules: readonly InjectionRule[] = [
  {
    rule: "image_exfiltration",
    shape:
      /!\[[^\]]{0,100}\]\(\s{0,4}https?:\/\/[^\s)]{3,120}[?&/=][^\s)]{0,60}(?:\{\{|\{(?!(?:owner|repo|repository|org|package|pkg|branch|version|tag|project|slug|workflow|license|color)\})[a-z_]+\}|\$\{?[A-Za-z_]|<(?!(?:owner|repo|repository|org|package|pkg|branch|version|tag|project|slug|workflow|license|color)>)[a-z_ ]+>|=BASE64|BASE64_|%7B|\[(?:data|secret|conversation|chat|base64)|(?:conversation|chat_?history|secrets?|api_?key|password|system_?prompt)(?=[\s)&]))/giu,
  },
  {
    rule: "image_exfiltration",
    shape:
      /\b(?:embed|render|include|insert|show|load)\b[^\n]{0,40}\bimage\b[^\n]{0,40}https?:\/\/[^\s"']{3,200}=(?:<[^>]{2,40}>|\{|\[|\$|…|\.\.\.)/giu,
  },
  {
    rule: "link_exfiltration",
    shape:
      /https?:\/\/[^\s"'<>]{3,200}(?:\$\((?:whoami|hostname|cat|env|id|printenv|base64)\b|\{\{?\s?(?:user_?data|conversation|chat|secrets?|history|api_?key|password|system_?prompt)\b)/giu,
  },
  {
    rule: "shell_exfiltration",
    shape:
      /\b(?:curl|wget|nc|ncat|netcat|Invoke-WebRequest|iwr)\b(?:(?!\.\s)[^\n]){0,200}?(?:\$\(\s{0,3}(?:cat|env|printenv|base64|tar|gpg|head|tail)\b|`(?:cat|env|printenv)\b[^`\n]{0,80}`|@(?:~|\$HOME)?[\w./-]{0,40}(?:\.ssh|\.aws|\.env\b|id_rsa|\.netrc))|\b(?:cat|tar|base64|zip|gzip|head|grep)\b[^\n|]{0,120}?(?:\/etc\/(?:passwd|shadow)\b|\.ssh\b|\.aws\b|\.env\b|id_rsa\b|credentials\b|\.netrc\b|\.gnupg\b|\.kube\b)(?!\S{0,12}\.pub)[^\n|]{0,60}\|[^\n]{0,80}?\b(?:curl|wget|nc|ncat|netcat|telnet|openssl s_client)\b|\b(?:env|printenv)\b[^\n|]{0,20}\|[^\n]{0,40}\b(?:curl|wget|nc|ncat|netcat)\b/giu,
  },
  {
    rule: "shell_exfiltration",
    shape:
      /\b(?:curl|wget|nc)\b(?:(?!authorization|x-api-key|x-auth|bearer|private-token|\s-u\s|\s-H\s|\s--header\b)[^\n]){0,200}?\$\{?([A-Z]+)_[A-Z_]{0,40}(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)\b[^\n]{0,120}/giu,
    holds: ([whole, vendor]) => isForeignKey(whole, vendor ?? "") && /https?:|\w\.\w{2,}/u.test(whole),
  },
  {
    rule: "code_exfiltration",
    shape:
      /(?:urlopen|requests\.(?:post|get|put)|fetch|axios(?:\.\w+)?|sendBeacon|http\.request|\.open)\s{0,2}\([^\n]{0,160}?(?:os\.environ(?![[.]\w*)|JSON\.stringify\(process\.env\)|\+\s{0,3}(?:document\.cookie|localStorage)|open\(["'][^"']{0,40}(?:\.ssh|\.env|id_rsa))/giu,
  },
  {
    rule: "runs_download",
    where: ["memory", "skill"],
    shape:
      /\b(?:curl|wget)\b[^\n]{0,160}\s(\/tmp\/\S+|\/dev\/shm\/\S+|\S*\/\.\S+)[^\n]{0,40}chmod\s+\S+\s+\1[^\n]{0,20}&&\s{0,3}\1/giu,
  },
  {
    rule: "runs_download",
    where: ["memory", "skill"],
    shape: /\b(?:eval|source)\s+["']?(?:\$\(|<\(|`)\s{0,3}(?:curl|wget)\b/giu,
  },
  {
    rule: "reverse_shell",
    where: ["memory", "skill"],
    shape:
      /\/dev\/tcp\/[\w.$]+\/\w+|\bnc(?:at)?\b[^\n|]{0,60}\s-e\s|\bbase64\s+(?:-d|-D|--decode)\b[^\n]{0,20}\|\s{0,3}(?:sudo )?(?:ba|z)?sh\b/giu,
  },
  {
    rule: "planted_file",
    shape: /ssh-(?:rsa|ed25519|dss)\s+AAAA(?!\.\.|…)[^\n]{0,500}>>?\s{0,4}\S{0,80}authorized_keys/giu,
    isNeverMention: true,
  },
  {
    rule: "runs_download",
    where: ["memory", "skill"],
    shape:
      /\b(?:exec|eval|os\.system|Function)\s{0,2}\(\s{0,3}(?:base64\.|atob|bytes\.fromhex|codecs\.decode|Buffer\.from|zlib\.|requests\.get|urllib)/giu,
  },
  {
    rule: "runs_download",
    shape:
      /\bexec\([^\n]{0,60}(?:urlopen|__import__\(["']base64)|src=["'][^"']{0,200}["']\s{0,3}\+\s{0,3}document\.cookie|core\.hooksPath\s+\/tmp|"tool_calls"[^\n]{0,300}(?:\.netrc|\.ssh|\.env\b|\bcurl\b|rm -rf|\.aws)|powershell[^\n]{0,60}\s-e(?:nc|ncodedcommand)?\s+[A-Za-z0-9+/=]{20,}/giu,
  },
  {
    rule: "shell_exfiltration",
    where: ["memory", "skill", "context"],
    shape:
      /\b(?:cp|scp|rsync|tar|zip)\b[^\n]{0,60}(?:\.ssh\/id_|\.aws\/credentials|\.gnupg|\.ssh\b(?!\/))[^\n]{0,80}(?:\bcurl\b|\bnc\b|\bwget\b|https?:|@[\w.-]+:)/giu,
  },
  {
    rule: "link_exfiltration",
    shape: /https?:\/\/[^\s"'<>]{3,200}[?&]\w{1,30}=\$\{?([A-Z]+)_[A-Z_]{0,40}(?:KEY|TOKEN|SECRET|PASSWORD)\b/gu,
    holds: ([whole, vendor]) => isForeignKey(whole, vendor ?? ""),
  },
  {
    rule: "runs_download",
    where: ["memory", "skill", "context"],
    shape:
      /\b(?:curl|wget)\b[^\n|]{0,120}http:\/\/(?!localhost|127\.)[^\n|]{1,160}\|\s{0,3}(?:sudo )?(?:ba|z)?sh\b|\b(?:ba|z)?sh\s+-c\s+["']?\$\(\s{0,3}(?:curl|wget)[^\n)]{0,100}http:\/\//giu,
  },
  {
    rule: "dangerous_command",
    where: ["memory", "skill"],
    shape:
      /\brm\s+-[a-z]*[rf][a-z]*\s+(?:--no-preserve-root\s+)?(?:~\/?|\/|\$HOME\/?|\/\*)(?=[\s"'`;&|]|$)|NOPASSWD:\s*ALL|\bxmrig\b|stratum\+tcp:\/\/|\bchmod\s+(?:u\+s|[24]7\d\d)\s+\/|\bmkfs\.\w+\s+\/dev\/|:\(\)\s{0,2}\{|\bdd\s+if=\/dev\/(?:zero|urandom)\s+of=\/dev\/|\brm\s+-[a-z]*f\s+\/var\/log|>\s{0,2}\/etc\/(?:passwd|shadow|sudoers|cron)|LD_PRELOAD=\/tmp|\bhistory\s+-c\b/gu,
  },
  {
    rule: "planted_file",
    where: ["memory", "skill", "context"],
    shape:
      /(?:echo|printf|cat)\b[^\n]{0,200}(?:curl|wget|\/tmp\/|\/dev\/tcp)[^\n]{0,120}\|\s{0,3}crontab\b|\*\s\*\s\*\s\*\s[^\n]{0,40}(?:curl|wget)\b[^\n]{0,120}|(?:curl|wget)\b[^\n]{0,120}>>?\s{0,3}~?\/?\S{0,40}\.(?:bashrc|zshrc|profile|bash_profile)\b/giu,
  },
  {
    rule: "reverse_shell",
    where: ["memory", "skill", "context"],
    shape:
      /socket\.socket\([^\n]{0,200}(?:dup2|subprocess|pty\.spawn)|\bbash\s+-i\s{0,3}>&|\bmkfifo\b[^\n]{0,80}\bnc\b|\bnc\b[^\n|]{0,60}\|\s{0,3}\/bin\/(?:ba)?sh|TCPSocket\.(?:new|open)\([^\n]{0,80}exec|fsockopen\([^\n]{0,80}exec|New-Object\s+(?:System\.)?Net\.Sockets\.TCPClient|\bsocat\b[^\n]{0,80}EXEC:/giu,
  },
  {
    rule: "shell_exfiltration",
    shape:
      /\$\((?:cat|base64|head|env|whoami|hostname|id)\b[^\n]{0,120}\)\.[\w-]{1,60}\.[\w.-]{2,60}|\bfind\s+(?:~|\/home|\$HOME|\/)[^\n]{0,80}(?:\.pem|id_rsa|\.key|\.env|wallet)[^\n]{0,80}\bcurl\b[^\n]{0,120}|\b(?:os\.system|subprocess\.\w+|exec(?:Sync)?)\([^\n]{0,40}curl[^\n]{0,80}\$\(cat\b/giu,
  },
  {
    rule: "code_exfiltration",
    where: ["memory", "skill"],
    shape:
      /requests\.post\([^\n]{0,120}(?:os\.environ|environ\.copy|dict\(os\.environ)|fetch\([^\n]{0,160}process\.env\b(?!\.)/giu,
  },
  {
    rule: "swaps_address",
    shape:
      /\b(?:replace|change|swap|substitute)\b[^\n]{0,100}(?:\bbc1[a-z0-9]{20,}|\b0x[0-9a-f]{40}\b|\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,})|(?:details|account|iban|address)\b[^\n]{0,40}\bchanged to\b[^\n]{0,40}(?:\b[A-Z]{2}\d{2}[A-Z0-9]{10,}|\bbc1|\b0x)/giu,
  },
  {
    rule: "secret_in_memory",
    where: ["memory"],
    shape:
      /\b(?:api[_-]?key|secret(?:[_-]?key)?|access[_-]?token|password|passwd)\b\s{0,3}[=:]\s{0,3}["'](?![A-Za-z0-9_-]{0,40}(?:your|here|placeholder|example|0000|test_|demo|xxxx|change|redacted|dummy|replace))[A-Za-z0-9+/=_-]{20,}["']/giu,
  },
  {
    rule: "code_exfiltration",
    shape:
      /(?:\.ssh\/id_|\bid_(?:rsa|ed25519)\b(?!\.pub)|\.aws\/credentials|\.git-credentials|\.gnupg\b|\/etc\/shadow|login\.keychain|Login Data\b|wallet\.dat|dict\(os\.environ\)|json\.dumps\((?:dict\()?os\.environ|os\.environ\.copy\(\)|JSON\.stringify\(process\.env\)|\.\.\.process\.env\b)[^]{0,300}?(?:requests\.(?:post|put)\(|httpx\.(?:post|put)\(|urlopen\(|\bfetch\(["'`]https?:|axios\.(?:post|put)\(|https?\.request\(|sendBeacon\(|\.sendall\(|\.sendmail\(|\bcurl\b[^\n]{0,80}(?:-d|-F|-T|--data\S*|--upload-file|--form)\s*\S{0,20}[@$<])/gu,
  },
  {
    rule: "code_exfiltration",
    shape:
      /\b(?:fetch|axios(?:\.\w+)?|requests\.\w+|urlopen)\([^\n]{0,160}[?&]\w{1,30}=[^\n]{0,20}(?:process\.env\.|os\.environ\[["']|getenv\(["'])([A-Z]+)_[A-Z_]{0,40}(?:KEY|TOKEN|SECRET|PASSWORD)\b/gu,
    holds: ([whole, vendor]) => isForeignKey(whole, vendor ?? ""),
  },
  {
    rule: "shell_exfiltration",
    shape:
      /\bcurl\b[^\n]{0,120}\s(?:-d|-F|-T|--data\S*|--form|--upload-file)\s{0,2}\S{0,30}[$@][^\n]{0,160}\b(?:webhook\.site|requestbin\.\w+|pipedream\.net|burpcollaborator\.net|oastify\.com|interact\.sh)\b/giu,
  },
  {
    rule: "packs_secrets",
    shape:
      /\b(?:tar|zip|7za?|rar|make_archive|cp|rsync)\b[^\n]{0,120}?(?:~|\$\{?HOME\}?|\/root|\/home\/[^\s/]+)\/\.(ssh|aws|gnupg|kube|config\/gcloud|password-store)\b[^\n]{0,80}?(?:\/\.(?!\1\b)(?:ssh|aws|gnupg|kube|config\/gcloud|password-store|git-credentials|netrc)\b|\.git-credentials)|\b(?:tar|zip|7za?)\b[^\n]{0,40}\/(?:tmp|var\/tmp|dev\/shm)\/[^\n]{0,60}?(?:~|\$\{?HOME\}?|\/root)\/\.(?:ssh|aws|gnupg|kube|password-store)\b/gu,
  },
  {
    rule: "opens_machine",
    where: ["memory", "skill", "context"],
    shape:
      /\bufw\s+(?:--force\s+)?disable\b|\bsetenforce\s+0\b|\bsystemctl\s+(?:stop|disable)\s+(?:--now\s+)?(?:ufw|firewalld|apparmor|auditd|fail2ban)\b|\bspctl\s+--(?:master|global)-disable\b|\bcsrutil\s+disable\b|\bnetsh\s+advfirewall\s+set\s+\w+\s+state\s+off\b|\bSet-MpPreference\s+-Disable\w+\s+(?:\$true|1)|\bdockerd?\b[^\n]{0,60}-H\s+tcp:\/\/0\.0\.0\.0|\bdocker\s+run\b[^\n]{0,120}--privileged[^\n]{0,120}-v\s+\/:\/|\bchmod\s+(?:-R\s+)?(?:0?777|a\+rwx)\s+(?:\/|~|\$HOME)(?:etc\b|root\b|\/?(?=[\s"'`;&|]|$))|\bPermitRootLogin\s+yes\b[^\n]{0,40}>>|\bssh\b[^\n]{0,60}\s-R\s+\S{0,20}:(?:localhost|127\.0\.0\.1):22\b|\bngrok\s+tcp\s+22\b|NOPASSWD[^\n]{0,40}(?:>>|\|\s*(?:sudo\s+)?tee\b)[^\n]{0,20}\/etc\/sudoers/gu,
  },
  {
    rule: "hand_over_data",
    shape:
      /\b(?:silently|secretly|covertly|discreetly|stealthily)\s{1,4}(?:upload|send|forward|transmit|exfiltrate|email|leak|ship|harvest|post)\s{1,4}(?:[\w'-]{1,20}\s{1,4}){0,5}?(?:workspace|repo(?:sitory)?|files?|contents?|data|history|conversations?|messages?|keys?|credentials?|secrets?|tokens?|passwords?|environment|variables|source|code|everything|documents?)\b(?!\s(?:is|are|was|were)\b)/giu,
    holds: ({ index, input }) => !negated.test(input.slice(Math.max(0, index - 40), index)),
  },
  {
    rule: "dangerous_command",
    where: ["context", "tool_result"],
    shape:
      /\b(?:always|first|must|please|make sure to|remember to)\s{1,4}(?:run|execute|call|type)\s{1,4}["'`]{0,3}(?:sudo\s)?rm\s+-[a-z]*[rf][a-z]*\s+(?:~\/?|\/|\$HOME\/?|\/\*)(?=[\s"'`;&|.,]|$)/giu,
    holds: ({ index, input }) => !negated.test(input.slice(Math.max(0, index - 40), index)),
  },
  {
    rule: "addressed_to_model",
    where: ["tool_result", "memory"],
    shape:
      /(?:^|\n|[.>]\s)[ \t>*#[-]{0,6}(?:(?:AI|LLM)[ -])?(?:(?:AI|AGENT|ASSISTANT|LLM|MODEL) (?:INSTRUCTION|DIRECTIVE|COMMAND|OVERRIDE|ORDER)S?|AGENT)\]?:\s{0,2}(?:(?:Before|When|While|After|If|For)\b[^.\n]{1,120}?,\s)?(?:[Yy]ou (?:must|should)|[Aa]lways|[Nn]ever|[Dd]o not|[Aa]ppend|[Aa]dd|[Mm]ark|[Ss]end|[Ii]gnore|[Rr]un|[Ee]xecute|[Cc]all|[Dd]elete|[Aa]pprove|[Ss]kip|[Ff]orward|[Rr]eply|[Rr]espond|[Ii]nclude|[Ss]tate)\b/gu,
  },
];

const negated = /\b(?:not|never|don't|cannot|can't|won't|doesn't|avoid|without|no)\b[^.\n]{0,30}$/iu;

/** Names of variables that do not show which service the key belongs to. */
const generic =
  /^(?:API|AUTH|ACCESS|MY|APP|BOT|DB|SERVICE|PRIVATE|BEARER|CLIENT|USER|SECRET|JWT|CI|DEPLOY|TEST|YOUR)$/iu;

/** Returns whether the key does not belong to the vendor of the URL: a vendor may get its own key. */
function isForeignKey(whole: string, vendor: string): boolean {
  return !generic.test(vendor) && !new RegExp(`\\b[\\w.-]*${vendor}[\\w-]*\\.\\w`, "iu").test(whole);
}
