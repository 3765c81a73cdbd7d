// JSON as text for another thread, which reads it again: members stay in their order.

/** What V8 does not write itself are integers beyond 2^53, and values that are nested more deeply than it likes. */
export function encodeInOrder(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return encodeValue(value);
  }
}

function encodeValue(value: unknown): string {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(encodeValue).join(",")}]`;
  const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${encodeValue(item)}`);
  return `{${members.join(",")}}`;
}
