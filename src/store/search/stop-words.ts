/** Is it a word that nearly every text of its language has? Folded. */
export function isStopWord(word: string): boolean {
  return stopWords.has(word);
}

const stopWords: ReadonlySet<string> = new Set(
  [
    "a an the of to in on at by for from with and or but not is are was were be been am do does did done has have had",
    "i you he she it we they me my our your us them this that these those there here what which who whom when where why",
    "how about say said tell told talk talked discuss discussed mention mentioned remember recall know if then than so",
    "as can could would should will shall may might let please any some all no yes into out up down over again",
    "der die das den dem des ein eine einen einem einer und oder aber nicht ist sind war waren sein hat haben hatte wir",
    "ihr sie er es ich du mich mir uns was wer wie wo wann warum mit von zu zum zur auf fur im am an bei uber als auch",
    "le la les un une des du de et ou est sont que qui dans pour avec sur ce cette nous vous el los las y en es por con",
    "и в во на с со что как это мы вы он она они не по за из от у к о об а но же ли бы был была были",
    "في من على الى عن ما هذا هذه التي الذي كان مع هل لا او ان",
  ].flatMap((line) => line.split(" ")),
);
