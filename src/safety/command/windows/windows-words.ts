import { type Field, hole, knownField } from "../shell/field.ts";

/**
 * Splits a PowerShell or cmd.exe text into commands, as lists of words. This is not a full parser: it handles only
 * quotes, escapes and separators. Script blocks, groups and sub-expressions become separate commands.
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

/** Maps .NET methods to the equivalent cmdlets; `& $name` runs an unknown program. */
function asCommand(words: readonly Field[]): readonly Field[] {
  const first = words[0]?.text ?? "";
  if (/(?:\.|::)delete(?:file|directory|subkeytree|subkey)?$/iu.test(first))
    return [knownField("remove-item"), ...words];
  return /::start$/iu.test(first) ? [knownField("start-process"), ...words.slice(1)] : words;
}

/** Removes the assignment or call operator: `$x = command …`, `& command`, `. command`. */
function withoutAssignment(words: readonly Field[]): readonly Field[] {
  const index = words.findIndex(({ text }) => /^[-+*]?=$/u.test(text));
  if (index > 0 && index < 3) return words.slice(index + 1);
  const [first] = words;
  return first && (first.text === "." || first.text === "@") ? words.slice(1) : words;
}
