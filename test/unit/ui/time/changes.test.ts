import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { RequestLogEntry } from "../../../../src/features/request-log/request-log.ts";
import { readRecord } from "../../../../src/ui/data/read-record.ts";
import type { Kind } from "../../../../src/ui/data/records.ts";
import { type ChangeType, readChange, readEvent } from "../../../../src/ui/time/changes.ts";
import { isShown, requestEntry } from "../../../../src/ui/time/requests.ts";

const named = (
  name: string,
  revision: number,
  rest: JsonObject = {},
  metadata: JsonObject = {},
): JsonObject => ({
  metadata: { name, uid: `uid-${name}`, resourceVersion: String(revision), ...metadata },
  ...rest,
});
const told = (kind: Kind, type: ChangeType, object: JsonObject, before?: JsonObject) =>
  readChange(kind, type, object, before && readRecord(kind, before)).entries;
const texts = (...asked: Parameters<typeof told>) =>
  told(...asked).map(({ mark, text }) => `${mark} ${text}`);

describe("a change is told", () => {
  const node = (revision: number, isReady: boolean, labels: JsonObject = {}) =>
    named(
      "n1",
      revision,
      { status: { conditions: [{ type: "Ready", status: isReady ? "True" : "False" }] } },
      { labels },
    );
  const eip = (revision: number, on: Record<string, string>, addresses = ["10.0.0.1", "10.0.0.2"]) =>
    named("web", revision, {
      spec: { egressIPs: addresses, namespaceSelector: {} },
      status: { items: Object.entries(on).map(([egressIP, node]) => ({ egressIP, node })) },
    });

  test("of a node: what became of it", () => {
    expect(texts("nodes", "MODIFIED", node(2, false), node(1, true))).toEqual(["bad Node n1 is not Ready"]);
    const assignable = { "k8s.ovn.org/egress-assignable": "" };
    expect(texts("nodes", "MODIFIED", node(2, true, assignable), node(1, false))).toEqual([
      "ok Node n1 is Ready",
      "plain Node n1 is assignable",
    ]);
    expect(texts("nodes", "MODIFIED", node(2, true), node(1, true))).toEqual(["plain Node n1 was changed"]);
    expect(texts("nodes", "MODIFIED", node(2, true))).toEqual(["plain Node n1 was changed"]);
    expect(texts("nodes", "DELETED", node(2, true), node(1, true))).toEqual(["wait Node n1 was deleted"]);
  });

  test("of an EgressIP: what is asked for, and each address that is elsewhere", () => {
    expect(texts("egressips", "ADDED", eip(1, {}))).toEqual([
      "plain EgressIP web was created with 10.0.0.1, 10.0.0.2",
    ]);
    const moved = told(
      "egressips",
      "MODIFIED",
      eip(3, { "10.0.0.1": "n2", "10.0.0.2": "n3" }),
      eip(2, { "10.0.0.1": "n1" }),
    );
    expect(moved.map(({ lane, mark, text }) => [lane, mark, text])).toEqual([
      ["decisions", "move", "10.0.0.1 of EgressIP web moved from n1 to n2"],
      ["decisions", "ok", "10.0.0.2 of EgressIP web is on n3"],
    ]);
    expect(moved[0]?.move).toEqual({ egressIp: "web", address: "10.0.0.1", from: "n1", to: "n2" });
    expect(texts("egressips", "MODIFIED", eip(4, {}), eip(3, { "10.0.0.1": "n2" }))).toEqual([
      "bad 10.0.0.1 of EgressIP web lost n2, and has no node",
    ]);
    expect(texts("egressips", "MODIFIED", eip(4, {}, ["10.0.0.9"]), eip(3, {}))).toEqual([
      "plain EgressIP web asks for 10.0.0.9",
    ]);
  });

  test("with who wrote last, and when", () => {
    const managedFields = [
      { manager: "kubectl", time: "2030-01-01T00:00:05Z" },
      { manager: "ovnkube", time: "2030-01-01T00:00:09Z" },
      { manager: "old", time: "2030-01-01T00:00:01Z" },
    ];
    const [entry] = told("namespaces", "MODIFIED", named("shop", 9, {}, { managedFields }));
    expect(entry).toMatchObject({ by: "ovnkube", toldMs: Date.parse("2030-01-01T00:00:09Z"), revision: 9 });
  });

  test("of an Event: whom it is about", () => {
    const event = named("e", 12, {
      ...{ type: "Warning", reason: "NoNode", message: "none fits", count: 3 },
      ...{ lastTimestamp: "2030-01-01T00:00:05Z", source: { component: "ovnkube" } },
      involvedObject: { kind: "EgressIP", name: "web" },
    });
    expect(readEvent(event)).toMatchObject({
      ...{ lane: "events", mark: "wait", by: "ovnkube", revision: 12 },
      text: "NoNode: EgressIP web: none fits (3 times)",
    });
    expect(readEvent({})).toBeUndefined();
  });
});

test("requests: what they wrote, and none that browsers only read", () => {
  const request = (rest: Partial<RequestLogEntry>): RequestLogEntry => ({
    ...{ sequence: 1, time: "2030-01-01T00:00:05.250Z", stage: "complete", verb: "update", method: "PUT" },
    ...{ path: "/x", group: "k8s.ovn.org", version: "v1", resource: "egressips", subresource: "status" },
    ...{ namespace: "", name: "web", user: "u", userAgent: "kubectl/v1", status: 200, durationMs: 1 },
    ...rest,
  });
  expect(requestEntry(request({ resourceVersion: "7" }))).toMatchObject({
    ...{ revision: 7, isExact: true, mark: "ok", by: "kubectl" },
    ...{
      text: "update egressips.k8s.ovn.org/status web → 200",
      toldMs: Date.parse("2030-01-01T00:00:05.250Z"),
    },
  });
  expect(requestEntry(request({ status: 409, resourceVersion: "7" }))).toMatchObject({
    revision: undefined,
    mark: "wait",
  });
  expect(requestEntry(request({ verb: "get", resourceVersion: "7" })).revision).toBeUndefined();
  const browser = { userAgent: "Mozilla/5.0" };
  expect(isShown(request(browser))).toBe(true);
  expect(isShown(request({ ...browser, verb: "list" }))).toBe(false);
  expect(isShown(request({ verb: "watch", stage: "ended" }))).toBe(false);
});
