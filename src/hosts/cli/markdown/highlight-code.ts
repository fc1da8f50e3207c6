import { once } from "../../../base/async/once.ts";
import { runStyles, type TextRun } from "./text-runs.ts";

/** Colours the lines of one block of code, one after another. */
export interface CodeHighlighter {
  line(text: string): readonly TextRun[];
  /** Colours a line that is not complete yet. */
  preview(text: string): readonly TextRun[];
}

interface Language {
  /** Marks that start a comment until the end of the line. */
  readonly comments: readonly string[];
  readonly keywords: ReadonlySet<string>;
  /** Pairs of marks that may span lines: comments and long strings. */
  readonly blocks: readonly (readonly [start: string, end: string, kind: "comment" | "string"])[];
  readonly ignoresCase?: boolean;
  /** True for diffs: a whole line is coloured by its first character. */
  readonly isDiff?: boolean;
}

/** Highlights comments, strings, numbers and keywords. Code in an unknown language stays plain. */
export function createCodeHighlighter(name: string): CodeHighlighter {
  const language = languages().get(name.toLowerCase());
  if (!language) {
    const plain = (text: string) => [{ text, style: 0 }];
    return { line: plain, preview: plain };
  }
  if (language.isDiff) return { line: diffLine, preview: diffLine };
  const { blocks, keywords, ignoresCase } = language;
  let open: Language["blocks"][number] | undefined;
  const token = tokenOf(language);

  function line(source: string): readonly TextRun[] {
    const runs: TextRun[] = [];
    const add = (text: string, style: number) => void (text !== "" && runs.push({ text, style }));
    let from = 0;
    if (open) {
      const [, end, kind] = open;
      const index = source.indexOf(end);
      if (index < 0) return [{ text: source, style: styles[kind] }];
      open = undefined;
      from = index + end.length;
      add(source.slice(0, from), styles[kind]);
    }
    token.lastIndex = from;
    for (let match = token.exec(source); match; match = token.exec(source)) {
      const [piece] = match;
      const { block: start, comment, string, number } = match.groups ?? {};
      add(source.slice(from, match.index), 0);
      const block = start === undefined ? undefined : blocks.find(([mark]) => piece.startsWith(mark));
      if (block) {
        const end = source.indexOf(block[1], match.index + block[0].length);
        if (end < 0) {
          open = block;
          add(source.slice(match.index), styles[block[2]]);
          return runs;
        }
        from = end + block[1].length;
        add(source.slice(match.index, from), styles[block[2]]);
        token.lastIndex = from;
        continue;
      }
      const isKeyword = keywords.has(ignoresCase ? piece.toLowerCase() : piece);
      const kind = comment ? "comment" : string ? "string" : number ? "number" : isKeyword ? "keyword" : undefined;
      add(piece, kind ? styles[kind] : 0);
      from = match.index + piece.length;
    }
    add(source.slice(from), 0);
    return runs;
  }

  return {
    line,
    preview(text) {
      const before = open;
      const runs = line(text);
      open = before;
      return runs;
    },
  };
}

const styles = {
  comment: runStyles.dim,
  string: runStyles.good,
  number: runStyles.warn,
  keyword: runStyles.accent,
} as const;

function diffLine(text: string): readonly TextRun[] {
  const style = text.startsWith("@@")
    ? runStyles.accent
    : /^\+(?!\+\+ )/u.test(text)
      ? runStyles.good
      : /^-(?!-- )/u.test(text)
        ? runStyles.bad
        : /^(?:diff |index |--- |\+\+\+ )/u.test(text)
          ? runStyles.bold
          : 0;
  return [{ text, style }];
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
  const lua: Language = {
    comments: ["--"],
    blocks: [
      ["--[[", "]]", "comment"],
      ["[[", "]]", "string"],
    ],
    keywords: words(
      "and break do else elseif end false for function goto if in local nil not or repeat return then true until while",
    ),
  };
  const functional: Language = {
    comments: ["--"],
    blocks: [
      ["{-", "-}", "comment"],
      ["(*", "*)", "comment"],
    ],
    keywords: words(
      "as begin case class data deriving do else end exception forall fun function if import in infix instance let match module mutable newtype of open rec sig struct then type val when where with",
    ),
  };
  const beam: Language = {
    comments: ["#", "%"],
    blocks: [['"""', '"""', "string"]],
    keywords: words(
      "after alias and case catch cond def defmodule defp defstruct do else end false fn for if import in nil not or quote raise receive require rescue true try unless use when with",
    ),
  };
  const powershell: Language = {
    comments: ["#"],
    blocks: [["<#", "#>", "comment"]],
    ignoresCase: true,
    keywords: words(
      "begin break catch class continue do else elseif end exit filter finally for foreach from function if in param process return switch throw trap try until using while",
    ),
  };
  const r: Language = {
    comments: ["#"],
    blocks: [],
    keywords: words("break else FALSE for function if in Inf library NA NaN next NULL repeat return TRUE while"),
  };
  const perl: Language = {
    comments: ["#"],
    blocks: [["=pod", "=cut", "comment"]],
    keywords: words(
      "and each else elsif eq for foreach if keys last local my ne next no not or our package print push qw require return shift sub undef unless until use values while",
    ),
  };
  const markup: Language = {
    comments: [],
    blocks: [["<!--", "-->", "comment"]],
    keywords: words(
      "a article aside body br button code div doctype footer form h1 h2 h3 h4 head header html img input label li link main meta nav ol option p pre script section select span style svg table tbody td template textarea th thead title tr ul xml",
    ),
  };
  const infrastructure: Language = {
    comments: ["#", "//"],
    blocks: [["/*", "*/", "comment"]],
    keywords: words(
      "data dynamic false for for_each if in locals module null output provider provisioner resource terraform true variable",
    ),
  };
  const schema: Language = {
    comments: ["#", "//"],
    blocks: [['"""', '"""', "string"]],
    keywords: words(
      "directive enum extend fragment import input interface message mutation on oneof option optional package query repeated required returns rpc scalar schema service subscription syntax type union",
    ),
  };
  const diff: Language = { comments: [], blocks: [], keywords: new Set(), isDiff: true };
  const data: Language = { comments: ["#"], blocks: [], keywords: words("true false null yes no on off") };
  const ruby: Language = {
    comments: ["#"],
    blocks: [["=begin", "=end", "comment"]],
    keywords: words(
      "alias and begin break case class def do else elsif end ensure false for if in include module next nil not or private raise require rescue return self super then true unless until when while yield",
    ),
  };
  const sheet: Language = {
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
        ["css scss less sass", sheet],
        ["lua", lua],
        ["haskell hs ocaml ml fsharp fs elm purescript", functional],
        ["elixir ex exs erlang erl", beam],
        ["powershell ps1 pwsh", powershell],
        ["r", r],
        ["perl pl", perl],
        ["html xml svg vue svelte", markup],
        ["hcl terraform tf nix", infrastructure],
        ["graphql gql proto protobuf", schema],
        ["diff patch", diff],
      ] as const
    ).flatMap(([names, language]) => names.split(" ").map((name) => [name, language] as const)),
  );
});
