import { type Field, hole, knownField } from "../shell/field.ts";

/**
 * The commands of a PowerShell or cmd.exe text, as lists of words. No parser: quotes, escapes and separators are known, all
 * else is words. Script blocks, groups and sub-expressions become commands of their own.
 */
export function windowsCommands(text: string, kind: "powershell" | "cmd"): readonly (readonly Field[])[] {
  const commands: Field[][] = [];
  let words: Field[] = [];
  let word: string | undefined;
  const endWord = () => {
    if (word !== undefined) words.push(knownField(word));
    word = undefined;
  };
  const endCommand = () => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
  };
  const escape = kind === "cmd" ? "^" : "`";
  for (let index = 0; index < text.length; index++) {
    const char = text[index] ?? "";
    if (char === escape) {
      index += 1;
      if (text[index] !== "\n") word = (word ?? "") + (text[index] ?? "");
    } else if (char === '"' || (char === "'" && kind === "powershell")) {
      const end = text.indexOf(char, index + 1);
      word = (word ?? "") + text.slice(index + 1, end < 0 ? text.length : end);
      index = end < 0 ? text.length : end;
    } else if (char === "#" && kind === "powershell" && word === undefined) {
      const end = text.indexOf("\n", index);
      index = end < 0 ? text.length : end - 1;
    } else if (char === "&" && kind === "powershell" && /^&\s*\$/u.test(text.slice(index, index + 20))) {
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
  if (/(?:\.|::)delete(?:file|directory|subkeytree|subkey)?$/iu.test(first))
    return [knownField("remove-item"), ...words];
  return /::start$/iu.test(first) ? [knownField("start-process"), ...words.slice(1)] : words;
}

/** `$x = command …`, `& command`, `. command`: the command alone. */
function withoutAssignment(words: readonly Field[]): readonly Field[] {
  const index = words.findIndex(({ text }) => /^[-+*]?=$/u.test(text));
  if (index > 0 && index < 3) return words.slice(index + 1);
  const [first] = words;
  return first && (first.text === "." || first.text === "@") ? words.slice(1) : words;
}
