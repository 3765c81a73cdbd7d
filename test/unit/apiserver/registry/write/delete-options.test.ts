import { describe, expect, test } from "vitest";
import {
  type DeleteOptions,
  dryRunErrors,
} from "../../../../../src/apiserver/registry/definition/request-context.ts";
import {
  checkPreconditions,
  finalizersForDeletion,
  validateDeleteOptions,
} from "../../../../../src/apiserver/registry/write/delete.ts";
import { customView, object, refusal } from "../support.ts";

const invalidOptions = (why: string) => `422 DeleteOptions.meta.k8s.io "" is invalid: ${why}`;

describe("options", () => {
  test.each<[DeleteOptions]>([
    [{}],
    [{ propagationPolicy: "Foreground" }],
    [{ propagationPolicy: "Background" }],
    [{ propagationPolicy: "Orphan" }],
    [{ orphanDependents: true, dryRun: ["All"], gracePeriodSeconds: 0 }],
  ])("%j are fine", (options) => {
    expect(refusal(() => validateDeleteOptions(options))).toBeUndefined();
  });

  test.each<[DeleteOptions, string]>([
    [
      { propagationPolicy: "orphan" },
      'propagationPolicy: Unsupported value: "orphan": supported values: "Foreground", "Background", "Orphan", "nil"',
    ],
    [
      { propagationPolicy: "Orphan", orphanDependents: false },
      'propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
    ],
    [{ dryRun: ["Some"] }, 'dryRun: Unsupported value: ["Some"]: supported values: "All"'],
  ])("%j are refused", (options, why) => {
    expect(refusal(() => validateDeleteOptions(options))).toBe(invalidOptions(why));
  });
});

test.each([
  [[], 0],
  [["All"], 0],
  [["All", "All"], 0],
  [["all"], 1],
  [["All", ""], 1],
])("dryRun=%j has %d faults", (values, faults) => {
  expect(dryRunErrors(values)).toHaveLength(faults);
});

describe("preconditions", () => {
  const { definition } = customView();
  const live = object("t", {}, { uid: "u", resourceVersion: "7" });
  const conflict = (why: string) => `409 Operation cannot be fulfilled on Thing.example.com "t": ${why}`;

  test.each([
    [undefined, undefined],
    [{}, undefined],
    [{ uid: "u" }, undefined],
    [{ resourceVersion: "7" }, undefined],
    [{ uid: "u", resourceVersion: "7" }, undefined],
    [
      { uid: "other" },
      conflict(
        "the UID in the precondition (other) does not match the UID in record (u). The object might have been deleted and then recreated",
      ),
    ],
    [
      { resourceVersion: "6" },
      conflict(
        "the ResourceVersion in the precondition (6) does not match the ResourceVersion in record (7). The object might have been modified",
      ),
    ],
  ])("%j: %s", (preconditions, why) => {
    expect(refusal(() => checkPreconditions(definition, live, preconditions))).toBe(why);
  });
});

describe("the finalizers that a deletion leaves", () => {
  const FOREGROUND = "foregroundDeletion";
  test.each<[string, string[], DeleteOptions, string[]]>([
    ["are those that were there", ["a/b"], {}, ["a/b"]],
    ["are none where none were", [], {}, []],
    ["get that of orphans", ["a/b"], { propagationPolicy: "Orphan" }, ["a/b", "orphan"]],
    ["get that of orphans by the old option", [], { orphanDependents: true }, ["orphan"]],
    ["get that of the foreground", [], { propagationPolicy: "Foreground" }, [FOREGROUND]],
    [
      "lose both in the background",
      ["orphan", FOREGROUND, "a/b"],
      { propagationPolicy: "Background" },
      ["a/b"],
    ],
    ["lose both by the old option", ["orphan"], { orphanDependents: false }, []],
    ["keep that of orphans where nothing is said", ["orphan"], {}, ["orphan"]],
    ["keep that of the foreground where nothing is said", [FOREGROUND], {}, [FOREGROUND]],
    ["change from one to the other", ["orphan"], { propagationPolicy: "Foreground" }, [FOREGROUND]],
    ["keep the first of both where nothing is said", [FOREGROUND, "orphan"], {}, [FOREGROUND]],
    [
      "stay in their order where they are the same",
      [FOREGROUND, "example.com/x"],
      { propagationPolicy: "Foreground" },
      [FOREGROUND, "example.com/x"],
    ],
    [
      "stay in their order where nothing is said",
      ["orphan", "example.com/x"],
      {},
      ["orphan", "example.com/x"],
    ],
  ])("%s", (_rule, finalizers, options, expected) => {
    const live = object("t", {}, finalizers.length > 0 ? { finalizers } : {});
    expect(finalizersForDeletion(live, options)).toEqual(expected);
    expect(live.metadata.finalizers ?? []).toEqual(finalizers);
  });

  test.each<[DeleteOptions]>([
    [{}],
    [{ propagationPolicy: "Orphan" }],
    [{ propagationPolicy: "Foreground" }],
    [{ orphanDependents: true }],
  ])("are never those of the collector where it does not look after the kind: %j", (options) => {
    const live = object("t", {}, { finalizers: ["orphan", "a/b", FOREGROUND] });
    expect(finalizersForDeletion(live, options, { withoutGarbageCollection: true })).toEqual(["a/b"]);
  });
});
