import { describe, expect, test } from "vitest";
import { compileFields, parseFieldSelector } from "../../../../../src/apimachinery/meta/field-selector.ts";
import { parseLabelSelector } from "../../../../../src/apimachinery/meta/label-selector.ts";
import {
  checkFieldsSelectable,
  EVERYTHING,
  matchesObject,
  matchesStored,
  type Selection,
  selectedName,
  selectsEverything,
} from "../../../../../src/apiserver/registry/read/selection.ts";
import { builtInView, customView, object, refusal, stored } from "../support.ts";

const things = customView(
  {
    type: "object",
    properties: { color: { type: "string" }, n: { type: "integer" }, on: { type: "boolean" } },
  },
  { selectableFields: [{ jsonPath: ".spec.color" }, { jsonPath: ".spec.n" }, { jsonPath: ".spec.on" }] },
);

const select = (labels: string, fields = ""): Selection => ({
  labels: labels === "" ? undefined : parseLabelSelector(labels),
  fields: compileFields(parseFieldSelector(fields)),
});

describe("an object", () => {
  const one = object("t", { spec: { color: "red", n: 5, on: false } }, { labels: { a: "1", b: "" } });
  test.each([
    ["everything", "", "", true],
    ["a label", "a=1", "", true],
    ["a label of another value", "a=2", "", false],
    ["a label that it has not", "c", "", false],
    ["a label that it lacks", "!c", "", true],
    ["not a value of a label that it has not", "c!=1", "", true],
    ["an empty label", "b=", "", true],
    ["one of some values", "a in (1,2)", "", true],
    ["its name", "", "metadata.name=t", true],
    ["another name", "", "metadata.name!=t", false],
    ["its namespace", "", "metadata.namespace=default", true],
    ["a field", "", "spec.color=red", true],
    ["a field of another value", "", "spec.color=blue", false],
    ["a number as text", "", "spec.n=5", true],
    ["a boolean as text", "", "spec.on=false", true],
    ["a field that is absent by the empty text", "", "spec.absent=", true],
    ["both", "a=1", "spec.color=red,spec.n=5", true],
    ["both where one does not match", "a=1", "spec.color=red,spec.n=6", false],
  ])("is selected by %s", (_rule, labels, fields, matches) => {
    expect(matchesObject(things, select(labels, fields), one)).toBe(matches);
    expect(matchesStored(things, select(labels, fields), stored(one))).toBe(matches);
  });

  test("without labels is selected by what it lacks", () => {
    expect(matchesObject(things, select("!a"), object("t"))).toBe(true);
    expect(matchesObject(things, select("a"), object("t"))).toBe(false);
  });
});

test.each([
  [EVERYTHING, true],
  [select("a"), false],
  [select("", "metadata.name=t"), false],
])("selection %# takes in everything: %s", (selection, everything) => {
  expect(selectsEverything(selection)).toBe(everything);
});

test.each([
  ["metadata.name=t", "t"],
  ["metadata.name==t,spec.n=1", "t"],
  ["metadata.name!=t", undefined],
  ["spec.n=1", undefined],
])("%s names %s", (fields, name) => {
  expect(selectedName(select("", fields))).toBe(name);
});

describe("fields that a kind cannot be selected by are refused", () => {
  const stars = customView(undefined, {}, { scope: "Cluster" });
  test.each([
    [
      "a custom kind by its fields",
      things,
      "spec.color=red,spec.n!=1,metadata.name=t,metadata.namespace=a",
      undefined,
    ],
    ["a custom kind by others", things, "spec.other=1", "400 field label not supported: spec.other"],
    [
      "a custom kind by its labels",
      things,
      "metadata.labels.a=1",
      "400 field label not supported: metadata.labels.a",
    ],
    [
      "a cluster-scoped one by a namespace",
      stars,
      "metadata.namespace=a",
      "400 field label not supported: metadata.namespace",
    ],
    ["Pods by their node", builtInView("pods"), "spec.nodeName=n,status.phase!=Failed", undefined],
    [
      "ConfigMaps by their content",
      builtInView("configmaps"),
      "data.a=1",
      '400 "data.a" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
    ["Pods by others", builtInView("pods"), "spec.other=1", "400 field label not supported: spec.other"],
    ["Namespaces by their phase", builtInView("namespaces"), "status.phase=Active", undefined],
    [
      "Namespaces by a namespace",
      builtInView("namespaces"),
      "metadata.namespace=a",
      "400 field label not supported: metadata.namespace",
    ],
    [
      "Nodes by a namespace",
      builtInView("nodes"),
      "metadata.namespace=a",
      "400 field label not supported: metadata.namespace",
    ],
    [
      "a cluster-scoped built-in kind without fields of its own by a namespace",
      builtInView("customresourcedefinitions"),
      "metadata.namespace=a",
      undefined,
    ],
  ])("%s", (_rule, view, fields, why) => {
    expect(refusal(() => checkFieldsSelectable(view, parseFieldSelector(fields)))).toBe(why);
  });
});
