import { type Hearing, pathOf, type Phrase, phrase } from "../phrase.ts";
import type { Step } from "../step.ts";

const read =
  "(?:read|show me|show|open|display|print|view|cat|see|look at|look into|let me see|give me|what is in|what's in|what does|lies|zeig mir|zeige mir|zeige|zeig|öffne|oeffne|lis|montre-moi|montre|affiche|ouvre)";
const file =
  "(?:the |my |a |this |that |die |den |das |le |la |un )?(?:contents? of |text of )?(?:the |my )?(?:text )?(?:files? |dateie?n? |fichiers? )?(?:called |named |namens )?";
const write = "(?:write|put|save|store|schreib|schreibe|speichere|écris|ecris|mets|enregistre)";
const make = "(?:create|make|write|add|new|generate|erstelle|erzeuge|lege an|crée|cree|créer)";
const into = "(?:to|in|into|inside|as|onto|nach|unter|dans|sous)";
const holding =
  "(?:with|containing|that (?:says|contains|reads|has)|saying|which (?:says|contains)|holding|mit|avec|contenant)(?: the)?(?: following)?(?: text| content| contents| line| inhalt| texte| contenu)*";
const remove = "(?:delete|remove|erase|trash|get rid of|rm|lösche|loesche|entferne|supprime|efface)";
const folder = "(?:folder|directory|dir|ordner|verzeichnis|dossier|répertoire)";

export const filePhrases: readonly Phrase[] = [
  phrase(`(?:${read} )?(?:the )?(?:first |top )?<number> lines (?:of|in|from) ${file}<path>`, (part, heard) =>
    withPath(part("path"), heard, (path) => ({
      does: "read",
      path,
      from: 1,
      lines: Math.max(1, Number(part("number"))),
    })),
  ),
  phrase(
    `${read} (?:the )?(?:lines? )?<number>(?: ?(?:-|to|until|through|and) ?<upto>)?(?: lines?)? (?:of|in|from) ${file}<path>`,
    (part, heard) => {
      const from = Number(part("number"));
      const to = part("upto") === undefined ? from : Number(part("upto"));
      return withPath(part("path"), heard, (path) => ({ does: "read", path, from, lines: Math.max(1, to - from + 1) }));
    },
  ),
  phrase(`${read} ${file}<path>,? (?:from )?lines? <number>(?: ?(?:-|to|until|through) ?<upto>)?`, (part, heard) => {
    const from = Number(part("number"));
    const to = part("upto") === undefined ? from : Number(part("upto"));
    return withPath(part("path"), heard, (path) => ({ does: "read", path, from, lines: Math.max(1, to - from + 1) }));
  }),
  phrase(
    `(?:show|list|what(?:'s| is| are)?|see|display|zeige?(?: mir)?|liste|montre(?:-moi)?)(?: me)?(?: all)?(?: the| my| die| les)?(?: other)? (?:files|everything|contents?|files and folders|folders|directories|dateien|fichiers)(?: (?:are|is))?(?: here| there| in here| in this (?:folder|directory)| in the (?:current|working|this) (?:folder|directory)| auf| hier| ici)?`,
    () => ({
      does: "list",
    }),
  ),
  phrase(`(?:ls|list|dir|liste)(?: the)?(?: current| working| this)?(?: ${folder})?(?: here)?`, () => ({
    does: "list",
  })),
  phrase(
    `(?:what(?:'s| is)(?: there)?|show me what(?:'s| is)) (?:in|inside)(?: this| the current| the working| my)? (?:folder|directory|project|dir|repo|repository)`,
    () => ({ does: "list" }),
  ),
  phrase(`show me what(?:'s| is) (?:in|inside)(?: the)?(?: ${folder})? <folder>(?: ${folder})?`, (part, heard) =>
    withPath(part("folder"), heard, (path) => ({ does: /\.\w{1,5}$/u.test(path) ? "read" : "list", path })),
  ),
  phrase(`what(?:'s| is) (?:in )?here|was ist hier|qu'y a-t-il ici`, () => ({ does: "list" })),
  phrase(
    `(?:show|list|what(?:'s| is| are)?|see|display|zeige|liste|montre|browse)(?: me)?(?: all)?(?: the| die| les)?(?: (?:files|contents?|everything|dateien|fichiers|files and folders))?(?: (?:are|is))?(?: (?:in|inside|of|under|from|im|dans))(?: the| my| le| la)?(?: ${folder})? <folder>(?: ${folder})?(?: auf)?`,
    (part, heard) => {
      const path = pathOf(part("folder"), heard);
      if (path === undefined) return undefined;
      return /\.\w{1,5}$/u.test(path) && !/files|folder|director|list/iu.test(heard.masked.text)
        ? { does: "read", path }
        : { does: "list", path };
    },
  ),
  phrase(`(?:list|ls|dir|liste)(?: the)?(?: ${folder})? <folder>(?: ${folder})?`, (part, heard) =>
    withPath(part("folder"), heard, (path) =>
      /^(?:-.*|tools?|todos?|plan|tasks|processes|jobs)$/iu.test(path) ? undefined : { does: "list", path },
    ),
  ),
  phrase(
    `${make} (?:an? |the |einen |un )?(?:new |empty |neuen |nouveau )*${folder}(?: called| named| namens| nommé)? <path>`,
    (part, heard) => withPath(part("path"), heard, (path) => ({ does: "folder", path })),
  ),
  phrase(`${make} (?:an? |the )?(?:new )*<path> ${folder}`, (part, heard) =>
    withPath(part("path"), heard, (path) => ({ does: "folder", path })),
  ),
  phrase(
    `${write} (?:this|that|the following|these lines|das folgende|ceci)(?: text| content)? (?:${into}) ${file}<path>:? ?<content>`,
    (part, heard) => (heard.masked.isQuoted(part("content") ?? "") ? writeStep(part, heard) : undefined),
  ),
  phrase(
    `${write} (?:an? |the )?(?:new )?(?:text )?file (?:called |named )?<path>,? ${holding}:? ?<content>(?: (?:in|inside|into) it)?`,
    writeStep,
  ),
  phrase(`(?:append|add) (?:a |the |another )?(?:new )?lines? to ${file}<path> ${holding}:? ?<content>`, append),
  phrase(`${write} <content> (?:at|to) the (?:end|bottom) of ${file}<path>`, append),
  phrase(
    `(?:append|add|attach|füge|ajoute)(?: the)?(?: line| text)?:? <content> (?:to the (?:end|bottom) of|to|at the end of|onto|zu|à|au|hinzu zu|an) ${file}<path>(?: hinzu| an)?`,
    append,
  ),
  phrase(`(?:append to|add to) ${file}<path>:? ?<content>`, append),
  phrase(`${write} (?:(?:the )?(?:text|words?|line|content) )*<content> (?:${into}) ${file}<path>`, writeStep),
  phrase(`${write} (?:${into} )?${file}<path>:? ?<content>`, (part, heard) =>
    /:/u.test(heard.masked.text) || heard.masked.isQuoted(part("content") ?? "") ? writeStep(part, heard) : undefined,
  ),
  phrase(`${write} (?:to )?${file}<path> ${holding}:? ?<content>`, writeStep),
  phrase(
    `${make} (?:an? |the |eine |un )?(?:new |neue |nouveau )*${file}<path>,? (?:and (?:write|put) |${holding}:? ?)<content>(?: (?:in|into|to) it)?`,
    writeStep,
  ),
  phrase(
    `${make} (?:an? |the |eine |un )?(?:new |neue |nouveau )*(?:file |datei |fichier )(?:called |named |namens )?<path>:? <content>`,
    (part, heard) => (heard.masked.isQuoted(part("content") ?? "") ? writeStep(part, heard) : undefined),
  ),
  phrase(
    `${make} (?:an? |the |eine |un )?(?:new |empty |neue |leere |nouveau |vide )*(?:file |datei |fichier )(?:called |named |namens )?<path>`,
    (part, heard) => withPath(part("path"), heard, (path) => ({ does: "write", path, content: "" })),
  ),
  phrase(`${make} (?:an? |the )?(?:new )?<path>: ?<content>`, (part, heard) =>
    heard.masked.isQuoted(part("content") ?? "") ? writeStep(part, heard) : undefined,
  ),
  phrase(`(?:create|make|erstelle|crée) <path>`, (part, heard) =>
    withPath(part("path"), heard, (path) => (path.includes(".") ? { does: "write", path, content: "" } : undefined)),
  ),
  phrase(
    `(?:in|inside|edit|open|modify|change|dans) ${file}<path>(?:,|:| and)? (?:replace|change|swap|ersetze|remplace)(?: all| every| the| each)*(?: word| text| occurrences? of)* <old> (?:with|by|to|for|durch|par) <new>`,
    replace,
  ),
  phrase(
    `(?:replace|change|swap|substitute|rename|ersetze|remplace)(?: all| every| the| each)*(?: word| text| occurrences? of)* <old> (?:with|by|to|for|into|durch|par) <new>,? (?:in|inside|within|of|everywhere in|dans) ${file}<path>`,
    replace,
  ),
  phrase(
    `(?:remove|delete|take out|erase)(?: all| every| the)*(?: word| text| line| occurrences? of)? <old> (?:from|in|out of) ${file}<path>`,
    (part, heard) => {
      const path = pathOf(part("path"), heard);
      const { masked } = heard;
      const isPlace = /^(?:(?:first|last|next) )?(?:line|word)s?$/iu.test(part("old") ?? "");
      const isText =
        masked.isQuoted(part("old") ?? "") || (!isPlace && /(?:word|text|line|occurrence)/iu.test(masked.text));
      return path === undefined || !isText
        ? undefined
        : { does: "replace", path, old: masked.meant(part("old") ?? ""), new: "" };
    },
  ),
  phrase(`${remove} (?:the |my )?(?:whole |entire |empty )?${folder} (?:called |named )?<path>`, (part, heard) =>
    withPath(part("path"), heard, (path) => ({ does: "delete", path, isFolder: true })),
  ),
  phrase(`${remove} (?:the |my )?(?:whole |entire )?<path> ${folder}`, (part, heard) =>
    withPath(part("path"), heard, (path) => ({ does: "delete", path, isFolder: true })),
  ),
  phrase(`${remove} ${file}<path>`, (part, heard) =>
    withPath(part("path"), heard, (path) => ({ does: "delete", path, isFolder: path.endsWith("/") })),
  ),
  phrase(
    `(?:copy|duplicate|cp|kopiere|copie) ${file}(?:${folder} )?<from> (?:to|as|into|nach|vers|dans) ${file}(?:the )?(?:${folder} )?<to>`,
    (part, heard) => bothPaths(part("from"), part("to"), heard, (from, to) => ({ does: "copy", from, to })),
  ),
  phrase(
    `(?:move|rename|mv|verschiebe|benenne|déplace|deplace|renomme) ${file}(?:${folder} )?<from> (?:to|as|into|in|nach|um in|vers|en) ${file}(?:the )?(?:${folder} )?<to>(?: um)?`,
    (part, heard) => bothPaths(part("from"), part("to"), heard, (from, to) => ({ does: "move", from, to })),
  ),
  phrase(`${read} ${file}<path>(?: say| contain| file)?`, (part, heard) =>
    withPath(part("path"), heard, (path) =>
      /^(?:tools|todos?|plan|tasks|processes|jobs|files|help|folders)$/iu.test(path)
        ? undefined
        : { does: "read", path },
    ),
  ),
];

type Part = Parameters<Phrase["make"]>[0];

function writeStep(part: Part, heard: Hearing): Step | undefined {
  const content = contentOf(part("content"), heard);
  return content === undefined
    ? undefined
    : withPath(part("path"), heard, (path) => ({ does: "write", path, content }));
}

function append(part: Part, heard: Hearing): Step | undefined {
  const content = contentOf(part("content"), heard);
  const isMeant =
    heard.masked.isQuoted(part("content") ?? "") || !/^(?:an?|some|more)\s|\bhandling\b/iu.test(content ?? "");
  // "add buy milk to my plan" is not about a file, and "add a comment to app.ts" wants one to be thought of.
  if (!isMeant || content === undefined || /^(?:plan|list|todos?|todo list|tasks?)$/iu.test(part("path") ?? ""))
    return undefined;
  return withPath(part("path"), heard, (path) => ({ does: "append", path, content }));
}

function replace(part: Part, heard: Hearing): Step | undefined {
  const { masked } = heard;
  const old = masked.meant(part("old") ?? "");
  const wanted = masked.meant(part("new") ?? "");
  if (old === "") return undefined;
  return withPath(part("path"), heard, (path) => ({ does: "replace", path, old, new: wanted }));
}

/** Text of a file ends with a line end. "this" is what came with the message. */
function contentOf(captured: string | undefined, { masked, input }: Hearing): string | undefined {
  const content = masked.meant(captured ?? "");
  if (/^(?:this|that|it|the input|stdin|das|dies|ceci)$/iu.test(content)) return input;
  if (!masked.isQuoted(captured ?? "") && (content === "" || isToBeThoughtOf(content))) return undefined;
  return content === "" || content.endsWith("\n") ? content : `${content}\n`;
}

/** "a poem", "the output of ls": what is meant is not these words. */
function isToBeThoughtOf(content: string): boolean {
  return /^(?:(?:the|its|their|your|my|all) (?:outputs?|results?|answers?|contents?|summary|list)\b|(?:an?|some|the) (?:\S+ ){0,2}(?:story|poem|song|letter|e?mail|tests?|script|program|function|class|essay|summary|report|joke|recipe|page|website|comments?|code)\b)/iu.test(
    content,
  );
}

function withPath(
  captured: string | undefined,
  heard: Hearing,
  make: (path: string) => Step | undefined,
): Step | undefined {
  const path = pathOf(captured, heard);
  return path === undefined ? undefined : make(path);
}

function bothPaths(
  from: string | undefined,
  to: string | undefined,
  heard: Hearing,
  make: (from: string, to: string) => Step,
): Step | undefined {
  const one = pathOf(from, heard);
  const other = pathOf(to, heard);
  return one === undefined || other === undefined ? undefined : make(one, other);
}
