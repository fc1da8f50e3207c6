export { createSpokenSentences, type SpokenSentences } from "../../speech/talk/spoken-sentences.ts";
