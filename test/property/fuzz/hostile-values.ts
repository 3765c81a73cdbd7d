// Values that have broken servers before: inherited keys, path traversal, numbers out of range, patterns with exponential
// cost.
import fc from "fast-check";

export const HOSTILE_TEXTS: readonly string[] = [
  "",
  " ",
  ".",
  "..",
  "-",
  "*",
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "a/b",
  "a\u0000b",
  "\ud800",
  "😀",
  "%",
  "%00",
  "null",
  "true",
  "0",
  "-1",
  "1e999",
  "0x10",
  "9223372036854775808",
  "(a+)+$",
  "(?=a)",
  "[",
  "10.0.0.0/8",
  "::ffff:1.2.3.4",
  "2030-13-45T99:99:99Z",
  "a".repeat(300),
  "$patch",
];

const HOSTILE_JSON: readonly string[] = [
  "null",
  "true",
  "0",
  "-1",
  "1.5",
  "1e400",
  "-0",
  "9007199254740993",
  "9223372036854775808",
  '"2147483648"',
  "[]",
  "{}",
  "[null]",
  "[[[]]]",
  '[{"name":null},{"name":""},{}]',
  '{"":""}',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"$patch":"delete"}',
  '{"$patch":"replace","$retainKeys":["a"]}',
  '{"$setElementOrder/ports":[{"port":1}],"$deleteFromPrimitiveList/finalizers":["x"]}',
  '{"f:a":{},"k:{}":{},"v:1":{},".":{}}',
  `${"[".repeat(300)}${"]".repeat(300)}`,
  `${'{"a":'.repeat(300)}1${"}".repeat(300)}`,
];

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
);

/** JSON text, because values cannot express some numbers and keys. */
export const hostileJson: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...HOSTILE_JSON) },
  { weight: 2, arbitrary: hostileText.map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 3 }) },
);

/** One change of a document: the place, the type, and the value. */
export interface Mutation {
  readonly at: number;
  readonly change: "replace" | "remove" | "add";
  readonly key: string;
  readonly json: string;
}

export const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(10_000),
  change: fc.constantFrom("replace", "replace", "remove", "add"),
  key: hostileText,
  json: hostileJson,
});

/** Placeholder that is replaced by JSON text. */
const PLACE = "\u0001";

/** The document as JSON text with the mutations; each of them changes some member, at any depth. */
export function mutate(document: unknown, mutations: readonly Mutation[]): string {
  const root = { document: structuredClone(document) };
  const texts: string[] = [];
  for (const { at, change, key, json } of mutations) {
    const places = placesOf(root);
    const place = places[at % places.length];
    if (place === undefined) continue;
    const [holder, member] = place;
    if (change === "remove") removeMember(holder, member);
    else if (change === "replace") setMember(holder, member, `${PLACE}${texts.push(json) - 1}`);
    else setMember(objectAt(holder, member), key, `${PLACE}${texts.push(json) - 1}`);
  }
  return JSON.stringify(root.document ?? null).replaceAll(
    new RegExp(`"${JSON.stringify(PLACE).slice(1, -1).replace("\\", "\\\\")}(\\d+)"`, "g"),
    (_all, index) => texts[Number(index)] ?? "null",
  );
}

type Holder = Record<string | number, unknown>;

function placesOf(value: unknown): [Holder, string | number][] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Holder;
  return Object.keys(value).flatMap((key): [Holder, string | number][] => {
    const member = Array.isArray(value) ? Number(key) : key;
    return [[holder, member], ...placesOf(holder[member])];
  });
}

function objectAt(holder: Holder, member: string | number): Holder {
  const value = holder[member];
  return typeof value === "object" && value !== null ? (value as Holder) : holder;
}

/** Also sets keys that an assignment would not create, such as __proto__. */
function setMember(holder: Holder, member: string | number, value: unknown): void {
  if (Array.isArray(holder) && typeof member === "string") holder.push(value);
  else Object.defineProperty(holder, member, { value, enumerable: true, configurable: true, writable: true });
}

function removeMember(holder: Holder, member: string | number): void {
  if (Array.isArray(holder)) holder.splice(Number(member), 1);
  else delete holder[member];
}
