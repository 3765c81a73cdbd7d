// Statistics of clients from the request log.
import { expect, test } from "vitest";
import type { RequestLogEntry } from "../../../src/features/request-log/request-log.ts";
import { trafficRows } from "../../../src/ui/traffic/analysis.ts";

const START = Date.parse("2026-11-23T12:00:00Z");
let sequence = 0;

function entry(of: Partial<RequestLogEntry>, afterMs = 0): RequestLogEntry {
  sequence++;
  const base = {
    stage: "complete",
    method: "",
    version: "v1",
    subresource: "",
    user: "",
    status: 200,
    durationMs: 1,
  } as const;
  const named = { verb: "get", group: "", resource: "configmaps", namespace: "shop", name: "a", path: "/x" };
  return {
    ...base,
    ...named,
    sequence,
    userAgent: "tool/1 (linux)",
    time: new Date(START + afterMs).toISOString(),
    ...of,
  };
}
const times = (count: number, make: (index: number) => RequestLogEntry) =>
  Array.from({ length: count }, (_, n) => make(n));
const warnings = (entries: readonly RequestLogEntry[]) =>
  trafficRows(entries).map(({ client, warnings: of }) => [client, ...of]);

test("requests of one client for one thing are one row, those that look wrong first", () => {
  const rows = trafficRows([
    ...times(5, () => entry({})),
    entry({ stage: "ended", verb: "watch" }),
    ...times(4, (n) =>
      entry({ verb: "list", name: "", path: "/api/v1/pods", resource: "pods", userAgent: "k9s" }, n),
    ),
    entry({ resource: "", path: "/version?x=1", userAgent: "", verb: "get" }),
  ]);
  expect(rows.map(({ client, verb, what, count }) => [client, verb, what, count])).toEqual([
    ["k9s", "list", "pods", 4],
    ["tool", "get", "configmaps", 5],
    ["unnamed", "get", "/version", 1],
  ]);
  expect(rows[0]?.warnings).toEqual(["unpaged lists", "relists"]);
});

test("a hot loop asks for one object; a burst, or many objects, are none", () => {
  expect(warnings(times(60, (n) => entry({}, n * 50)))).toEqual([["tool", "hot loop"]]);
  expect(warnings(times(60, (n) => entry({}, n)))).toEqual([["tool"]]);
  expect(warnings(times(60, (n) => entry({ name: `n${n}` }, n * 50)))).toEqual([["tool"]]);
});

test("pages of one list are no new lists, and lists over hours are no relists", () => {
  const page = (n: number) =>
    entry({ verb: "list", name: "", path: `/p?limit=5${n > 0 ? "&continue=x" : ""}` }, n);
  expect(warnings(times(9, page))).toEqual([["tool"]]);
  expect(
    warnings(times(9, (n) => entry({ verb: "list", name: "", path: "/p?limit=5" }, n * 60_000))),
  ).toEqual([["tool"]]);
});

test("writes that change nothing, and two that undo each other's", () => {
  const same = times(4, () => entry({ verb: "update", resourceVersion: "7" }));
  expect(warnings(same)).toEqual([["tool", "no-op writes"]]);
  const turns = times(6, (n) =>
    entry({ verb: "patch", userAgent: n % 2 ? "a" : "b", resourceVersion: String(n) }),
  );
  expect(warnings(turns)).toEqual([
    ["a", "fight"],
    ["b", "fight"],
  ]);
  const alone = times(6, (n) => entry({ verb: "patch", resourceVersion: String(n) }));
  expect(warnings(alone)).toEqual([["tool"]]);
});

test("most of it is refused", () => {
  expect(warnings(times(4, (n) => entry({ status: n > 0 ? 403 : 200 })))).toEqual([["tool", "refused"]]);
});
