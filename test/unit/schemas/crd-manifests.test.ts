// The shipped CRD manifests equal the recorded facts, and add a description of Egret's own to every property.
import { describe, expect, test } from "vitest";
import { isObject, objectAt } from "../../../src/apimachinery/json/json.ts";
import {
  type Manifest,
  objectsAt,
  readFacts,
  readManifests,
  schemasOf,
  walkSchema,
  withoutDescriptions,
} from "./manifests.ts";

const DESCRIPTION_LENGTH_MAX = 160;

const facts = readFacts();
const groups = new Set([...facts.values()].map((fact) => String(fact["group"])));
const manifests = readManifests(groups);

const nameOf = (manifest: Manifest): string => String(objectAt(manifest.document, "metadata")?.["name"]);
const specOf = (manifest: Manifest) => objectAt(manifest.document, "spec");

test("every fact has one manifest and every manifest has a fact", () => {
  expect(manifests.map(nameOf).sort()).toEqual([...facts.keys()].sort());
});

describe.each(manifests.map((manifest) => ({ path: manifest.path, manifest })))("$path", ({ manifest }) => {
  test("is a CustomResourceDefinition and nothing more", () => {
    expect(Object.keys(manifest.document)).toEqual(["apiVersion", "kind", "metadata", "spec"]);
    expect(manifest.document).toMatchObject({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: nameOf(manifest) },
    });
  });

  test("stands under its group, its storage version and its singular", () => {
    const spec = specOf(manifest);
    const storage = objectsAt(spec, "versions").find((version) => version["storage"] === true);
    const singular = objectAt(spec, "names")?.["singular"];
    expect(manifest.path).toBe(`${spec?.["group"]}/${storage?.["name"]}/${singular}.yaml`);
  });

  test("equals its facts apart from descriptions", () => {
    expect(withoutDescriptions(manifest)).toEqual(facts.get(nameOf(manifest)));
  });

  test("describes the kind, every property and every column in one short sentence", () => {
    const problems: string[] = [];
    const check = (place: string, description: unknown) => {
      const ok =
        typeof description === "string" &&
        description.length <= DESCRIPTION_LENGTH_MAX &&
        /^[A-Z*].*[.]$/s.test(description) &&
        !/\s{2}|\n/.test(description);
      if (!ok) problems.push(`${place}: ${JSON.stringify(description)}`);
    };
    for (const schema of schemasOf(specOf(manifest))) {
      walkSchema(schema, (node, path, isProperty) => {
        // A CRD may restrict only the names in metadata, and has no description there.
        if (path === ".metadata") expect(node["description"]).toBeUndefined();
        else if (isProperty || path === "") check(path || "(kind)", node["description"]);
      });
    }
    for (const version of objectsAt(specOf(manifest), "versions")) {
      for (const column of objectsAt(version, "additionalPrinterColumns"))
        check(`column ${column["name"]}`, column["description"]);
    }
    expect(problems).toEqual([]);
  });

  test("has no description inside allOf, anyOf, oneOf and not, where a structural schema forbids it", () => {
    const found: string[] = [];
    for (const schema of schemasOf(specOf(manifest))) {
      walkSchema(schema, (node, path) => {
        const parts = ["allOf", "anyOf", "oneOf", "not"].map((key) => node[key]).filter(Boolean);
        if (parts.some(mentionsDescription)) found.push(path);
      });
    }
    expect(found).toEqual([]);
  });

  test("is written without anchors, aliases and tabs", () => {
    expect(manifest.text).not.toMatch(/^\s*(- )?([\w-]+: )?[&*]\w+\s*$|\t/m);
  });
});

function mentionsDescription(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(mentionsDescription);
  return (
    isObject(value) &&
    (typeof value["description"] === "string" || Object.values(value).some(mentionsDescription))
  );
}
