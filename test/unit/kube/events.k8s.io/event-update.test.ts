import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { create, definitionOf, lines, update, validBody } from "../passage.ts";

const EVENTS = definitionOf("events.k8s.io/Event");
const before = create(EVENTS, validBody(EVENTS)).object;
const refusals = (members: JsonObject) =>
  lines(update(EVENTS, { before, body: { ...validBody(EVENTS), ...members } }).errors);

const IMMUTABLE = "field is immutable";

describe("an Event of events.k8s.io", () => {
  it("stays as it is, but for labels", () => {
    expect(refusals({ metadata: { name: "web.18", labels: { a: "b" } } })).toEqual([]);
  });

  it.each<[string, JsonObject, string[]]>([
    ["its note", { note: "changed" }, [`message: Invalid value: "changed": ${IMMUTABLE}`]],
    [
      "its reason, which is looked at twice",
      { reason: "Other" },
      [`reason: Invalid value: "Other": ${IMMUTABLE}`, `reason: Invalid value: "Other": ${IMMUTABLE}`],
    ],
    ["its type", { type: "Odd" }, [`type: Invalid value: "Odd": ${IMMUTABLE}`]],
    [
      "its time",
      { eventTime: "2030-01-01T00:00:01.000000Z" },
      [`eventTime: Invalid value: "2030-01-01T00:00:01.000000Z": ${IMMUTABLE}`],
    ],
    [
      "what it is about",
      { regarding: { kind: "Pod", name: "x", namespace: "team-a" } },
      [
        `involvedObject: Invalid value: {"Kind":"Pod","Namespace":"team-a","Name":"x","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: ${IMMUTABLE}`,
      ],
    ],
    [
      "the rest, in this order",
      {
        reportingInstance: "agent-2",
        reportingController: "example.com/other",
        related: { kind: "Node", name: "n" },
        action: "Other",
        deprecatedCount: 2,
        deprecatedFirstTimestamp: "2030-01-01T00:00:00Z",
        deprecatedLastTimestamp: "2030-01-01T00:00:00Z",
        deprecatedSource: { component: "c" },
      },
      [
        `source: Invalid value: {"Component":"c","Host":""}: ${IMMUTABLE}`,
        `firstTimestamp: Invalid value: "2030-01-01T00:00:00Z": ${IMMUTABLE}`,
        `lastTimestamp: Invalid value: "2030-01-01T00:00:00Z": ${IMMUTABLE}`,
        `count: Invalid value: 2: ${IMMUTABLE}`,
        `action: Invalid value: "Other": ${IMMUTABLE}`,
        `related: Invalid value: {"Kind":"Node","Namespace":"","Name":"n","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: ${IMMUTABLE}`,
        `reportingController: Invalid value: "example.com/other": ${IMMUTABLE}`,
        `reportingInstance: Invalid value: "agent-2": ${IMMUTABLE}`,
      ],
    ],
  ])("cannot change %s", (_name, members, errors) => {
    expect(refusals(members)).toEqual(errors);
  });

  it("may get a series, of two at least", () => {
    const lastObservedTime = "2030-01-01T00:00:02.000000Z";
    expect(refusals({ series: { count: 2, lastObservedTime } })).toEqual([]);
    expect(refusals({ series: { count: 1, lastObservedTime } })).toEqual([
      'series.count: Invalid value: "": should be at least 2',
    ]);
  });

  it("keeps a series that was never valid", () => {
    const series = { count: 1, lastObservedTime: "2030-01-01T00:00:02.000000Z" };
    const odd = { ...validBody(EVENTS), series };
    const old = create(EVENTS, odd).object;
    expect(lines(update(EVENTS, { before: old, body: odd }).errors)).toEqual([]);
  });
});
