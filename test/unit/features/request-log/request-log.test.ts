import { describe, expect, test } from "vitest";
import type { RequestRecord } from "../../../../src/apiserver/endpoints/api-request.ts";
import { ControlSurface } from "../../../../src/features/control-surface/control-surface.ts";
import { RequestLog, requestLogRoutes } from "../../../../src/features/request-log/request-log.ts";
import { askedFor } from "../../../support/asked-for.ts";
import { openToAll } from "../control-surface/ask.ts";

const PODS = "/api/v1/namespaces/web/pods";
const STARTED_MS = Date.UTC(2026, 0, 1, 12, 0, 0, 250);

function record(url: string, more: Partial<RequestRecord> = {}): RequestRecord {
  const method = more.method ?? "GET";
  const [path = "", query = ""] = url.split("?");
  return {
    stage: "complete",
    method,
    url,
    info: askedFor(method, path, query).info,
    user: "jane",
    userAgent: "kubectl/v1.32.0 (linux/amd64)",
    status: 200,
    startedMs: STARTED_MS,
    endedMs: STARTED_MS + 3,
    cause: "",
    revision: undefined,
    ...more,
  };
}

function logOf(...records: RequestRecord[]): RequestLog {
  const log = new RequestLog(5);
  for (const item of records) log.add(item);
  return log;
}

describe("the log", () => {
  test("words what it was told", () => {
    const log = logOf(
      record(`${PODS}/a/status?dryRun=All`, { method: "PUT", revision: 7, cause: "fault-1" }),
    );
    expect(log.entries()).toEqual([
      {
        sequence: 1,
        time: "2026-01-01T12:00:00.250Z",
        stage: "complete",
        verb: "update",
        method: "PUT",
        path: `${PODS}/a/status?dryRun=All`,
        group: "",
        version: "v1",
        resource: "pods",
        subresource: "status",
        namespace: "web",
        name: "a",
        user: "jane",
        userAgent: "kubectl/v1.32.0 (linux/amd64)",
        status: 200,
        durationMs: 3,
        fault: "fault-1",
        resourceVersion: "7",
      },
    ]);
  });

  test("keeps the last ones, and numbers all", () => {
    const log = logOf(...Array.from({ length: 12 }, (_, index) => record(`${PODS}/p${index}`)));
    expect(log.entries().map(({ sequence, name }) => [sequence, name])).toEqual([
      [8, "p7"],
      [9, "p8"],
      [10, "p9"],
      [11, "p10"],
      [12, "p11"],
    ]);
    expect([log.last, log.missed(0), log.missed(6), log.missed(9)]).toEqual([12, 7, 1, 0]);
  });

  test("is cleared, and goes on counting", () => {
    const log = logOf(record(PODS), record(PODS));
    log.clear();
    expect([log.entries(), log.missed(0)]).toEqual([[], 0]);
    log.add(record(PODS));
    expect(log.entries().map(({ sequence }) => sequence)).toEqual([3]);
  });

  test.each(["/egret/v1/requests", "/healthz", "/livez?verbose", "/readyz/ping"])("leaves out %s", (path) => {
    expect(logOf(record(path)).entries()).toEqual([]);
  });

  test("has the method where there is no resource", () => {
    expect(logOf(record("/apis")).entries()).toMatchObject([{ verb: "get", resource: "" }]);
  });
});

describe("a filter", () => {
  const log = logOf(
    record(`${PODS}/a`),
    record(`${PODS}?watch=1`, { userAgent: "controller/1" }),
    record("/apis/k8s.ovn.org/v1/egressips/b", { method: "DELETE", status: 404 }),
    record("/api/v1/namespaces/other/pods/a", { user: "joe" }),
  );
  const sequences = async (query: string): Promise<number[]> => {
    const answer = await ask(log, "GET", query);
    return answer.items.map(({ sequence }: { sequence: number }) => sequence);
  };

  test.each<[string, number[]]>([
    ["", [1, 2, 3, 4]],
    ["verb=watch", [2]],
    ["resource=pods", [1, 2, 4]],
    ["resource=pods&namespace=web", [1, 2]],
    ["group=k8s.ovn.org", [3]],
    ["group=", [1, 2, 4]],
    ["name=a", [1, 4]],
    ["userAgent=kubectl*", [1, 3, 4]],
    ["user=joe", [4]],
    ["status=404", [3]],
    ["since=2", [3, 4]],
    ["limit=2", [3, 4]],
    ["resource=pods&limit=1&since=1", [4]],
    ["limit=0", []],
  ])("%s", async (query, expected) => {
    expect(await sequences(query)).toEqual(expected);
  });

  test("must be a number where one is due", async () => {
    await expect(ask(log, "GET", "since=now")).rejects.toMatchObject({ code: 400 });
    await expect(ask(log, "GET", "useragent=x")).rejects.toThrow("there is no filter useragent");
  });
});

test("the log is cleared over HTTP", async () => {
  const log = logOf(record(PODS));
  await ask(log, "DELETE", "");
  expect(await ask(log, "GET", "")).toEqual({ items: [], last: 1, missed: 0 });
});

// biome-ignore lint/suspicious/noExplicitAny: the answer is what the test looks into
async function ask(log: RequestLog, method: string, query: string): Promise<any> {
  const response = await new ControlSurface(requestLogRoutes(log), openToAll).handle({
    ...askedFor(method, "/egret/v1/requests", query),
    headers: {},
    body: undefined,
    user: { name: "jane", groups: [] },
  });
  const body = response?.body;
  return body instanceof Uint8Array ? JSON.parse(Buffer.from(body).toString()) : undefined;
}
