import type { FindingClass, Severity } from "./skill-scan.ts";

/** A text pattern that makes a skill suspicious. `where`: in scripts, in prose, or in both. */
export interface LineRule {
  readonly rule: string;
  readonly class: FindingClass;
  readonly severity: Severity;
  readonly where: "scripts" | "prose" | "both";
  readonly shape: RegExp;
}

/** Patterns that are matched per line, in addition to judging commands, code and prose. */
export const lineRules: readonly LineRule[] = [
  {
    rule: "miner",
    class: "mining",
    severity: "critical",
    where: "both",
    shape:
      /\bstratum\+(?:tcp|ssl):\/\/|\b(?:xmrig|xmr-stak|cpuminer|minerd|nbminer|t-rex-miner|phoenixminer)\b.{0,160}(?:-o\b|--url|--donate|pool\.|wget|curl|https?:)|\bcoinhive\.min\.js|--donate-level/iu,
  },
  {
    rule: "drop_site",
    class: "exfiltration",
    severity: "high",
    where: "scripts",
    shape:
      /(?<![\w.-]|(?<!:\/)\/)(?:[\w-]+\.)*(?:webhook\.site|requestbin\.\w+|pipedream\.net|beeceptor\.com|burpcollaborator\.net|oastify\.com|interact\.sh|dnslog\.cn|ngrok(?:-free)?\.(?:io|app)|transfer\.sh|file\.io|0x0\.st|termbin\.com)\b/iu,
  },
  {
    rule: "chat_drop",
    class: "exfiltration",
    severity: "high",
    where: "scripts",
    shape: /\bdiscord(?:app)?\.com\/api\/webhooks\/\d|api\.telegram\.org\/bot\d{6,}:/iu,
  },
  {
    rule: "whole_environment_sent",
    class: "exfiltration",
    severity: "critical",
    where: "scripts",
    shape:
      /(?:post|put|send|request|urlopen|fetch)\w*\([^\n]{0,160}(?:dict\(os\.environ|os\.environ\b(?!\s*[[.]\s*['"g])|json\.stringify\(process\.env\)|process\.env\s*[,})])|\b(?:curl|wget|nc)\b[^\n]{0,160}(?:\$\((?:env|printenv|set)\b|`(?:env|printenv)`)|\b(?:env|printenv)\s*\|[^\n]{0,160}\b(?:curl|nc|wget)\b/iu,
  },
  {
    rule: "decoded_and_run",
    class: "obfuscation",
    severity: "critical",
    where: "scripts",
    shape:
      /\b(?:exec|eval|compile)\s*\(\s*(?:\w+\.)*(?:b64decode|b32decode|unhexlify|fromhex|decompress|loads|decode|rot13|atob|unescape)\s*\(|\b(?:exec|eval)\s*\(\s*(?:__import__|codecs|base64|zlib|marshal|bytes\.fromhex|Buffer\.from)\b|\bnew Function\s*\(\s*(?:atob|Buffer\.from|decodeURIComponent|unescape)\b|\beval\s*\(\s*(?:String\.fromCharCode|function\s*\(p,\s*a,\s*c,\s*k)/u,
  },
  {
    rule: "name_made_up",
    class: "obfuscation",
    severity: "critical",
    where: "scripts",
    shape:
      /\b(?:__import__|import_module)\s*\(\s*(?:['"]['"]\.join|chr\s*\(|\w+\[::-1\]|['"]\w*['"]\s*(?:\+|\[::-1\])|base64|bytes)|getattr\s*\(\s*[\w.()'"]{1,60}\s*,\s*(?:['"]\w*['"]\s*\+|['"]['"]\.join|chr\s*\(|['"]\w+['"]\[::-1\])|__builtins__\s*(?:\.__dict__)?\s*\[|globalThis\s*\[\s*['"]\w*['"]\s*\+|require\s*\(\s*(?:['"]\w*['"]\s*\+|\[)/iu,
  },
  {
    rule: "letters_by_number",
    class: "obfuscation",
    severity: "high",
    where: "scripts",
    shape: /(?:chr\s*\(\s*\d+\s*\)\s*\+?\s*){4,}|(?:\\x[0-9a-f]{2}){12,}|String\.fromCharCode\((?:\s*\d+\s*,){8,}/iu,
  },
  {
    rule: "rights_for_all",
    class: "privilege_escalation",
    severity: "critical",
    where: "scripts",
    shape: /\bNOPASSWD\b|\/etc\/ld\.so\.preload\b/u,
  },
  {
    rule: "run_again_from_network",
    class: "persistence",
    severity: "critical",
    where: "scripts",
    shape:
      /(?:curl|wget)\b[^\n]{0,160}\|\s*(?:ba|z)?sh\b[^\n]{0,160}(?:crontab|>>?\s*\S*(?:\.bashrc|\.zshrc|\.profile|cron))/iu,
  },
  {
    rule: "long_blob",
    class: "obfuscation",
    severity: "medium",
    where: "scripts",
    shape: /['"`][A-Za-z0-9+/=]{1200,}['"`]/u,
  },
  {
    rule: "locked_download",
    class: "supply_chain",
    severity: "critical",
    where: "prose",
    shape:
      /\b(?:download|get|grab)\b[^\n]{0,200}\b(?:zip|rar|7z|archive|installer|exe|dmg)\b[^\n]{0,120}\b(?:password|passcode|pass)\b\s*(?:is\b|:|=|for|`)|\b(?:unzip|extract)\b[^\n]{0,80}\b(?:with|using)\b[^\n]{0,20}\bpass(?:word|code)?\b[^\n]{0,60}\b(?:run|execute|open|launch)\b|\b(?:paste|copy)\b[^\n]{0,60}\b(?:into|in)\b[^\n]{0,20}\bterminal\b[^\n]{0,120}(?:glot\.io|rentry\.co|pastebin\.com|paste\.|hastebin)/iu,
  },
  {
    rule: "remote_control",
    class: "network",
    severity: "critical",
    where: "scripts",
    shape:
      /\bwhile\s+(?:true|:|1|sleep)\b[^\n]{0,120}\b(?:curl|wget)\b[^\n|]{0,160}\|\s*(?:ba|z)?sh\b|core\.hooksPath\s+\/(?:tmp|dev\/shm|var\/tmp)\b|\bchmod\s+(?:u\+s|[46]7\d\d)\s+\/(?:usr\/)?bin\//iu,
  },
  {
    rule: "private_data_sent",
    class: "exfiltration",
    severity: "critical",
    where: "scripts",
    shape:
      /\bhistory\b[^\n]{0,20}\|\s*(?:curl|nc|wget)\b|(?:webhook\.site|requestbin|discord(?:app)?\.com\/api\/webhooks|api\.telegram\.org\/bot)[^\n]{0,160}\b(?:open\(|readFileSync\(|\/etc\/(?:passwd|shadow)|\$\(cat\b)/iu,
  },
  {
    rule: "paste_site",
    class: "supply_chain",
    severity: "high",
    where: "both",
    shape:
      /\b(?:curl|wget|fetch|visit|open|download|iwr|requests\.get|urlopen)\b[^\n]{0,120}\b(?:pastebin\.com\/raw|rentry\.co|glot\.io|hastebin\.com\/raw|paste\.ee|ghostbin\.\w+|raw\.githack\.com)\b/iu,
  },
  {
    rule: "install_from_address",
    class: "supply_chain",
    severity: "high",
    where: "both",
    shape:
      /\b(?:pip3?|pipx|uv pip|npm|pnpm|yarn|bun|gem|cargo|go)\s+(?:install|add|i)\b[^\n|]{0,160}[\s=](?:git\+)?http:\/\/|--(?:extra-)?index-url[ =]http:|--registry[ =]http:|--trusted-host\b/iu,
  },
  {
    rule: "address_without_name",
    class: "network",
    severity: "high",
    where: "both",
    shape:
      /https?:\/\/(?!(?:127|10|0|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254\.\d+|203\.0\.113|198\.51\.100|192\.0\.2|1\.1\.1\.1|8\.8\.[48]\.[48])[.:/\b])(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\/[^\s"'`)]{0,160}\.(?:sh|py|ps1|exe|bin|js|elf|pl)\b/iu,
  },
  {
    rule: "metadata_keys",
    class: "credential_exposure",
    severity: "critical",
    where: "scripts",
    shape:
      /(?:169\.254\.169\.254|metadata\.google\.internal)[^\n]{0,160}(?:security-credentials|service-accounts|oauth2\/token)/u,
  },
  {
    rule: "metadata_service",
    class: "credential_exposure",
    severity: "high",
    where: "scripts",
    shape: /169\.254\.169\.254|metadata\.google\.internal|100\.100\.100\.200/u,
  },
  {
    rule: "far_path",
    class: "traversal",
    severity: "high",
    where: "scripts",
    shape:
      /(?:\.\.[\\/]){4,16}(?:etc|root|home|proc|\.ssh|windows)\b|\/proc\/(?:self|\d+|\$PPID|\$\{?PPID\}?|1)\/(?:environ|mem)\b/iu,
  },
  {
    rule: "keys_to_enter",
    class: "persistence",
    severity: "critical",
    where: "scripts",
    shape:
      /authorized_keys['"`)]*\s*,\s*['"](?:a|w)|(?:>>?|tee(?:\s+-a)?)\s*[^\n|;&]{0,160}\.ssh\/authorized_keys|(?:append|write)\w*\([^\n]{0,160}authorized_keys/iu,
  },
  {
    rule: "own_instructions_changed",
    class: "persistence",
    severity: "critical",
    where: "scripts",
    shape:
      /(?:open\(|write_?(?:text|file)\w*\(|append\w*\()[^\n]{0,160}\b(?:SOUL|AGENTS|CLAUDE|MEMORY|GEMINI)\.md\b(?!['"]\)\.read)|(?:(?<![-=>])>>\s*|\b(?:echo|printf|cat|curl|wget|sed|awk|jq)\b[^\n]{0,160}(?<![-=])>\s*|\btee(?:\s+-a)?\s+)["']?[^\s"'|;&<>]{0,120}(?:\b(?:SOUL|AGENTS|CLAUDE|MEMORY|GEMINI)\.md\b|\.hermes\/(?:\.env|config\.yaml|memories|skills)|\.cursorrules|\.claude\/settings)/u,
  },
  {
    rule: "web_script",
    class: "supply_chain",
    severity: "high",
    where: "both",
    shape:
      /\b(?:iex|invoke-expression)\b[^\n]{0,160}(?:downloadstring|iwr|invoke-webrequest|irm)[^\n]{0,160}|\b(?:iwr|irm|downloadstring)\b[^\n]{0,160}\|\s*iex\b/iu,
  },
  {
    rule: "hidden_window",
    class: "execution",
    severity: "critical",
    where: "both",
    shape:
      /powershell(?:\.exe)?\b[^\n]{0,160}(?:-e(?:nc(?:odedcommand)?)?\s+[A-Za-z0-9+/=]{20,}|-w(?:indowstyle)?\s+hidden[^\n]{0,160}(?:iex|downloadstring|iwr))|\b(?:mshta|certutil\s+-urlcache|bitsadmin\s+\/transfer|regsvr32\s+\/s[^\n]{0,160}\/i:http)/iu,
  },
];

/** Locations of keys and passwords, as scripts spell them. */
export const keyPaths =
  /\.ssh(?:\/(?:id_|\*)|\/?(?:["'`\s);|]|$))|\/proc\/[^\s/]+\/environ|\bid_(?:rsa|ed25519|ecdsa)\b(?!\.pub)|\.aws\/credentials|\.config\/gcloud|\.kube\/config|\.docker\/config\.json|\.netrc\b|\.git-credentials|\.npmrc\b|\.pypirc\b|\.gnupg\b|login\.keychain|find-generic-password|Login Data\b|Local State\b|cookies\.sqlite|logins\.json|key4\.db|wallet\.dat|\.electrum|MetaMask|nkbihfbeogaeaoehlefnkodbefgpgknn|\.hermes\/(?:\.env|auth\.json)|\.anthropic|\/etc\/shadow|\.bash_history|\.zsh_history|\.password-store/u;

/** Programs and functions that send data to another machine. */
export const sendingCode =
  /\brequests\.(?:post|put|request)\(|\burlopen\(|\bhttpx\.|\baiohttp\.|\bfetch\(|\baxios\b|\bhttps?\.request\(|\bcurl\b|\bwget\b|\bsocket\.(?:socket|create_connection)\b|\bsmtplib\b|\bnc\s|\bscp\s|\brsync\s[^\n]{0,160}:|\bparamiko\b|\bftplib\b|\bInvoke-WebRequest\b|\bNet::HTTP\b|\bLWP::|\bdns\.resolver|\bnslookup\b|\bsendBeacon\(|\bXMLHttpRequest\b/u;
