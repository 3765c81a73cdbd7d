// Random structural schemas and their CRDs. They are always valid: defaults match, keys of lists are required or have
// defaults.
import fc from "fast-check";
import type { JsonObject } from "../../../src/apimachinery/json/json.ts";
import { crdOf } from "../../unit/apiserver/endpoints/support.ts";
import { fitting, TEXTS } from "./objects.ts";

/** Includes names that need escaping in JSON pointers and paths. */
const FIELDS = ["a", "b", "c", "d-e", "f.g", "h/i", "j~k"];

const rarely = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const maybe = <T>(name: string, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<JsonObject> =>
  rarely(arbitrary).map((found) => (found === undefined ? {} : { [name]: found }));

const joined = (...parts: fc.Arbitrary<JsonObject>[]): fc.Arbitrary<JsonObject> =>
  fc.tuple(...parts).map((objects) => Object.assign({}, ...objects) as JsonObject); // objects of plain JSON

const is = (object: JsonObject): fc.Arbitrary<JsonObject> => fc.constant(object);

const text = fc.oneof(
  is({ type: "string" }),
  is({ type: "string", format: "ipv4" }),
  joined(
    is({ type: "string", pattern: "^[a-z]*$" }),
    maybe("minLength", fc.nat(2)),
    maybe("maxLength", fc.integer({ min: 2, max: 6 })),
  ),
  fc.uniqueArray(fc.constantFrom(...TEXTS), { minLength: 1, maxLength: 3 }).map((words) => {
    return { type: "string", enum: words };
  }),
);
const integer = joined(
  is({ type: "integer" }),
  maybe("minimum", fc.integer({ min: -9, max: 0 })),
  maybe("maximum", fc.integer({ min: 1, max: 99 })),
  maybe("format", fc.constantFrom("int32", "int64")),
);
const number = joined(is({ type: "number" }), maybe("minimum", fc.constantFrom(-2.5, 0)));
const boolean = is({ type: "boolean" });
/** Types that a list key may have. */
const key = fc.oneof(text, integer, boolean);
const scalar = fc.oneof(key, number, is({ "x-kubernetes-int-or-string": true }));

/** With a matching default, and perhaps nullable. */
const dressed = (schema: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> =>
  joined(schema, maybe("nullable", fc.constant(true))).chain((plain) =>
    rarely(fitting(plain)).map((value) => (value === undefined ? plain : { ...plain, default: value })),
  );

const objectOf = (field: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> =>
  fc
    .tuple(
      fc.uniqueArray(fc.tuple(fc.constantFrom(...FIELDS), field, fc.boolean()), {
        maxLength: 4,
        selector: ([name]) => name,
      }),
      maybe("x-kubernetes-preserve-unknown-fields", fc.constant(true)),
      maybe("x-kubernetes-map-type", fc.constant("atomic")),
    )
    .map(([fields, open, atomic]) => {
      const required = fields.filter(([, schema, needed]) => needed && schema["nullable"] !== true);
      return {
        type: "object",
        properties: Object.fromEntries(fields.map(([name, schema]) => [name, schema])),
        ...(required.length > 0 ? { required: required.map(([name]) => name) } : {}),
        ...open,
        ...atomic,
      };
    });

const listOf = (item: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> =>
  joined(
    item.map((items) => ({ type: "array", items })),
    maybe("maxItems", fc.constant(3)),
    maybe("x-kubernetes-list-type", fc.constant("atomic")),
  );

const setOfScalars = key.map((items) => {
  return { type: "array", items, "x-kubernetes-list-type": "set" };
});

/** A list whose items have one or two keys; the second one has a default. */
const listByKeys = (field: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> =>
  fc
    .tuple(
      key,
      rarely(key.chain((schema) => fitting(schema).map((value) => ({ ...schema, default: value })))),
      field,
    )
    .map(([name, second, more]) => ({
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": second === undefined ? ["name"] : ["name", "kind"],
      items: {
        type: "object",
        required: ["name"],
        properties: { name, more, ...(second === undefined ? {} : { kind: second }) },
      },
    }));

const { node } = fc.letrec<{ node: JsonObject }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", maxDepth: 3 },
    { weight: 4, arbitrary: dressed(scalar) },
    { weight: 2, arbitrary: dressed(objectOf(tie("node"))) },
    { weight: 1, arbitrary: listOf(tie("node")) },
    { weight: 1, arbitrary: setOfScalars },
    { weight: 1, arbitrary: listByKeys(tie("node")) },
    {
      weight: 1,
      arbitrary: tie("node").map((schema) => ({ type: "object", additionalProperties: schema })),
    },
    { weight: 1, arbitrary: is({ type: "object", "x-kubernetes-preserve-unknown-fields": true }) },
  ),
}));

/** The schema of a spec: an object with some fields. */
export const specSchema: fc.Arbitrary<JsonObject> = objectOf(node);

export interface Kind {
  readonly crd: JsonObject;
  readonly spec: JsonObject;
  readonly hasStatus: boolean;
}

/** A definition of things.example.com, with or without a status subresource. */
export const kind: fc.Arbitrary<Kind> = fc.tuple(specSchema, fc.boolean()).map(([spec, hasStatus]) => {
  const status = { type: "object", properties: { phase: { type: "string" }, count: { type: "integer" } } };
  const version = {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: "object", properties: { spec, status } } },
    ...(hasStatus ? { subresources: { status: {} } } : {}),
  };
  return { crd: crdOf([version]), spec, hasStatus };
});
