import { describe, expect, it } from "vitest";
import { fromCoreEvent, toCoreEvent } from "../../../../src/kube/events.k8s.io/events.ts";
import { decode, definitionOf, validBody } from "../passage.ts";

const CORE = definitionOf("Event");
const NEW = definitionOf("events.k8s.io/Event");

describe("the two forms of an Event", () => {
  it.each([
    ["core", CORE, fromCoreEvent, toCoreEvent],
    ["events.k8s.io", NEW, toCoreEvent, fromCoreEvent],
  ] as const)("%s loses nothing on the way to the other and back", (_name, definition, there, back) => {
    const event = decode(definition, validBody(definition));
    expect(back(there(event))).toEqual(event);
  });

  it("name the same members differently", () => {
    const event = decode(NEW, validBody(NEW));
    expect(toCoreEvent(event)).toMatchObject({
      apiVersion: "v1",
      kind: "Event",
      metadata: event.metadata,
      involvedObject: { kind: "Pod", name: "web" },
      message: "The container was started.",
      reportingComponent: "example.com/agent",
      source: {},
      firstTimestamp: null,
    });
  });

  it("are valid for the decoder of the other API", () => {
    const core = toCoreEvent(decode(NEW, validBody(NEW)));
    expect(decode(CORE, core)).toEqual(core);
    const event = fromCoreEvent(decode(CORE, validBody(CORE)));
    expect(decode(NEW, event)).toEqual(event);
  });
});
