import { matchedSpans } from "./matched-spans.ts";
import type { SecretSpan } from "./span.ts";

/** Finds numbers of payment cards and their check values next to a name for them. `lower` is the text in lower case. */
export function paymentCards(text: string, lower: string): SecretSpan[] {
  return [
    ...(lower.includes("card") || lower.includes("cc_n") ? matchedSpans(text, cardNumber, hasCheckDigit) : []),
    ...(/cv[cv2]/u.test(lower) ? matchedSpans(text, checkValue, () => true) : []),
  ];
}

const cardNumber =
  /(?:card[-_ ]?(?:number|num|no)|credit[-_ ]?card|\bcard(?=[:=])|cc_num(?:ber)?)["'\]]{0,3}[ \t]{0,4}[:=#]?[ \t]{0,4}["']?((?:\d[ -]?){12,18}\d)(?!\d)/giu;

const checkValue =
  /(?<![a-z])(?:cvc|cvv|cvc2|cvv2|cvv_code|cvc_code)["'\]]{0,3}[ \t]{0,4}[:=][ \t]{0,4}["']?(\d{3,4})(?!\d)/giu;

/** Whether the last digit fits the others, as in every number of a card. */
function hasCheckDigit(shown: string): boolean {
  const digits = shown.replaceAll(/\D/gu, "");
  let sum = 0;
  for (const [index, digit] of Array.from(digits).toReversed().entries()) {
    const weighted = Number(digit) * (index % 2 === 1 ? 2 : 1);
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0 && new Set(digits).size > 1;
}
