// Canonical JSON: keys sorted, as a Go server writes maps, and integers with every digit. The same value
// always gives the same bytes, which is what the no-change check of a write compares.

const PLAIN_KEY = /^[\w.\-/:]*$/;

/** Encodes decoded JSON with sorted keys; members that are undefined are left out. */
export function encodeJson(value: unknown): string {
  switch (typeof value) {
    case "string":
      return encodeString(value);
    case "number":
      return Number.isFinite(value) ? String(value) : "null";
    case "bigint":
    case "boolean":
      return String(value);
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? encodeArray(value) : encodeObject(value as Record<string, unknown>); // neither null nor array
    default:
      return "null";
  }
}

function encodeString(value: string): string {
  return PLAIN_KEY.test(value) ? `"${value}"` : JSON.stringify(value);
}

/** Most objects have their keys in order already, and to see that takes less than sorting. */
export function sortedKeys(value: object): string[] {
  const keys = Object.keys(value);
  for (let index = 1; index < keys.length; index++) {
    if ((keys[index - 1] ?? "") > (keys[index] ?? "")) return keys.sort();
  }
  return keys;
}

function encodeArray(value: readonly unknown[]): string {
  let out = "[";
  for (let index = 0; index < value.length; index++) {
    if (index > 0) out += ",";
    out += encodeJson(value[index]);
  }
  return `${out}]`;
}

function encodeObject(value: Record<string, unknown>): string {
  let out = "{";
  for (const key of sortedKeys(value)) {
    const item = value[key];
    if (item === undefined) continue;
    if (out.length > 1) out += ",";
    out += `${encodeString(key)}:${encodeJson(item)}`;
  }
  return `${out}}`;
}
