import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { FieldError } from "../../../../src/apimachinery/meta/field-error.ts";
import { compileSchema } from "../../../../src/apimachinery/schema/compile-schema.ts";
import { validateRuleDeclarations } from "../../../../src/apimachinery/schema/rules/compile-rules.ts";
import { validateRules } from "../../../../src/apimachinery/schema/rules/validate-rules.ts";
import type { JsonSchema, SchemaNode } from "../../../../src/apimachinery/schema/schema-node.ts";
import { cpuMs } from "../../../support/cpu-time.ts";

interface Answer {
  readonly crd: string;
  readonly object: JsonObject;
  readonly old?: JsonObject;
  readonly findings: readonly FieldError[];
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));

// The shapes of our own files.
const answers = readJson("./fixtures/custom-resources.json") as Answer[];
interface Definition {
  readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: JsonSchema } }[];
}

function schemaOf(crd: string): JsonSchema {
  const { versions } = readJson(`../../../fixtures/facts/crds/${crd}.json`) as Definition; // as above
  return versions[0]!.schema.openAPIV3Schema;
}

const crds = new Map([...new Set(answers.map(({ crd }) => crd))].map((crd) => [crd, schemaOf(crd)]));
const nodes = new Map([...crds].map(([crd, schema]): [string, SchemaNode] => [crd, compileSchema(schema)]));

const summary = ({ crd, old, findings }: Answer): string =>
  `${old ? "update" : "creation"} of ${crd}: ${findings.map(({ field, message }) => `${field} ${message}`).join("; ") || "nothing"}`;

test.each(answers.map((answer): [string, Answer] => [summary(answer), answer]))(
  "%s",
  (_summary, { crd, object, old, findings }) => {
    const found = validateRules(nodes.get(crd)!, object, old);
    expect(found.map((finding) => ({ ...finding, field: finding.field || "<nil>" }))).toEqual(findings);
  },
);

test.each([...crds])("the rules of %s are sound", (_crd, schema) => {
  expect(validateRuleDeclarations(schema, "schema")).toEqual([]);
});

test("rules are evaluated in well under a millisecond", () => {
  const { crd, object, old } = answers.find((answer) => answer.old && answer.crd.startsWith("user"))!;
  const node = nodes.get(crd)!;
  const run = (times: number): number => {
    const start = cpuMs();
    for (let count = 0; count < times; count++) validateRules(node, object, old);
    return (cpuMs() - start) / times;
  };
  run(200);
  expect(run(200)).toBeLessThan(1);
});
