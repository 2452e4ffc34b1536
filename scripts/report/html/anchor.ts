/** The id of an element that shows a requirement or a check: its own id where HTML and a URL take it as it is. */
export function anchor(id: string): string {
  return id.replaceAll(/[^A-Za-z0-9._/-]/g, (character) => `~${character.charCodeAt(0).toString(16)}`);
}
