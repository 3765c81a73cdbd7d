// Redacts values of Secrets and tokens before a review is logged, so that a displayed or exported log contains none of
// them. Names of keys stay.
import { isObject, objectAt } from "../../apimachinery/json/json.ts";
import { decodeJson } from "../../apimachinery/json/json-decode.ts";
import { encodeJson } from "../../apimachinery/json/json-encode.ts";
import type { JsonPatchOperation } from "../../apimachinery/patch/json-patch.ts";

const HIDDEN = "hidden";
/** For patches: shows that a value was changed. */
const HIDDEN_NEW = "hidden, new";
/** All values of `data` are base64. */
const bytesOf = (word: string): string => Buffer.from(word).toString("base64");
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

interface HiddenField {
  readonly path: readonly string[];
  readonly isBase64?: true;
}

const wordFor = ({ isBase64 }: HiddenField, word: string): string => (isBase64 ? bytesOf(word) : word);

const SECRET: readonly HiddenField[] = [
  { path: ["data"], isBase64: true },
  { path: ["stringData"] },
  { path: ["metadata", "annotations", LAST_APPLIED] },
];

const HIDDEN_FIELDS: ReadonlyMap<string, readonly HiddenField[]> = new Map([
  ["/Secret", SECRET],
  ["authentication.k8s.io/TokenReview", [{ path: ["spec", "token"] }]],
  ["authentication.k8s.io/TokenRequest", [{ path: ["status", "token"] }]],
]);

export interface KeptCall {
  /** The AdmissionReview that was sent. */
  readonly review: string;
  readonly patch: readonly JsonPatchOperation[];
}

/** The redacted call; for most kinds it is unchanged. */
export function withoutSecrets(group: string, kind: string, { review, patch }: KeptCall): KeptCall {
  const fields = HIDDEN_FIELDS.get(`${group}/${kind}`);
  if (fields === undefined) return { review, patch };
  const { value } = decodeJson(review);
  const request = isObject(value) ? objectAt(value, "request") : undefined;
  for (const object of [request?.["object"], request?.["oldObject"]])
    for (const field of fields) hide(object, field);
  // A `test` operation compares with redacted values, and would fail.
  const shown = patch.filter(({ op }) => op !== "test").map((operation) => hiddenIn(operation, fields));
  return { review: encodeJson(value), patch: shown };
}

function hide(object: unknown, field: HiddenField): void {
  const { path } = field;
  let holder = object;
  for (const name of path.slice(0, -1)) holder = isObject(holder) ? holder[name] : undefined;
  const last = path.at(-1) ?? "";
  if (isObject(holder) && Object.hasOwn(holder, last))
    holder[last] = hidden(holder[last], wordFor(field, HIDDEN));
}

/** Replaces every string, number and boolean below. */
function hidden(given: unknown, by: string): unknown {
  if (Array.isArray(given)) return given.map((item) => hidden(item, by));
  if (!isObject(given)) return given === null ? null : by;
  return Object.fromEntries(Object.entries(given).map(([name, item]) => [name, hidden(item, by)]));
}

/** Redacts the whole value of an operation at, below or above a hidden field. */
function hiddenIn(operation: JsonPatchOperation, fields: readonly HiddenField[]): JsonPatchOperation {
  const { path = "", value } = operation;
  const steps = stepsOf(path);
  const field = fields.find((one) =>
    one.path.every((name, at) => steps[at] === undefined || steps[at] === name),
  );
  if (field === undefined || value === undefined) return operation;
  return { ...operation, value: hidden(value, wordFor(field, HIDDEN_NEW)) };
}

/** RFC 6901: ~1 is a slash, ~0 a tilde. */
const stepsOf = (pointer: string): readonly string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));

/** A patch as JSON, without absent members; undefined: it is longer than `charactersMax`. Encoding stops at the limit. */
export function patchText(patch: readonly JsonPatchOperation[], charactersMax: number): string | undefined {
  const texts: string[] = [];
  let characters = 1;
  for (const { op, path, from, value } of patch) {
    const given = Object.entries({ op, path, from, value }).filter(([, member]) => member !== undefined);
    const text = encodeJson(Object.fromEntries(given));
    characters += text.length + 1;
    if (characters > charactersMax) return undefined;
    texts.push(text);
  }
  return `[${texts.join(",")}]`;
}
