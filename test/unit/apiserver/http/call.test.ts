import { expect, test } from "vitest";
import type {
  ApiRequest,
  ApiResponse,
  RequestRecord,
} from "../../../../src/apiserver/endpoints/api-request.ts";
import { Call, RequestCounts } from "../../../../src/apiserver/http/call.ts";
import type { Metrics } from "../../../../src/apiserver/http/metrics.ts";
import { askedFor } from "../../../support/asked-for.ts";
import { ManualClock } from "../../kube/controllers/support.ts";

function callOf(path: string, query: string, more: Partial<ApiRequest> = {}) {
  const clock = new ManualClock();
  const records: RequestRecord[] = [];
  const counts = new RequestCounts();
  const isServed: Metrics["isServed"] = ({ resource }) => resource !== "invented";
  const metrics = { counts, isServed } as Metrics; // nothing else of them is used
  const request: ApiRequest = {
    ...askedFor(more.method ?? "GET", path, query),
    headers: { "user-agent": "test/1" },
    body: undefined,
    user: { name: "jane", groups: [] },
    ...more,
  };
  const log = { add: (record: RequestRecord) => void records.push(record) };
  const call = new Call(request, `${path}?${query}`, clock.now(), {
    metrics,
    clock,
    log,
  });
  return { call, clock, records, counts: () => [...counts] };
}

const OK: ApiResponse = { status: 200, headers: {}, body: undefined, revision: 7 };

test("an answer is counted and told with its time and revision", () => {
  const { call, clock, records, counts } = callOf("/api/v1/pods", "limit=1");
  clock.advance(5);
  call.answered(OK, "fault-1");
  expect(records).toMatchObject([
    {
      stage: "complete",
      url: "/api/v1/pods?limit=1",
      info: { verb: "list", resource: "pods" },
      user: "jane",
      userAgent: "test/1",
      status: 200,
      cause: "fault-1",
      revision: 7,
    },
  ]);
  expect((records[0]?.endedMs ?? 0) - (records[0]?.startedMs ?? 0)).toBe(5);
  expect(counts()[0]?.codes.get(200)).toBe(1);
});

test("what has no answer is told, and counts as none", () => {
  const { call, records, counts } = callOf("/api/v1/pods", "");
  call.answered(undefined, "fault-1");
  expect(records).toMatchObject([{ status: 0, revision: undefined }]);
  expect(counts()).toEqual([]);
});

test.each(["watch=1", "watch=true", "watch"])("a watch is told of twice: %s", (query) => {
  const { call, records, counts } = callOf("/api/v1/pods", query);
  call.streaming(OK, "");
  expect(counts()[0]).toMatchObject({ watches: 1, labels: { verb: "WATCH" } });
  call.streamed(OK, "fault-2");
  expect(records).toMatchObject([
    { stage: "started", cause: "" },
    { stage: "ended", cause: "fault-2" },
  ]);
  expect(counts()[0]?.watches).toBe(0);
});

test("a list that is streamed is told of once", () => {
  const { call, records } = callOf("/api/v1/pods", "");
  call.streaming(OK, "");
  call.streamed(OK, "");
  expect(records.map(({ stage }) => stage)).toEqual(["complete"]);
});

test("the user is the one in whose name it is asked", () => {
  const impersonate = { name: "joe", uid: "", groups: [], extra: {} };
  const { call, records } = callOf("/version", "", { impersonate });
  call.answered(OK, "");
  expect(records).toMatchObject([{ user: "joe", info: { isResourceRequest: false } }]);
});

test("what is not served has no metrics of its own", () => {
  const { call, records, counts } = callOf("/api/v1/invented/x/y", "");
  call.answered({ ...OK, status: 404 }, "");
  expect(counts().map(({ labels }) => labels)).toEqual([
    { verb: "GET", group: "", version: "", resource: "", subresource: "" },
  ]);
  expect(records[0]?.info.resource).toBe("invented");
});
