import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import {
  BOOTSTRAP_LEVELS,
  BOOTSTRAP_SCHEMAS,
} from "../../../../src/kube/flowcontrol.apiserver.k8s.io/bootstrap.ts";
import { create, definitionOf, lines, rowOf, update } from "../passage.ts";

const SCHEMA = definitionOf("flowcontrol.apiserver.k8s.io/FlowSchema");
const LEVEL = definitionOf("flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration");

const schemaErrors = (name: string, spec: JsonObject) =>
  lines(create(SCHEMA, { metadata: { name }, spec }).errors);
const levelErrors = (name: string, spec: JsonObject) =>
  lines(create(LEVEL, { metadata: { name }, spec }).errors);
const queued = (queuing: JsonObject): JsonObject => ({
  type: "Limited",
  limited: { limitResponse: { type: "Queue", queuing } },
});

describe("a FlowSchema", () => {
  const spec = { priorityLevelConfiguration: { name: "exempt" } };

  it("comes late unless it says so, and drops the status that it is made with", () => {
    const { object } = create(SCHEMA, {
      metadata: { name: "a" },
      spec,
      status: { conditions: [{ type: "A" }] },
    });
    expect(object).toMatchObject({ spec: { matchingPrecedence: 1000 } });
    expect(object["status"]).toEqual({});
  });

  it.each(BOOTSTRAP_SCHEMAS)("$name is what a cluster begins with", ({ name, spec: known }) => {
    expect(schemaErrors(name, known)).toEqual([]);
  });

  it("comes first only if it is the one that lets administrators in", () => {
    expect(schemaErrors("a", { ...spec, matchingPrecedence: 1 })).toEqual([
      "spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
    ]);
  });

  it("that is mandatory says nothing else", () => {
    expect(schemaErrors("exempt", { ...spec, matchingPrecedence: 2 })).toEqual([
      `spec: Invalid value: {"PriorityLevelConfiguration":{"Name":"exempt"},"MatchingPrecedence":2,"DistinguisherMethod":null,"Rules":null}: spec of 'exempt' must equal the fixed value`,
    ]);
  });

  it("is checked as a new one when it changes, and its status alone at /status", () => {
    const before = create(SCHEMA, { metadata: { name: "a" }, spec }).object;
    expect(lines(update(SCHEMA, { before, body: { metadata: { name: "a" }, spec: {} } }).errors)).toEqual([
      "spec.priorityLevelConfiguration.name: Required value: must reference a priority level",
    ]);
    const status = { conditions: [{ type: "A" }, { type: "A" }, {}] };
    const body = { metadata: { name: "a", labels: { b: "c" } }, spec: {}, status };
    const { object, errors } = update(SCHEMA, { before, body }, "status");
    expect(lines(errors)).toEqual([
      'status.conditions[1].type: Duplicate value: "A"',
      "status.conditions[2].type: Required value: must not be empty",
    ]);
    expect(object).toMatchObject({ spec: before["spec"] });
    expect(object.metadata.labels).toBeUndefined();
  });

  it.each([
    [{}, "<none>", "?"],
    [{ distinguisherMethod: { type: "ByUser" } }, "ByUser", "?"],
  ])("is shown with its level: %j", (more, method, missing) => {
    const row = rowOf(SCHEMA, { spec: { ...spec, matchingPrecedence: 7, ...more } });
    expect(row).toMatchObject({
      PriorityLevel: "exempt",
      MatchingPrecedence: 7,
      DistinguisherMethod: method,
      MissingPL: missing,
    });
  });

  it("shows that its level is missing", () => {
    const conditions = [{ type: "Dangling", status: "True" }];
    expect(rowOf(SCHEMA, { spec, status: { conditions } })).toMatchObject({ MissingPL: "True" });
  });
});

describe("a PriorityLevelConfiguration", () => {
  it("gets what a queue needs", () => {
    const { object } = create(LEVEL, { metadata: { name: "a" }, spec: queued({}) });
    expect(object["spec"]).toEqual({
      type: "Limited",
      limited: {
        nominalConcurrencyShares: 30,
        lendablePercent: 0,
        limitResponse: { type: "Queue", queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
      },
    });
  });

  it.each(BOOTSTRAP_LEVELS)("$name is what a cluster begins with", ({ name, spec }) => {
    expect(levelErrors(name, spec)).toEqual([]);
  });

  it.each<[string, JsonObject, string[]]>([
    ["hands as large as all", { queues: 4, handSize: 4 }, []],
    [
      "hands that are larger",
      { queues: 3, handSize: 4 },
      ["handSize: Invalid value: 4: should not be greater than queues (3)"],
    ],
    [
      "more hands than a hash tells apart",
      { queues: 65, handSize: 10 },
      [
        "handSize: Invalid value: 10: required entropy bits of deckSize 65 and handSize 10 should not be greater than 60",
      ],
    ],
    ["as many as it does", { queues: 64, handSize: 10 }, []],
  ])("deals queues: %s", (_name, queuing, expected) => {
    const place = "spec.limited.limitResponse.queuing.";
    expect(levelErrors("a", queued(queuing))).toEqual(expected.map((line) => place + line));
  });

  it("without limits is the one called exempt, of which the shares may be changed", () => {
    const free = (exempt: JsonObject) => ({ type: "Exempt", exempt });
    expect(levelErrors("exempt", free({ nominalConcurrencyShares: 5 }))).toEqual([]);
    expect(levelErrors("a", free({}))).toEqual([
      `spec.type: Invalid value: "Exempt": type must be 'Exempt' if and only if name is 'exempt'`,
    ]);
    expect(levelErrors("exempt", queued({}))).toEqual([
      `spec.type: Invalid value: "Limited": type must be 'Exempt' if and only if name is 'exempt'`,
      expect.stringContaining("spec of 'exempt' except the 'spec.exempt' field must equal the fixed value"),
    ]);
  });

  it("is shown with its queues, where it has some", () => {
    const { object } = create(LEVEL, { metadata: { name: "a" }, spec: queued({ queues: 9 }) });
    expect(rowOf(LEVEL, object)).toMatchObject({ NominalConcurrencyShares: 30, Queues: 9, HandSize: 8 });
    expect(rowOf(LEVEL, { spec: { type: "Exempt", exempt: {} } })).toMatchObject({
      NominalConcurrencyShares: "<none>",
      Queues: "<none>",
      QueueLengthLimit: "<none>",
    });
  });
});
