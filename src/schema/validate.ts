// Value validation of custom resources. ajv says whether anything is wrong; only then a walk over the value says what, in
// the words and the order of a real server. The walk has the last word: some values that JSON Schema refuses are valid
// there (integers beyond 2^53, what was invalid before and did not change).
import { Ajv } from "ajv";
import type { FieldError } from "../meta/field-error.ts";
import type { SchemaNode } from "./schema-node.ts";
import { compilePattern } from "./value/pattern.ts";
import { KEYWORDS, toAjvSchema } from "./value/to-ajv.ts";
import { type ValueSchema, valueSchema } from "./value/value-schema.ts";
import { explainValue } from "./value/walk.ts";

export interface ValidateOptions {
  /** The value before an update: what was invalid and did not change is tolerated. */
  readonly old?: unknown;
  /** The field of the value: "" for an object, "status" for the status alone. */
  readonly field?: string;
  /** The schema is used once: it is not worth being compiled for ajv. */
  readonly once?: boolean;
}

/** Checks a value against its schema; the schema is that of the node as written. */
export function validateSchema(
  node: SchemaNode,
  value: unknown,
  { old, field = "", once = false }: ValidateOptions = {},
): FieldError[] {
  const schema = valueSchema(node.raw);
  const asksAjv = !once && schema.size <= AJV_SCHEMAS_MAX;
  return asksAjv && isCertainlyValid(schema, value) ? [] : explainValue(schema, value, { root: field, old });
}

/** ajv takes about 0.4 ms to compile each schema inside of a schema, and at some size more stack than there is. */
const AJV_SCHEMAS_MAX = 250;

type YesOrNo = (value: unknown) => boolean;

const checks = new WeakMap<ValueSchema, YesOrNo>();

/** ajv's answer; compiled when first asked, since most schemas are not used in most runs. */
export function isCertainlyValid(schema: ValueSchema, value: unknown): boolean {
  let check = checks.get(schema);
  if (check === undefined) {
    check = compile(schema);
    checks.set(schema, check);
  }
  return check(value);
}

function compile(schema: ValueSchema): YesOrNo {
  try {
    // One instance per schema: an instance keeps all that it ever compiled, and CRDs come and go.
    const check = createAjv().compile(toAjvSchema(schema));
    return (value) => check(value) === true;
  } catch {
    return () => false; // ajv has no such schema, or it is wrong, which is told elsewhere
  }
}

const regExp = Object.assign((source: string) => compilePattern(source), { code: "compilePattern" });

function createAjv(): Ajv {
  return new Ajv({
    strict: false,
    validateSchema: false,
    validateFormats: false,
    ownProperties: true,
    logger: false,
    meta: false,
    messages: false,
    code: { regExp },
    keywords: [...KEYWORDS],
  });
}
