// White space as Go's strings.TrimSpace knows it.

/** unicode.IsSpace. */
const TRIM =
  /^[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+|[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/g;

export const trimSpace = (text: string): string => text.replace(TRIM, "");
