import { hole } from "../command/shell/field.ts";
import type { Effects } from "./reading/effects.ts";
import { textValue } from "./reading/value.ts";

/** Languages for which only plain reading and printing is recognised. Other code needs approval. */
export type PlainLanguage = keyof typeof plainNames;

/**
 * Accepts code such as `puts 1 + 1`. Any other code is a finding, and each of its strings with several words is treated
 * as a command.
 */
export function readPlainCode(language: PlainLanguage, code: string, effects: Effects): void {
  const texts: string[] = [];
  const bare = (language === "vim" ? code : code.replace(conditionPattern, " 0 ")).replaceAll(
    quotedText,
    (_, double?: string, single?: string, back?: string) => {
      texts.push((double ?? single ?? back ?? "").replaceAll(/\\(.)/gsu, "$1"));
      const isComputed = back !== undefined || /#\{|\{\$|\$\{|^\w+:\/\//u.test(double ?? single ?? "");
      return isComputed ? "`" : '""';
    },
  );
  const isPlain = language === "vim" ? isPlainVim(code) : isPlainScript(bare, plainNames[language]);
  if (isPlain) {
    for (const text of texts) if (readsFiles.test(bare)) effects.path("read", textValue(text));
    return;
  }
  effects.find(code.includes(hole) ? "unknown_code" : "unreadable_code", code.slice(0, 120));
  if (/\b(?:loop|while)\b.*\bfork\b/su.test(code)) effects.find("fork_bomb", code.slice(0, 120));
  if (/\b(?:rm_rf?|remove_\w+|rmtree)\b/u.test(code))
    for (const text of texts) effects.path("delete", textValue(text), true);
  const folder = /\bchdir[\s(]*(["'])(?<path>.*?)\1/u.exec(code)?.groups?.["path"];
  if (folder !== undefined) effects.enter(textValue(folder));
  const decoded = [
    ...(/base64|decode64/iu.test(code) ? texts.map((text) => Buffer.from(text, "base64").toString()) : []),
    ...(/strrev|reverse/u.test(code) ? texts.map((text) => Array.from(text).toReversed().join("")) : []),
  ];
  const typed = [...code.matchAll(language === "vim" ? /!+\s*([^\n|]+)/gu : /%x\W([^)\]}>|]*)/gu)];
  const started = [...code.matchAll(/\b(?:system|exec|spawn|popen|passthru|shell_exec|execute)\b[\s(]*["']([^"']*)/gu)];
  const commands = [...typed, ...started].map(([, command = ""]) => command);
  const several = [...texts, ...decoded].slice(0, 100).filter((text) => /\S\s/u.test(text));
  for (const text of [...several, texts.join(" "), ...commands]) effects.shell(textValue(text), text);
}

const quotedText = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`([^`]*)`/gsu;

/** Accepts `print if /foo/`. */
const conditionPattern = /(?<=\bif\s|=~\s?)\s*\/(?:[^/\\\n`]|\\.)*\/[imx]*/gu;

/** Returns whether the code uses only names that read, calculate and print, and calls no text or variable. */
function isPlainScript(bare: string, names: ReadonlySet<string>): boolean {
  return (
    /^[\w\s"$.,;:+\-*/%^<>=?!()[\]]*$/u.test(bare) &&
    !/["$\])]\s*\(|\$\w+\s*(?:\(|->|::)|\$\$|file_get_contents\s*\((?!\s*""\s*\))/u.test(bare) &&
    [...bare.matchAll(/(?<![\d$\w])[A-Za-z_]\w*/gu)].every(([name]) => names.has(name))
  );
}

/** Returns whether the command only quits, writes the current file, sets an option or replaces text. */
function isPlainVim(code: string): boolean {
  return code.split(/[\n|]/u).every((line) => plainVim.test(line));
}

const plainVim =
  /^[\s:]*(?:(?:q|qa|wq|wqa|w|x|xa)!?|set \w+|syntax o(?:n|ff)|%?s\/(?:\\[^=]|[^\\/])*\/(?:\\[^=]|[^\\/])*\/?[egiI]*)?\s*$/u;

const readsFiles = /\b(?:read|readlines|Dir|load_file|file_get_contents|file|lines)\b/u;

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/u));

const plainNames = {
  ruby: setOf(`puts print p pp if RUBY_VERSION RUBY_PLATFORM RUBY_ENGINE VERSION Gem Time Date now today Math sqrt PI nil true
    false to_s to_i to_f to_a upcase downcase reverse length size count sum min max sort uniq first last keys values round
    join split strip File STDIN read readlines Dir JSON YAML parse pretty_generate load_file ARGV`),
  php: setOf(`echo print print_r var_dump PHP_VERSION PHP_OS PHP_OS_FAMILY PHP_EOL PHP_INT_MAX PHP_INT_SIZE PHP_BINARY true false
    null phpversion php_uname php_sapi_name extension_loaded ini_get phpinfo date time strlen strtoupper strtolower strrev
    str_repeat round sqrt array_sum count range implode explode json_encode json_decode file_get_contents array_keys`),
  lua: setOf(`print io write _VERSION math sqrt floor ceil pi max min string upper lower rep len format reverse os time date clock
    tostring tonumber type true false nil`),
  vim: setOf(""),
};
