/** As one word of shell code. Holes stay holes. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
