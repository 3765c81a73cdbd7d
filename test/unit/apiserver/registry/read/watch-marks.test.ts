import { describe, expect, test } from "vitest";
import { compileFields, parseFieldSelector } from "../../../../../src/apimachinery/meta/field-selector.ts";
import { parseLabelSelector } from "../../../../../src/apimachinery/meta/label-selector.ts";
import { type Selection, watchTriggers } from "../../../../../src/apiserver/registry/read/selection.ts";
import { customView } from "../support.ts";

const selecting = (labels: string, fields = ""): Selection => ({
  labels: labels === "" ? undefined : parseLabelSelector(labels),
  fields: compileFields(parseFieldSelector(fields)),
});
const view = customView();

describe("a watch that selects", () => {
  test.each([
    ["one value", "a=1", ["l:a=1"]],
    ["an empty value", "a=", ["l:a="]],
    ["one of several values", "a in (1,2)", ["l:a=1", "l:a=2"]],
    ["a value beside other things", "!b,c,d=2", ["l:d=2"]],
    ["a label that is there", "!b,c", ["k:c"]],
    ["a number that is above another", "a>1", ["k:a"]],
    ["very many values", `a in (${Array.from({ length: 65 }, (_, index) => index)})`, ["k:a"]],
    ["the label with the fewest values", "a in (1,2),b in (1,2,3),c=3", ["l:c=3"]],
    ["values that exclude each other", "a=1,a=2", []],
  ])("by %s is known by it", (_, labels, any) => {
    expect(watchTriggers(view, selecting(labels))?.any).toEqual(any);
  });

  test.each(["", "!a", "a!=1", "a notin (1,2)"])("by %j has no marks", (labels) => {
    expect(watchTriggers(view, selecting(labels))).toBeUndefined();
  });

  test("by a name has no marks: its range is that of the one object", () => {
    expect(watchTriggers(view, selecting("", "metadata.name=a"))).toBeUndefined();
  });

  test("shares the reading of marks with others of its version", () => {
    expect(watchTriggers(view, selecting("a=1"))?.of).toBe(watchTriggers(view, selecting("b=1"))?.of);
    expect(watchTriggers(view, selecting("a=1"))?.of).not.toBe(
      watchTriggers(customView(), selecting("a=1"))?.of,
    );
  });

  test("of a kind that a webhook converts has no marks", () => {
    const definition = { ...view.definition, converter: {} as never };
    expect(watchTriggers({ ...view, definition }, selecting("a=1"))).toBeUndefined();
  });
});
