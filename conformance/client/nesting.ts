/**
 * Most levels of arrays and objects in a body that are read (RFC 8259, 9: "An implementation may set limits on the
 * maximum depth of nesting"). Walking much deeper ones would overflow the stack.
 */
export const deepest = 200;

/** Whether a JSON text is nested deeper than that. Brackets inside strings do not count. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  let inText = false;
  for (let index = 0; index < text.length; index++) {
    switch (text[index]) {
      case "\\":
        index++;
        break;
      case '"':
        inText = !inText;
        break;
      case "[":
      case "{":
        if (!inText && ++depth > deepest) return true;
        break;
      case "]":
      case "}":
        if (!inText) depth--;
        break;
      default:
    }
  }
  return false;
}
