export { createSpokenSentences } from "../../speech/talk/spoken-sentences.ts";
