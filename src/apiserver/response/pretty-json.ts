// Indents JSON text without decoding it, so that numbers keep every digit.

const INDENT = "  ";

export function prettyJson(text: string): string {
  let out = "";
  let depth = 0;
  const newline = () => `\n${INDENT.repeat(depth)}`;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    switch (char) {
      case '"': {
        const end = endOfString(text, at);
        out += text.slice(at, end);
        at = end - 1;
        break;
      }
      case "{":
      case "[":
        if (text[at + 1] === "}" || text[at + 1] === "]") {
          out += char + (text[at + 1] ?? "");
          at++;
        } else {
          depth++;
          out += char + newline();
        }
        break;
      case "}":
      case "]":
        depth--;
        out += newline() + char;
        break;
      case ",":
        out += char + newline();
        break;
      case ":":
        out += ": ";
        break;
      default:
        out += char;
    }
  }
  return out;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}
