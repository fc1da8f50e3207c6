import { matchedSpans } from "./matched-spans.ts";
import type { SecretSpan } from "./span.ts";
import { isPlaceholder } from "./value-shape.ts";

/** Finds passwords without a name in arguments of programs and in statements. `lower` is the text in lower case. */
export function passwordArguments(text: string, lower: string): SecretSpan[] {
  const hasOne = (words: readonly string[]): boolean => words.some((word) => lower.includes(word));
  return shapes.flatMap(([words, marks, shape]) =>
    hasOne(words) && hasOne(marks) ? matchedSpans(text, shape, isPassword) : [],
  );
}

function isPassword(value: string): boolean {
  if (value.length < 4 || isPlaceholder(value) || wellKnownPasswords.has(value.toLowerCase())) return false;
  return /[\d!#%^*]/u.test(value) || value.length >= 8;
}

/** Placeholders that examples use instead of a password. */
export const wellKnownPasswords: ReadonlySet<string> = new Set(
  "password passwd pass pwd pw secret token user username postgres mysql root admin guest test example pass123 x-oauth-basic redis mongo x".split(
    " ",
  ),
);

/**
 * The patterns. Each one applies only if the lower-case text contains a word of the first list and one of the second.
 */
const shapes: readonly (readonly [words: readonly string[], marks: readonly string[], shape: RegExp])[] = [
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
    ["smbclient", "rpcclient", "wbinfo"],
    ["%"],
    /\b(?:smbclient|rpcclient|wbinfo)\b[^\n|;]{0,80}?\s-U\s*["']?[^\s%"']{1,60}%([^\s"']+)/gu,
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
  [["psexec"], [" -p"], /\bpsexec(?:64)?(?:\.exe)?\b[^\n|;]{0,120}?\s-p\s+["']?([^\s"']+)/giu],
  [["net user"], [""], /\bnet\s+user\s+\S{1,60}\s+(?!\/)["']?([^\s"']+)/giu],
  [["echo"], ["sudo", "kinit", "su"], /\becho\s+(?:-n\s+)?["']?([^\s"'|]+)["']?\s*\|\s*(?:sudo\s+-\w*S|kinit|su\b)/gu],
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
    /\b(?:(?:WITH|LOGIN|ENCRYPTED)\s+(?:ENCRYPTED\s+)?PASSWORD|SET\s+PASSWORD\b[^'"\n]{0,60}|ALTER\s+(?:USER|ROLE|LOGIN)\b[^'"\n]{1,60}PASSWORD)\s*=?\s*["']([^"'\n]{1,200})/giu,
  ],
  // Calls that take a user and a password, or a place before both.
  [
    ["credential", "basicauth", "basic_auth", "passwordauthentication", "digestauth"],
    ["("],
    /\b(?:NetworkCredential|(?:Username)?PasswordCredentials?|PasswordAuthentication|HTTP(?:Basic|Digest)Auth|(?:Set|set|with)?_?[bB]asic_?[aA]uth|BasicAWSCredentials|AwsBasicCredentials\.create|Basic(?:Auth)?Credentials?)\s{0,4}\(\s{0,40}["'][^"'\n]{0,100}["']\s{0,4},\s{0,40}(?:Some\()?["']([^"'\n]{4,100})["']/gu,
  ],
  [
    ["directoryentry", "getconnection", "plainauth", "opendsobject"],
    ["("],
    /\b(?:DirectoryEntry|getConnection|PlainAuth|OpenDSObject)\s{0,4}\(\s{0,40}(?:["'][^"'\n]{0,200}["']|\w{1,40})\s{0,4},\s{0,40}["'][^"'\n]{1,100}["']\s{0,4},\s{0,40}["']([^"'\n]{4,100})["']/gu,
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
  [["securestring"], [""], /\bConvertTo-SecureString\s+(?:-String\s+)?["']([^"'\n]{4,100})["']/giu],
  [["<master>"], [""], /<master>\{([A-Za-z0-9+/=]{40,})\\?\}<\/master>/gu],
  [["temporary password"], [""], /\btemporary\s+password\b[^\n]{0,60}:\s+(\S+)/giu],
  [[":_"], [""], /:_(?:authToken|auth|password)[ \t]+["']?([^\s"']+)/giu],
];
