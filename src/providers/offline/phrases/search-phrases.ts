import { type Hearing, pathOf, type Phrase, phrase } from "../phrase.ts";
import type { Step } from "../step.ts";

const search =
  "(?:search|look(?= (?:for|up|in|inside|through|everywhere))|find|grep|scan|seek|suche|finde|cherche|recherche|trouve)";
const where = "(?:in|inside|within|under|below|through|im|unter|dans|sous)";
const here =
  "(?:here|this (?:folder|directory|project|repo|repository)|the (?:project|repo|repository|code|codebase|current folder)|everywhere|all files|the files|my files|(?:the )?(?:current|working) (?:folder|directory)|hier|ici)";
const folder = `(?:the |my |le |la )?(?:folder |directory |file |ordner |dossier )?<folder>(?: folder| directory)?`;
const files = "(?:files?|dateien|datei|fichiers?)";

/** Files by their names. */
export const namePhrases: readonly Phrase[] = [
  phrase(
    `(?:(?:${search}|list|show|show me|which|what|are there(?: any)?)(?: for)?(?: me)? )?(?:all |any |every |alle |tous )?(?:the |les )?${files} (?:named|called|matching|like|with (?:the )?names?(?: like)?|ending (?:in|with|on)|namens|nommés?|appelés?) <name>(?: ${where} ${folder})?`,
    findFiles,
  ),
  phrase(
    `(?:${search}|list|show|show me|count)(?: for)?(?: me)?(?: all| any| every| alle| tous)?(?: the| les)? <name> ${files}(?: ${where} (?:${here}|${folder}))?`,
    (part, heard) => {
      const pattern = globOf(heard.masked.meant(part("name") ?? ""));
      return pattern === undefined ? undefined : { does: "find", name: pattern, ...inFolder(part("folder"), heard) };
    },
  ),
  phrase(
    `(?:${search}|where is|where's|where are|wo ist|où est)(?: for)?(?: the| my| a)?(?: ${files})?(?: called| named)? <name>(?: ${where} ${folder})?`,
    (part, heard) => {
      const name = heard.masked.meant(part("name") ?? "");
      return /^(?!\/.*\/$)\S*[*?]\S*$/u.test(name) || /^[\w@.-]+\.\w{1,8}$/u.test(name)
        ? { does: "find", name, ...inFolder(part("folder"), heard) }
        : undefined;
    },
  ),
];

/** Text in files. */
export const textPhrases: readonly Phrase[] = [
  phrase(
    `(?:(?:which|what)|(?:${search}|list|show)(?: for)?(?: me)?(?: all| any| every| the)*) ${files} (?:that |which )?(?:contain(?:s|ing)?|mention(?:s|ing)?|have|has|having|with|us(?:e|es|ing)|imports?)(?: the)?(?: text| word| words| string)? <words>(?: in (?:it|them))?(?: ${where} (?:${here}|${folder}))?`,
    searchText,
  ),
  phrase(
    `(?:${search}) (?:in |through |dans )?(?:${here}|(?!for\\b|nach\\b)${folder}) (?:for|nach|pour) <words>`,
    searchText,
  ),
  phrase(
    `(?:${search})(?: for| up| nach)?(?: me)?(?: all| every| any| the| each)*(?: text| word| words| string| occurrences? of| lines? (?:with|containing)| mentions? of| uses? of| places? (?:with|that (?:say|use)))* <words>(?: ${where} (?:${here}|${folder}))`,
    searchText,
  ),
  phrase(
    `(?:${search})(?: for| up| nach)?(?: me)?(?: all| every| any| the| each)*(?: text| word| words| string| occurrences? of| lines? (?:with|containing)| mentions? of| uses? of)* <words>`,
    searchText,
  ),
  phrase(
    `where (?:is|are|do we use|is it) <words> (?:used|mentioned|defined|called)(?: ${where} (?:${here}|${folder}))?`,
    searchText,
  ),
];

/** What people call the files of a language. */
const languages: ReadonlyMap<string, string> = new Map([
  ["typescript", "ts"],
  ["javascript", "js"],
  ["python", "py"],
  ["markdown", "md"],
  ["text", "txt"],
  ["rust", "rs"],
  ["ruby", "rb"],
  ["yaml", "{yml,yaml}"],
  ["shell", "sh"],
  ["image", "{png,jpg,jpeg,gif,webp,svg}"],
]);

/** "all .ts files", "typescript files", "*.md files". */
function globOf(kind: string): string | undefined {
  const language = languages.get(kind.toLowerCase());
  if (language !== undefined) return `*.${language}`;
  if (/^\S*[*?]\S*$/u.test(kind)) return kind;
  const extension = /^\.?(?<name>\w{1,8})$/u.exec(kind)?.groups?.["name"];
  return extension === undefined || /^(?:the|my|all|any|these|those|log|other|new|big)$/iu.test(extension)
    ? undefined
    : `*.${extension}`;
}

type Part = Parameters<Phrase["make"]>[0];

function findFiles(part: Part, heard: Hearing): Step | undefined {
  const name = heard.masked.meant(part("name") ?? "");
  if (name === "" || /\s(?:in|and|with)\s/u.test(name)) return undefined;
  const pattern =
    /ending/iu.test(heard.masked.text) && !name.includes("*") ? `*${name.startsWith(".") ? "" : "."}${name}` : name;
  return { does: "find", name: pattern, ...inFolder(part("folder"), heard) };
}

/** `/…/` is a regular expression; anything else is meant letter by letter. */
function searchText(part: Part, heard: Hearing): Step | undefined {
  const { masked } = heard;
  const words = masked.meant(part("words") ?? "");
  if (words === "" || words.includes("\n")) return undefined;
  if (
    !masked.isQuoted(part("words") ?? "") &&
    /^(?:(?:it|that|this|something|anything|everything|the|a|files?)$|(?:out|me|a way|a good|why|how|what|someone|somebody)\b)/iu.test(
      words,
    )
  )
    return undefined;
  // With options or several words it is the program that is meant.
  if (/^grep\s+(?:-|(?!for\b)\S+\s+(?!in\b))/iu.test(masked.text) || /(?:^|\s)-name\s/u.test(words)) return undefined;
  const expression = /^\/(?<inner>.+)\/$/u.exec(words)?.groups?.["inner"];
  const pattern = expression ?? words.replaceAll(/[\\^$.*+?()[\]{}|]/gu, "\\$&");
  const place = inFolder(part("folder"), heard);
  return { does: "search", words, pattern, ...place };
}

function inFolder(captured: string | undefined, heard: Hearing): { path?: string } {
  const path = pathOf(captured, heard);
  return path === undefined ? {} : { path };
}
