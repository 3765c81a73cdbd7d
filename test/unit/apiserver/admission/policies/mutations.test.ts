import { expect, test } from "vitest";
import { typeOfKind } from "../../../../../src/apimachinery/patch/apply/typed/type-node.ts";
import { compileSchema } from "../../../../../src/apimachinery/schema/compile-schema.ts";
import { findAtomics } from "../../../../../src/apiserver/admission/policies/mutations.ts";

const TEXT = { type: "string" };
const TEXTS = { type: "array", items: TEXT };
const TYPE = typeOfKind(
  compileSchema({
    type: "object",
    properties: {
      labels: { type: "object", additionalProperties: TEXT },
      args: TEXTS,
      names: { ...TEXTS, "x-kubernetes-list-type": "set" },
      whole: { type: "object", properties: { a: TEXT }, "x-kubernetes-map-type": "atomic" },
      items: {
        type: "array",
        items: { type: "object", properties: { name: TEXT, args: TEXTS } },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
      },
    },
  }),
);

test.each<[value: object, paths: string[]]>([
  [{ labels: { a: "b" }, names: ["a"] }, []],
  [{ args: ["a"] }, [".args"]],
  [{ whole: { a: "b" } }, [".whole"]],
  [{ items: [{ name: "a" }, { name: "b", args: ["c"] }], args: [] }, [".args", ".items[1].args"]],
])("%j", (value, paths) => {
  expect(findAtomics(TYPE, value)).toEqual(paths);
});
