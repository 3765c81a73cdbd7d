// The check of a custom resource in another thread: the same check, of the same schema.
import type { FieldError } from "../../meta/field-error.ts";
import type { JsonObject } from "../../meta/json.ts";
import { decodeJson } from "../../meta/json-decode.ts";
import { encodeJsonInTurns } from "../../meta/json-in-turns.ts";
import type { KubeObject } from "../../meta/object-meta.ts";
import { compileSchema } from "../../schema/compile-schema.ts";
import { validateRules } from "../../schema/rules/validate-rules.ts";
import type { JsonSchema, SchemaNode } from "../../schema/schema-node.ts";
import { type ObjectValidation, validateObject } from "../../schema/validate-object.ts";
import type { Job, KeptSource } from "../../workers/job.ts";

/** Objects go as JSON: that is read faster than what threads copy by themselves. */
export interface CustomCheck extends Pick<ObjectValidation, "statusOnly" | "preceding" | "scale"> {
  readonly object: string;
  readonly old: string | undefined;
}

export const validateCustomJob: Job<CustomCheck, FieldError[], SchemaNode> = {
  name: "validateCustom",
  open: (bytes) => compileSchema(decodeJson(bytes).value as JsonSchema), // what sourceOf() has encoded
  run: ({ object, old, ...options }, node) =>
    validateObject(node, objectOf(object), {
      ...options,
      old: old === undefined ? undefined : objectOf(old),
      validateRules,
    }),
};

/** Who owns the fields is nothing that a schema or a rule could ask about. */
export function textOf(object: Readonly<KubeObject>): Promise<string> {
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  return encodeJsonInTurns({ ...object, metadata });
}

const objectOf = (text: string): JsonObject => decodeJson(text).value as JsonObject; // what textOf() has made

const keys = new WeakMap<JsonSchema, string>();
let keysGiven = 0;

/** A schema as threads keep it: one that has changed is another object. */
export function sourceOf(raw: JsonSchema): KeptSource {
  let key = keys.get(raw);
  if (key === undefined) {
    key = `schema ${++keysGiven}`;
    keys.set(raw, key);
  }
  return { key, bytes: async () => Buffer.from(await encodeJsonInTurns(raw)) };
}
