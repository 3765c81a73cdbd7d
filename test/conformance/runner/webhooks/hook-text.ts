// The body of a webhook's answer: an allowing review, or a conversion that also sets spec.by, with the changes of the
// case.
import { isObject, type JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { HookAnswer } from "./case-book.ts";

const ABSENT = "(absent)";

export function answerText(review: unknown, answer: HookAnswer): string {
  let text = answer.text ?? JSON.stringify(reviewFor(review, answer));
  for (const [from, to] of answer.replace ?? []) text = text.replace(from, to);
  return `${answer.before ?? ""}${text}${answer.after ?? ""}`;
}

function reviewFor(review: unknown, answer: HookAnswer): JsonObject {
  const asked = isObject(review) ? review : {};
  const request = isObject(asked["request"]) ? asked["request"] : {};
  const { uid, objects } = request;
  const response = Array.isArray(objects)
    ? { uid, convertedObjects: convertAll(objects, request, answer), result: { status: "Success" } }
    : { uid, allowed: true, ...patchOf(answer) };
  const whole = {
    ...{ apiVersion: asked["apiVersion"], kind: asked["kind"] },
    response: { ...response, ...answer.response },
    ...answer.review,
  };
  for (const path of answer.without ?? []) assign(whole, path, ABSENT);
  return whole;
}

function patchOf({ patch }: HookAnswer): JsonObject {
  if (patch === undefined) return {};
  return { patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(patch)).toString("base64") };
}

function convertAll(objects: readonly unknown[], request: JsonObject, answer: HookAnswer): unknown[] {
  const { each = {}, times = 1 } = answer;
  return objects.flatMap((object) => {
    const given = isObject(object) ? structuredClone(object) : {};
    const spec = isObject(given["spec"]) ? given["spec"] : {};
    const converted = { ...given, apiVersion: request["desiredAPIVersion"], spec: { ...spec, by: "hook" } };
    for (const [path, value] of Object.entries(each)) assign(converted, path, value);
    return Array.from({ length: times }, () => converted);
  });
}

/** Sets or removes the value at a dotted path; missing objects on the path are created. */
function assign(object: JsonObject, path: string, value: unknown): void {
  const names = path.split(".");
  const last = names.pop() ?? "";
  let holder = object;
  for (const name of names) {
    const next = isObject(holder[name]) ? holder[name] : {};
    holder[name] = next;
    holder = next;
  }
  if (value === ABSENT) delete holder[last];
  else holder[last] = value;
}
