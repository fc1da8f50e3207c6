import { type Field, hole, known } from "../shell/field.ts";

/**
 * The commands of a PowerShell or cmd.exe text, as lists of words. No parser: quotes, escapes and separators are known, all
 * else is words. Script blocks, groups and sub-expressions become commands of their own.
 */
export function windowsCommands(text: string, kind: "powershell" | "cmd"): readonly (readonly Field[])[] {
  const commands: Field[][] = [];
  let words: Field[] = [];
  let word: string | undefined;
  const endWord = () => {
    if (word !== undefined) words.push(known(word));
    word = undefined;
  };
  const endCommand = () => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
  };
  const escape = kind === "cmd" ? "^" : "`";
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === escape) {
      at += 1;
      if (text[at] !== "\n") word = (word ?? "") + (text[at] ?? "");
    } else if (char === '"' || (char === "'" && kind === "powershell")) {
      const end = text.indexOf(char, at + 1);
      word = (word ?? "") + text.slice(at + 1, end < 0 ? text.length : end);
      at = end < 0 ? text.length : end;
    } else if (char === "#" && kind === "powershell" && word === undefined) {
      const end = text.indexOf("\n", at);
      at = end < 0 ? text.length : end - 1;
    } else if (char === "&" && kind === "powershell" && /^&\s*\$/u.test(text.slice(at, at + 20))) {
      endCommand();
      word = hole;
    } else if (/[;|&\n\r(){}]/u.test(char) && !(kind === "cmd" && /[;{}]/u.test(char))) endCommand();
    else if (/\s/u.test(char) || (char === "," && kind === "powershell")) endWord();
    else word = (word ?? "") + char;
  }
  endCommand();
  return kind === "cmd" ? commands : commands.map(withoutAssignment).map(asCommand);
}

/** Methods of .NET that do what a cmdlet does; `& $name` runs what nobody knows. */
function asCommand(words: readonly Field[]): readonly Field[] {
  const first = words[0]?.text ?? "";
  if (/(?:\.|::)delete(?:file|directory|subkeytree|subkey)?$/iu.test(first)) return [known("remove-item"), ...words];
  return /::start$/iu.test(first) ? [known("start-process"), ...words.slice(1)] : words;
}

/** `$x = command …`, `& command`, `. command`: the command alone. */
function withoutAssignment(words: readonly Field[]): readonly Field[] {
  const at = words.findIndex(({ text }) => /^[-+*]?=$/u.test(text));
  if (at > 0 && at < 3) return words.slice(at + 1);
  const [first] = words;
  return first && (first.text === "." || first.text === "@") ? words.slice(1) : words;
}
