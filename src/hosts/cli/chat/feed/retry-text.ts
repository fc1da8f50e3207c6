/** The reaction to a failed request. `left`: seconds until the request is sent again. */
export function retryText(left: number, number: number, of: number): string {
  return `retrying ${left > 0 ? `in ${left} s ` : ""}(${number} of ${of})`;
}

/** The answer was cut off after some words, which stay where they were written. */
export const startsAgainText = "the answer starts again";

/** The way out after a turn without an answer. */
export const sendAgainText = "To send the prompt again: /retry";
