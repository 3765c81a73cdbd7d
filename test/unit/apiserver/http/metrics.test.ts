import { expect, test } from "vitest";
import type { RequestLabels } from "../../../../src/apiserver/http/call.ts";
import { gauge, Metrics } from "../../../../src/apiserver/http/metrics.ts";

const open = () =>
  new Metrics({
    isServed: () => true,
    inflight: () => ({ readOnly: 3, mutating: 1 }),
    refused: () => ({ readOnly: 0, mutating: 7 }),
    queues: () => [{ name: "egressip", depth: 2, adds: 9, retries: 4 }],
    others: [gauge("of_others", "What others tell.", ["of"], async () => [[{ of: "a" }, 3]])],
  });

const labels = (verb: string, resource = "nodes"): RequestLabels => ({
  verb,
  group: "",
  version: "v1",
  resource,
  subresource: "",
});

const OF_NODES = 'verb="GET",group="",version="v1",resource="nodes",subresource=""';

test("answers are counted by request and status", async () => {
  const metrics = open();
  metrics.counts.answered(labels("GET"), 200, 0.001);
  metrics.counts.answered(labels("GET"), 200, 0.001);
  metrics.counts.answered(labels("GET"), 404, 0.001);
  const { text } = await metrics.text();
  expect(text).toContain(`apiserver_request_total{${OF_NODES},code="200"} 2\n`);
  expect(text).toContain(`apiserver_request_total{${OF_NODES},code="404"} 1\n`);
  expect((await metrics.text()).text).toContain(`apiserver_request_total{${OF_NODES},code="200"} 2\n`);
});

test("times stand in buckets that hold all shorter ones, and in sum and count", async () => {
  const metrics = open();
  for (const seconds of [0.001, 0.3, 60]) metrics.counts.answered(labels("GET"), 200, seconds);
  const { text } = await metrics.text();
  const name = "apiserver_request_duration_seconds";
  expect(text).toContain(`${name}_bucket{${OF_NODES},le="0.0005"} 0\n`);
  expect(text).toContain(`${name}_bucket{${OF_NODES},le="0.001"} 1\n`);
  expect(text).toContain(`${name}_bucket{${OF_NODES},le="0.5"} 2\n`);
  expect(text).toContain(`${name}_bucket{${OF_NODES},le="5"} 2\n`);
  expect(text).toContain(`${name}_bucket{${OF_NODES},le="+Inf"} 3\n`);
  expect(text).toContain(`${name}_sum{${OF_NODES}} 60.301\n`);
  expect(text).toContain(`${name}_count{${OF_NODES}} 3\n`);
});

test("a watch counts while it is open, and how long it is open does not", async () => {
  const metrics = open();
  const ofNodes = OF_NODES.replace("GET", "WATCH");
  metrics.counts.watching(labels("WATCH"), 1);
  expect((await metrics.text()).text).toContain(`apiserver_longrunning_requests{${ofNodes}} 1\n`);
  metrics.counts.watching(labels("WATCH"), -1);
  metrics.counts.answered(labels("WATCH"), 200, 60);
  const { text } = await metrics.text();
  expect(text).toContain(`apiserver_longrunning_requests{${ofNodes}} 0\n`);
  expect(text).toContain(`apiserver_request_total{${ofNodes},code="200"} 1\n`);
  expect(text).not.toContain("apiserver_request_duration_seconds_count");
});

test("requests on their way are told of", async () => {
  const { text } = await open().text();
  expect(text).toContain('apiserver_current_inflight_requests{request_kind="readOnly"} 3\n');
  expect(text).toContain('apiserver_current_inflight_requests{request_kind="mutating"} 1\n');
});

test("what others tell stands beside", async () => {
  const metrics = open();
  await metrics.text();
  expect((await metrics.text()).text).toContain('of_others{of="a"} 3\n');
});

test("the queues of controllers are told of", async () => {
  const metrics = open();
  await metrics.text();
  const { text } = await metrics.text();
  expect(text).toContain('workqueue_depth{name="egressip"} 2\n');
  expect(text).toContain('workqueue_adds_total{name="egressip"} 9\n');
  expect(text).toContain('workqueue_retries_total{name="egressip"} 4\n');
});

test("requests for things that are not there take no more and more memory", () => {
  const { counts } = open();
  for (let index = 0; index < 20_000; index++) counts.answered(labels("GET", `thing${index}`), 404, 0.001);
  expect([...counts].length).toBeLessThanOrEqual(5001);
  expect([...counts].reduce((sum, { seconds }) => sum + seconds.count, 0)).toBe(20_000);
});

test("what was too much is counted", async () => {
  const metrics = open();
  await metrics.text();
  const { text } = await metrics.text();
  expect(text).toContain('apiserver_dropped_requests_total{request_kind="readOnly"} 0\n');
  expect(text).toContain('apiserver_dropped_requests_total{request_kind="mutating"} 7\n');
});
