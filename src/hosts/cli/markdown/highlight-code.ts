import { once } from "../../../base/async/once.ts";
import type { Paint } from "../paint.ts";

/** Paints the lines of one block of code, one after another. */
export interface CodePainter {
  line(text: string): string;
}

interface Language {
  /** Starts of comments that end with the line. */
  readonly comments: readonly string[];
  readonly keywords: ReadonlySet<string>;
  /** Pairs of marks that may span lines: comments and long strings. */
  readonly blocks: readonly (readonly [start: string, end: string, kind: "comment" | "string"])[];
  readonly ignoresCase?: boolean;
}

/** Comments, strings, numbers and keywords. Code of an unknown language and code without colours stays plain. */
export function createCodePainter(name: string, paint: Paint): CodePainter {
  const language = paint.isColoured ? languages().get(name.toLowerCase()) : undefined;
  if (!language) return { line: (text) => text };
  const styles = { comment: paint.dim, string: paint.good, number: paint.warn, keyword: paint.accent };
  let open: Language["blocks"][number] | undefined;
  const token = tokenOf(language);

  function line(text: string): string {
    if (open) {
      const [, end, kind] = open;
      const index = text.indexOf(end);
      if (index < 0) return painted(text, styles[kind]);
      open = undefined;
      const stop = index + end.length;
      return painted(text.slice(0, stop), styles[kind]) + line(text.slice(stop));
    }
    let shown = "";
    let from = 0;
    token.lastIndex = 0;
    for (let match = token.exec(text); match; match = token.exec(text)) {
      const [piece] = match;
      const block = language?.blocks.find(
        ([start]) => piece.startsWith(start) && match?.groups?.["block"] !== undefined,
      );
      shown += text.slice(from, match.index);
      if (block) {
        const end = text.indexOf(block[1], match.index + block[0].length);
        if (end < 0) {
          open = block;
          return shown + painted(text.slice(match.index), styles[block[2]]);
        }
        from = end + block[1].length;
        shown += painted(text.slice(match.index, from), styles[block[2]]);
        token.lastIndex = from;
        continue;
      }
      const { comment, string, number } = match.groups ?? {};
      const word = language?.ignoresCase ? piece.toLowerCase() : piece;
      const style = comment ? styles.comment : string ? styles.string : number ? styles.number : styles.keyword;
      const isPlain = !comment && !string && !number && !language?.keywords.has(word);
      shown += isPlain ? piece : painted(piece, style);
      from = match.index + piece.length;
    }
    return shown + text.slice(from);
  }

  return { line };
}

/** Word by word, so that a long line can be broken. */
function painted(text: string, style: (text: string) => string): string {
  return text.replaceAll(/[^ ]+/gu, (word) => style(word));
}

function tokenOf({ comments, blocks }: Language): RegExp {
  const any = (marks: readonly string[]) => (marks.length === 0 ? "(?!)" : marks.map(RegExp.escape).join("|"));
  const block = any(blocks.map(([start]) => start));
  const string = String.raw`"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'`;
  return new RegExp(
    String.raw`(?<block>${block})|(?<comment>(?:${any(comments)}).*)|(?<string>${string})|(?<number>\b\d[\w.]*)|[A-Za-z_$][\w$]*`,
    "gu",
  );
}

const slashes = { comments: ["//"], blocks: [["/*", "*/", "comment"]] } as const satisfies Partial<Language>;
const words = (text: string) => new Set(text.split(" "));

const languages = once((): ReadonlyMap<string, Language> => {
  const script: Language = {
    comments: ["//"],
    blocks: [
      ["/*", "*/", "comment"],
      ["`", "`", "string"],
    ],
    keywords: words(
      "as async await break case catch class const continue default delete do else enum export extends false finally for from function if implements import in instanceof interface let new null of private public readonly return satisfies static super switch this throw true try type typeof undefined using var void while yield",
    ),
  };
  const python: Language = {
    comments: ["#"],
    blocks: [
      ['"""', '"""', "string"],
      ["'''", "'''", "string"],
    ],
    keywords: words(
      "False None True and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield",
    ),
  };
  const shell: Language = {
    comments: ["# ", "#!"],
    blocks: [],
    keywords: words(
      "alias case cd do done echo elif else esac exit export fi for function if in local read return set shift sudo then trap unset until while",
    ),
  };
  const compiled: Language = {
    ...slashes,
    keywords: words(
      "abstract as async auto await bool boolean break byte case catch char class const continue crate default defer do double dyn else enum error extends extern false final float fn for func go goto if impl implements import in include int interface let long loop map match mod move mut namespace new nil null nullptr override package private protected pub public range return select self short signed sizeof static string struct super switch template this throw throws trait true try type typedef typename union unsafe unsigned use using var virtual void where while",
    ),
  };
  const sql: Language = {
    comments: ["--"],
    blocks: [["/*", "*/", "comment"]],
    ignoresCase: true,
    keywords: words(
      "add all alter and as asc begin between by case commit create default delete desc distinct drop else end exists foreign from group having if in index inner insert into is join key left like limit not null on or order outer primary references right rollback select set table then union unique update values view when where with",
    ),
  };
  const data: Language = { comments: ["#"], blocks: [], keywords: words("true false null yes no on off") };
  const ruby: Language = {
    comments: ["#"],
    blocks: [["=begin", "=end", "comment"]],
    keywords: words(
      "alias and begin break case class def do else elsif end ensure false for if in include module next nil not or private raise require rescue return self super then true unless until when while yield",
    ),
  };
  const styles: Language = {
    comments: [],
    blocks: [["/*", "*/", "comment"]],
    keywords: words("important media import"),
  };
  return new Map(
    (
      [
        ["js jsx ts tsx mjs cjs javascript typescript node", script],
        ["py python python3", python],
        ["sh bash zsh shell console fish dockerfile docker make makefile", shell],
        ["c h cpp c++ cc cs csharp java kotlin kt go golang rs rust swift scala php dart zig", compiled],
        ["sql postgres postgresql mysql sqlite", sql],
        ["json jsonc json5 yaml yml toml ini conf", data],
        ["rb ruby", ruby],
        ["css scss less", styles],
      ] as const
    ).flatMap(([names, language]) => names.split(" ").map((name) => [name, language] as const)),
  );
});
