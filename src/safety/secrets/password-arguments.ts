import { matchedSpans } from "./matched-spans.ts";
import { memoize } from "./named-secret.ts";
import type { SecretSpan } from "./span.ts";
import { isPlaceholder } from "./value-shape.ts";

/** Finds passwords without a name in arguments of programs and in statements. `lower` is the text in lower case. */
export function passwordArguments(text: string, lower: string, holds: (value: string) => boolean): SecretSpan[] {
  const has = memoize((word) => lower.includes(word));
  return possibleShapes(lower).flatMap(([words, marks, shape]) =>
    marks.some(has) && words.some(has) ? matchedSpans(text, shape, holds) : [],
  );
}

/** Whether the value can be a password, where one is expected. */
export function isPassword(value: string): boolean {
  if (value.length < 4 || isPlaceholder(value) || wellKnownPasswords.has(value.toLowerCase())) return false;
  return /[\d!#%^*]/u.test(value) || value.length >= 8;
}

/** Placeholders that examples use instead of a password. */
export const wellKnownPasswords: ReadonlySet<string> = new Set(
  "password passwd pass pwd pw secret token user username postgres mysql root admin guest test example x-oauth-basic redis mongo x".split(
    " ",
  ),
);

type Shape = readonly [words: readonly string[], marks: readonly string[], shape: RegExp];

/**
 * The patterns. Each one applies only if the lower-case text contains a word of the first list and one of the second.
 */
const shapes: readonly Shape[] = [
  [
    ["mysql", "mariadb"],
    [" -p"],
    /\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|;]{0,120}?\s-p(?=[^\s-])["']?([^\s"']+)/gu,
  ],
  [["sshpass"], [" -p"], /\bsshpass\s+-p\s*["']?([^\s"']+)/gu],
  [["redis-cli"], [" -a"], /\bredis-cli\b[^\n|;]{0,80}?\s-a\s+["']?([^\s"']+)/gu],
  [["login"], [" -p"], /\b(?:docker|podman|helm|az|oc)\b[^\n|;]{0,20}\blogin\b[^\n|;]{0,120}?\s-p\s+["']?([^\s"']+)/gu],
  [
    ["curl", "wget", "http"],
    [" -u", "-user", " -a"],
    /\b(?:curl|wget|http|httpie)\b(?:[^\n|;\\]|\\\r?\n|\\.){0,400}?\s(?:-[uU]|--(?:proxy-)?user|-a)(?:[ =]|\\\r?\n){0,8}["']?(?:[^\s:"'$<]{0,60}["']?:["']?([^\s"']+)|((?=\S*\d)[^\s:"'$<]{10,80}):["']?(?=\s|$))/gu,
  ],
  [
    ["smbclient", "rpcclient", "wbinfo", "winexe", "pth-", "smbget"],
    ["%"],
    /\b(?:smbclient|rpcclient|wbinfo|winexe|smbget|pth-\w+)\b[^\n|;]{0,80}?\s-U\s*["']?[^\s%"']{1,60}%([^\s"']+)/gu,
  ],
  [
    ["mongo", "cqlsh", "sqlcmd", "bcp", "influx", "rabbitmqadmin", "twine"],
    [" -p"],
    /\b(?:mongo|mongosh|mongodump|mongorestore|cqlsh|sqlcmd|bcp|influx|rabbitmqadmin|twine)\b[^\n|;]{0,120}?\s-[pP]\s+["']?([^\s"']+)/gu,
  ],
  [["zip"], [" -p"], /\b(?:zip|unzip)\b[^\n|;]{0,60}?\s-P\s*["']?([^\s"']+)/gu],
  [["7z", "rar"], [" -p", " -hp"], /\b(?:7z|7za|7zz|rar|unrar)\b[^\n|;]{0,60}?\s-(?:hp|p)(?=[^\s-])["']?([^\s"']+)/gu],
  [["ldap"], [" -w"], /\bldap(?:search|add|modify|delete|whoami|passwd)\b[^\n|;]{0,120}?\s-w\s+["']?([^\s"']+)/gu],
  [
    ["openssl"],
    [" -k", " -pass"],
    /\bopenssl\b[^\n|;]{0,120}?\s(?:-k\s+|-(?:pass|passin|passout)\s+pass:)["']?([^\s"']+)/gu,
  ],
  [["ssh-keygen"], [" -n", " -p"], /\bssh-keygen\b[^\n|;]{0,80}?\s-[NP]\s+["']?([^\s"']+)/gu],
  [["htpasswd"], [""], /\bhtpasswd\s+-\w*b\w*\s+\S{1,100}\s+\S{1,60}\s+["']?([^\s"']+)/gu],
  [["wpa_passphrase"], [""], /\bwpa_passphrase\s+\S{1,60}\s+["']?([^\s"']+)/gu],
  [
    ["net use"],
    ["/u"],
    /\bnet\s+use\s[^\n]{0,160}?(?:\\\\\S+[ \t]+(?:"([^"\n]+)"|(?!\/)([^\s"*]+))(?=[ \t]+\/u(?:ser)?:)|\/u(?:ser)?:\S+[ \t]+(?:"([^"\n]+)"|(?!\/)([^\s"*]+)))/giu,
  ],
  [
    "psexec crackmapexec cme nxc netexec evil-winrm smbmap rdesktop ncftp hydra medusa racadm beeline vsce ovsx certutil paexec wmiexec csexec xfreerdp remmina smbexec".split(
      " ",
    ),
    [" -p"],
    /\b(?:p[sa]exec(?:64|svc)?(?:\.exe)?|crackmapexec|cme|nxc|netexec|evil-winrm|smbmap|rdesktop|ncftp\w*|hydra|medusa|racadm|beeline|vsce|ovsx|certutil(?:\.exe)?|csexec)\b[^\n|;]{0,160}?\s-p\s+["']?([^\s"']+)/giu,
  ],
  [
    ["ipmitool", "mosquitto_", "isql", "sqsh", "tsql", "ipmi-", "bmc-"],
    [" -p"],
    /\b(?:ipmitool|mosquitto_(?:pub|sub|rr)|isql|sqsh|tsql|ipmi-\w+)\b[^\n|;]{0,160}?\s-P\s+["']?([^\s"']+)/gu,
  ],
  // Programs of impacket: `psexec.py domain/user:password@host`.
  [
    [".py", "impacket-"],
    ["@"],
    /(?:\w\.py|\bimpacket-\w+)\s[^\n|;]{0,80}?["']?(?:[\w.-]{1,40}\/)?[\w.$-]{1,40}:([^\s"'/@:]{4,80})@[\w.-]+/gu,
  ],
  [
    ["schtasks", "signtool", "netdom", "cmdkey"],
    ["/"],
    /\b(?:schtasks|signtool|netdom|cmdkey)(?:\.exe)?\b[^\n|;]{0,200}?\s\/(?:rp|p|pass|passwordd|passwordo|pd|po)[\s:]["']?([^\s"'/]+)/giu,
  ],
  [["lftp"], [" -u"], /\blftp\b[^\n|;]{0,80}?\s-u\s+["']?[^\s,"']{1,60},([^\s"']+)/gu],
  [["redis"], ["auth "], /\bredis-cli\b[^\n|;]{0,80}?\sauth\s+(?:\w{1,40}\s+)?["']?([^\s"']+)/giu],
  [["setuser"], [">"], /\bACL\s+SETUSER\s[^\n>]{1,80}>([^\s"']+)/giu],
  [
    ["rabbitmqctl"],
    ["_user", "_password"],
    /\brabbitmqctl\b[^\n|;]{0,40}?\s(?:add_user|change_password|authenticate_user)\s+\S{1,60}\s+["']?([^\s"']+)/gu,
  ],
  [["ldappasswd"], [" -s", " -a"], /\bldappasswd\b[^\n|;]{0,120}?\s-[sa]\s+["']?([^\s"']+)/gu],
  [["useradd", "usermod"], [" -p"], /\buser(?:add|mod)\b[^\n|;]{0,80}?\s-p\s+["']?([^\s"'$(]+)/gu],
  [
    ["snmp"],
    [" -a", " -x"],
    /\bsnmp(?:walk|get|set|bulkwalk|getnext|table|trap)\b[^\n|;]{0,120}?\s-A\s+["']?([^\s"']+)/gu,
  ],
  [["snmp"], [" -x"], /\bsnmp(?:walk|get|set|bulkwalk|getnext|table|trap)\b[^\n|;]{0,160}?\s-X\s+["']?([^\s"']+)/gu],
  [["db2"], ["using"], /\bconnect\s+to\s+\w{1,40}\s+user\s+\S{1,40}\s+using\s+["']?([^\s"';]+)/giu],
  [
    ["nuget"],
    ["push", "setapikey"],
    /\bnuget(?:\.exe)?\s+(?:setapikey\s+|push\b[^\n|;]{0,160}?\s-k\s+)["']?([^\s"']+)/giu,
  ],
  [
    ["poetry"],
    ["config"],
    /\bpoetry\s+config\s+(?:pypi-token\.\S{1,40}|http-basic\.\S{1,40}\s+\S{1,60})\s+["']?([^\s"']+)/gu,
  ],
  [
    ["cargo login", "ngrok authtoken", "codecov", "doctl auth", "coveralls"],
    [""],
    /\b(?:cargo\s+login|ngrok\s+authtoken|codecov\b[^\n|;]{0,80}?\s-t|doctl\s+auth\s+init\s[^\n|;]{0,40}?-t)\s+(?!-)["']?(?=\S*\d)([^\s"']{8,})/gu,
  ],
  [["sonar"], ["login="], /-Dsonar\.login=["']?(?=\S*\d)([^\s"']{8,})/gu],
  [["tailscale", "headscale", "netbird"], ["key"], /--(?:auth-?key|setup-key)[ =]["']?([^\s"']+)/gu],
  [
    ["alias set", "config host add"],
    [""],
    /\bmc\s+(?:alias\s+set|config\s+host\s+add)\s+\S{1,40}\s+\S{1,100}\s+\S{1,100}\s+["']?([^\s"']+)/gu,
  ],
  [
    ["pdftk", "nmcli", "requirepass"],
    [""],
    /\b(?:pdftk\b[^\n|;]{0,120}?\s(?:input|owner|user)_pw|nmcli\b[^\n|;]{0,120}?\spassword|config\s+set\s+requirepass)\s+["']?([^\s"']+)/giu,
  ],
  [["jenkins-cli", "sqlmap", "wpscan"], ["auth"], /\s--?auth(?:-cred)?[= ]["']?[^\s:"'=]{1,60}:([^\s"']+)/gu],
  [["vmrun"], [" -gp", " -vp"], /\bvmrun\b[^\n|;]{0,160}?\s-[gv]p\s+["']?([^\s"']+)/gu],
  [
    ["login"],
    [""],
    /^(?:[CS]:\s?)?[A-Za-z]{0,4}\d{1,5}\s+LOGIN\s+["']?[^\s"']{1,60}["']?\s+["']?([^\s"']+)["']?\s*$/gmu,
  ],
  [["identify"], ["nickserv"], /\bNickServ\b[^\n]{0,20}\bIDENTIFY\s+(?:\w{1,30}\s+)?(\S+)\s*$/gimu],
  [["password 0 ", "secret 0 ", "key 0 "], [""], /\b(?:password|secret|key)[ \t]+0[ \t]+(\S+)/gu],
  [
    ["set psksecret", "set passwd", "set password", "set private-key"],
    [""],
    /^[ \t]*set[ \t]+(?:psksecret|passwd|password|passphrase)[ \t]+(?!ENC\b)["']?([^\s"']+)["']?[ \t]*$/gmu,
  ],
  [
    ["plain-text-password-value", "encrypted-password", "authentication-key", "pre-shared-key"],
    ['"'],
    /\b(?:plain-text-password-value|encrypted-password|authentication-key|pre-shared-key(?:[ \t]+\w{1,20}){0,2})[ \t]+"([^"\n]{4,200})"/gu,
  ],
  [["defaultpassword"], ["/d"], /\bDefaultPassword\b[^\n]{0,60}?\/d[ \t]+["']?([^\s"']+)/giu],
  [
    ["send "],
    ["assword"],
    /assword[^\n]{0,40}["'}][^\n]{0,20}[;\n\s]\s*send(?:_user)?\s+(?:--\s+)?["']([^"'\n\\$]{4,100})(?:\\[rn]|["'])/gu,
  ],
  [["cryptsetup"], ["<<<", "|"], /\bcryptsetup\b[^\n|]{0,120}<<<\s*["']?([^\s"']+)/gu],
  [
    ["pass"],
    ["user"],
    /\buser(?:name)?\s+["']?[\w.@-]{1,60}["']?\s+(?:there\s+)?(?:with\s+)?pass(?:word)?\s+["']([^"'\n]{4,100})["']/gu,
  ],
  [["net user"], [""], /\bnet\s+user\s+\S{1,60}\s+(?!\/)["']?([^\s"']+)/giu],
  [
    ["echo", "printf"],
    ["sudo", "kinit", "su", "stdin", "cryptsetup", "passphrase-fd"],
    /\b(?:echo|printf)\s+(?:-[ne]+\s+)?["']?([^\s"'|]+)["']?\s*\|\s*(?:sudo\s+-\w*S|kinit|su\b|(?:sudo\s+)?(?:passwd\s+--stdin|cryptsetup\b)|gpg\b[^\n|]{0,60}--passphrase-fd)/gu,
  ],
  [
    ["password-stdin", "with-token"],
    ["|"],
    /\b(?:echo|printf)\s+(?:-n\s+)?(?:["']?%s["']?\s+)?["']?([^\s"'|]+)["']?\s*\|[^\n|]{1,120}?--(?:password-stdin|with-token)/gu,
  ],
  [
    ["requirepass", "masterauth", "bindpw", "rootpw", "password"],
    [""],
    /^[ \t]{0,8}(?:enable[ \t]+)?(?:requirepass|masterauth|bindpw|rootpw|password)[ \t]{1,8}(?!is\b|was\b)(?=[^\s"']*[A-Za-z])(?=[^\s"']*\d)([^\s"':=,]{6,})[ \t]*$/gimu,
  ],
  [["chpasswd"], [""], /\becho\s+["']?[\w.-]{1,40}:([^\s"'|]+)["']?\s*\|\s*(?:sudo\s+)?chpasswd/gu],
  [["gh secret"], [""], /\bgh\s+secret\s+set\b[^\n|;]{0,80}?\s(?:-b|--body)[ =]["']?([^\s"']+)/gu],
  [["secret-tool"], [""], /\bsecret-tool\b[^\n|;]{0,80}?\s--password=?\s*["']?([^\s"']+)/gu],
  [["password-command"], [""], /\bpassword-command[ =]["']?(?:echo|printf)\s+["']?([^\s"']+)/gu],
  [
    ["secret", "password", "key"],
    [""],
    /\b(?:secret|password|key-string|server-key|key)[ \t]+(?:5[ \t]+(\$1\$\S+)|[89][ \t]+(\$[89]\$\S+)|7[ \t]+([0-9A-F]{8,}))/gu,
  ],
  [["pin"], [""], /\b(?:pin|PIN)(?:[-_ ]?[cC]ode)?[ \t]{0,4}[:=][ \t]{0,4}["']?(\d{4,8})\b/gu],
  [
    ["snmp"],
    [""],
    /\bsnmp(?:-server)?\s+community\s+(?:string\s+)?(\S+)|\bsnmp(?:walk|get|set)\b[^\n|;]{0,60}?\s-c\s+(\S+)/gu,
  ],
  [["identified"], [""], /\bIDENTIFIED\s+(?:WITH\s+\w+\s+)?BY\s+["']([^"'\n]{1,200})/giu],
  [
    ["password"],
    ["with ", "set ", "alter ", "login ", "role "],
    /\b(?:(?:WITH|LOGIN|ENCRYPTED)\s+(?:ENCRYPTED\s+)?PASSWORD|SET\s+PASSWORD\b[^=\n]{0,80}=|ALTER\s+(?:USER|ROLE|LOGIN)\b[^'"\n]{1,60}PASSWORD)\s*=?\s*(?:N|PASSWORD\s{0,2}\()?["']([^"'\n]{1,200})/giu,
  ],
  // Calls that take a user and a password, or a place before both.
  [
    ["credential", "basicauth", "basic_auth", "passwordauthentication", "digestauth"],
    ["("],
    /\b(?:NetworkCredential|(?:Username)?PasswordCredentials?|PasswordAuthentication|HTTP(?:Basic|Digest)Auth|(?:Set|set|with)?_?[bB]asic_?[aA]uth|BasicAWSCredentials|AwsBasicCredentials\.create|Basic(?:Auth)?Credentials?)\s{0,4}\(\s{0,40}["'][^"'\n]{0,100}["']\s{0,4},\s{0,40}(?:Some\()?["']([^"'\n]{4,100})["']/gu,
  ],
  [
    [
      "directoryentry",
      "getconnection",
      "plainauth",
      "opendsobject",
      "pdo(",
      "mysqli",
      "mysql_connect",
      "ftp_login",
      "mongocredential",
    ],
    ["("],
    /\b(?:DirectoryEntry|getConnection|PlainAuth|OpenDSObject|PDO|mysqli(?:_connect)?|mysql_p?connect|ftp_login|MongoCredential(?:\.create\w{0,30})?)\s{0,4}\(\s{0,40}(?:["'][^"'\n]{0,200}["']|\$?\w{1,40})\s{0,4},\s{0,40}["'][^"'\n]{1,100}["']\s{0,4},\s{0,40}["']([^"'\n]{4,100})["']/gu,
  ],
  [
    ["login", "authenticate", "logon"],
    ["("],
    /\.(?:login|authenticate|logon|signIn)\(\s{0,20}["'][^"'\n]{1,100}["'],\s{0,20}["']([^"'\n]{4,100})["']/gu,
  ],
  [["reg_sz"], ["assword"], /\b\w{0,30}password[ \t]{1,12}REG_SZ[ \t]{1,12}(\S+)/giu],
  [["iwconfig"], ["key"], /\biwconfig\b[^\n|;]{0,80}?\s(?:key|enc)\s+(?:s:)?([^\s"']{5,})/gu],
  [["isakmp key"], [""], /\bcrypto[ \t]+isakmp[ \t]+key[ \t]+(?:0[ \t]+)?([^\s"']{4,})[ \t]+(?:address|hostname)\b/giu],
  [
    ["user"],
    ["pass"],
    /\buser(?:name)?:?[ \t]{1,4}[\w.@-]{1,40},?[ \t]{1,4}(?:and[ \t]{1,4})?pass(?:word)?:?[ \t]{1,4}(?=[^\s]*\d)([^\s"',;]{6,40})/giu,
  ],
  [
    ["auth "],
    [""],
    /\bAUTH[ \t]{1,4}(?:default[ \t]{1,4})?(?!CRAM|DIGEST|SCRAM|XOAUTH)(?=[^\s]*\d)(?=[^\s]*[A-Za-z])([^\s"',;:()=]{8,})/gu,
  ],
  [["auth=("], [""], /\bauth=\(\s{0,20}["'][^"'\n]{1,100}["'],\s{0,20}["']([^"'\n]{4,100})["']\s{0,4}\)/gu],
  [
    ["auth", "login", "install "],
    [""],
    /\b(?:auth|login)\b[^\n|;]{0,40}?\s-t\s+["']?([A-Za-z0-9_.-]{20,})|\bservice\s+install\s+([A-Za-z0-9_.=+/-]{24,})|\b(?:vault|az|npm|wandb|huggingface-cli|sentry-cli|snyk|railway|ngrok|auth)\s+(?:login|auth|add-authtoken)\s+(?=\S*\d)([A-Za-z0-9_.=+/-]{16,})/gu,
  ],
  [["/p:"], ["/u:", "/v:"], /\s\/p:["']?([^\s"']{4,})/gu],
  [
    ["sqlplus", "rman", "expdp", "impdp", "sqlldr"],
    ["/"],
    /\b(?:sqlplus|rman|expdp|impdp|sqlldr)\b[^\n|;]{0,60}?\s["']?\w{1,40}\/([^\s"'@/]{4,})@/gu,
  ],
  [
    ["securestring"],
    [""],
    /\bConvertTo-SecureString\s+(?:-(?:String|AsPlainText|Force)\s+){0,3}["']([^"'\n]{4,100})["']/giu,
  ],
  [["<master>"], [""], /<master>\{([A-Za-z0-9+/=]{40,})\\?\}<\/master>/gu],
  [["temporary password"], [""], /\btemporary\s+password\b[^\n]{0,60}:\s+(\S+)/giu],
  [[":_"], [""], /:_(?:authToken|auth|password)[ \t]+["']?([^\s"']+)/giu],
];

/** Returns the patterns with a frequent word, and those with a rare word that one search through the text sees. */
function possibleShapes(lower: string): readonly Shape[] {
  const seen = new Set<string>();
  rareWord.lastIndex = 0;
  for (let match = rareWord.exec(lower); match !== null; match = rareWord.exec(lower)) {
    seen.add(match[0]);
    // Another word may start inside this one.
    rareWord.lastIndex = match.index + 1;
  }
  if (seen.size === 0) return frequentShapes;
  const isSeen = (word: string): boolean => [...seen].some((each) => each.includes(word) || word.includes(each));
  return [...frequentShapes, ...rareShapes.filter(([words]) => words.some(isSeen))];
}

function isRare(word: string): boolean {
  return !frequentWords.has(word);
}

const frequentWords: ReadonlySet<string> = new Set(
  "login user logon authenticate password secret identify credential zip rar 7z http echo printf pin auth key pass send .py :_ /p:".split(
    " ",
  ),
);
const frequentShapes = shapes.filter(([words]) => !words.every(isRare));
const rareShapes = shapes.filter(([words]) => words.every(isRare));
const rareWord = new RegExp(
  [...new Set(rareShapes.flatMap(([words]) => words))].map((word) => word.replaceAll("(", String.raw`\(`)).join("|"),
  "gu",
);
