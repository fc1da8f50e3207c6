/** More brackets are open at one place, or more here-documents begin, than any script needs: reading it would take long. */
export function nests(text: string): boolean {
  if (text.length < most) return false;
  let open = 0;
  let documents = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x28 || code === 0x7b) {
      open += 1;
      if (open > most) return true;
    } else if (code === 0x3c && text.charCodeAt(at + 1) === 0x3c) {
      documents += 1;
      if (documents > mostDocuments) return true;
    } else if ((code === 0x29 || code === 0x7d) && open > 0) open -= 1;
  }
  return false;
}

const most = 400;
const mostDocuments = 2_000;
