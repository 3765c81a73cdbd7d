import { describe, expect, test } from "vitest";
import { freezeJson } from "../../../../../src/apimachinery/json/json.ts";
import { type PatchType, readPatchValue } from "../../../../../src/apiserver/registry/write/patch.ts";
import { builtInView, refusal } from "../support.ts";

const services = builtInView("services");
const live = freezeJson({
  kind: "Service",
  spec: { selector: { a: "1", b: "2" }, ports: [{ port: 80, name: "x" }] },
});

describe("a document changes a copy of the object", () => {
  test.each<[PatchType, unknown, unknown]>([
    [
      "merge",
      { spec: { selector: { a: null, c: "3" } } },
      { selector: { b: "2", c: "3" }, ports: live.spec.ports },
    ],
    ["merge", { spec: { ports: [] } }, { selector: live.spec.selector, ports: [] }],
    [
      "json",
      [{ op: "replace", path: "/spec/ports/0/port", value: 81 }],
      { selector: live.spec.selector, ports: [{ port: 81, name: "x" }] },
    ],
    [
      "strategic",
      { spec: { ports: [{ port: 81 }] } },
      { selector: live.spec.selector, ports: [{ port: 81 }, { port: 80, name: "x" }] },
    ],
  ])("%s %j", async (type, value, spec) => {
    const document = readPatchValue(services, type, value);
    expect((await document.change(live, false)).object["spec"]).toEqual(spec);
    expect(document.findings).toEqual([]);
  });
});

describe("keys that came twice are told", () => {
  test.each<[PatchType, unknown]>([
    ["merge", {}],
    ["strategic", {}],
  ])("%s", (type, value) => {
    expect(readPatchValue(services, type, value, { duplicates: ["spec.a"] }).findings).toEqual([
      'duplicate field "spec.a"',
    ]);
  });
});

test("only a strategic patch says what refusals should show", async () => {
  const changedBy = (type: PatchType) => readPatchValue(services, type, { spec: {} }).change(live, false);
  expect((await changedBy("strategic")).shownPatch).toBeDefined();
  expect((await changedBy("merge")).shownPatch).toBeUndefined();
});

describe("what is no document is refused", () => {
  test.each<[PatchType, unknown, RegExp]>([
    ["merge", [], /^400 Invalid JSON Patch/],
    ["merge", "x", /^400 /],
    ["merge", null, /^400 /],
    ["strategic", [], /^400 /],
    ["json", {}, /^400 /],
    ["json", [1], /^4\d\d /],
  ])("%s %j", (type, value, why) => {
    expect(refusal(() => readPatchValue(services, type, value))).toMatch(why);
  });
});
