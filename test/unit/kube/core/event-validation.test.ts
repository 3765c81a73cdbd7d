import { describe, expect, it } from "vitest";
import { validateEvent } from "../../../../src/kube/core/events.ts";
import { lines } from "../passage.ts";

const REPORT = {
  eventTime: "2030-01-01T00:00:00.000000Z",
  reportingComponent: "example.com/c",
  reportingInstance: "c-1",
  action: "Acting",
  reason: "Tested",
};
const MISMATCH = "does not match event.namespace";

describe("the namespace of an Event and that of its object", () => {
  it.each<[string, string, object, boolean]>([
    ["agree", "a", {}, true],
    ["b", "a", {}, false],
    ["", "default", {}, true],
    ["", "a", {}, false],
    ["b", "a", REPORT, true],
    ["", "default", REPORT, true],
    ["", "kube-system", REPORT, true],
    ["", "a", REPORT, false],
  ])("%j within %j, members %j: %s", (of, within, members, fine) => {
    const namespace = of === "agree" ? within : of;
    const event = { metadata: { namespace: within }, involvedObject: { namespace }, ...members };
    const refusal = `involvedObject.namespace: Invalid value: "${namespace}": ${MISMATCH}`;
    expect(lines(validateEvent(event))).toEqual(fine ? [] : [refusal]);
  });
});

it("words of an Event are measured in bytes", () => {
  const event = { metadata: { namespace: "a" }, involvedObject: { namespace: "a" }, ...REPORT };
  expect(validateEvent({ ...event, action: "é".repeat(64) })).toEqual([]);
  expect(lines(validateEvent({ ...event, action: "é".repeat(65) }))).toEqual([
    'action: Invalid value: "": can have at most 128 characters',
  ]);
});
