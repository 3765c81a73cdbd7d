import { describe, expect, test } from "vitest";
import type { KubeObject, ManagedFieldsEntry } from "../../../../src/apimachinery/meta/object-meta.ts";
import { writersOf } from "../../../../src/features/history/field-changes.ts";

const T1 = "2030-01-01T00:00:01Z";
const T2 = "2030-01-01T00:00:02Z";

const object = (...managedFields: ManagedFieldsEntry[]): KubeObject => ({ metadata: { managedFields } });
const entry = (manager: string, time: string, fieldsV1 = {}, subresource = ""): ManagedFieldsEntry => ({
  manager,
  operation: "Update",
  apiVersion: "v1",
  time,
  fieldsV1,
  ...(subresource ? { subresource } : {}),
});

const size = [{ path: [{ field: "spec" }, { field: "size" }], before: 1, after: 2 }];
const OWNS_SIZE = { "f:spec": { "f:size": {} } };

describe("who has written", () => {
  test("a manager that was not there before", () => {
    expect(writersOf(undefined, object(entry("a", T1)), [])).toEqual({
      by: [{ manager: "a", operation: "Update" }],
      time: T1,
    });
  });

  test("the one whose time has changed, not the one that has only lost fields", () => {
    const before = object(entry("a", T1, OWNS_SIZE), entry("b", T1, {}, "status"));
    const after = object(entry("a", T1), entry("b", T2, OWNS_SIZE, "status"));
    expect(writersOf(before, after, size)).toEqual({
      by: [{ manager: "b", operation: "Update", subresource: "status" }],
      time: T2,
    });
  });

  test("within the same second those who own what has changed", () => {
    const entries = [entry("a", T1, OWNS_SIZE), entry("b", T1, { "f:spec": { "f:colour": {} } })];
    expect(writersOf(object(...entries), object(...entries), size)).toEqual({
      by: [{ manager: "a", operation: "Update" }],
      time: T1,
    });
  });

  test.each([
    ["an item of a list by its keys", { "f:spec": { 'k:{"port":80}': { "f:name": {} } } }, true],
    ["another item", { "f:spec": { 'k:{"port":81}': { "f:name": {} } } }, false],
    ["what lies above", { "f:spec": {} }, true],
    ["keys that are no JSON", { "f:spec": { "k:{": {} } }, false],
  ])("%s: owned is %j", (_what, fieldsV1, owned) => {
    const same = object(entry("a", T1, fieldsV1));
    const path = [{ field: "spec" }, { keys: { port: 80 } }, { field: "name" }];
    const { by } = writersOf(same, same, [{ path, before: "x", after: "y" }]);
    expect(by.length).toBe(owned ? 1 : 0);
  });

  test("nobody, when nothing says it", () => {
    expect(writersOf(object(), object(), size)).toEqual({ by: [], time: undefined });
  });
});
