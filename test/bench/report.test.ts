// How figures become a report: medians of runs, goals that are met or missed, Markdown.
import { expect, test } from "vitest";
import { readProcessorTime, stolenShare } from "../../scripts/bench/processor-time.ts";
import { timesBetter, verdictOf } from "../../scripts/bench/report/goals.ts";
import { markdownOf } from "../../scripts/bench/report/markdown.ts";
import { mediansOf, reportOf } from "../../scripts/bench/report/report.ts";
import type { Row } from "../../scripts/bench/report/row.ts";
import { tableOf } from "../../scripts/bench/report/table.ts";

const row = (id: string, figures: Partial<Row>): Row => ({ id, operation: id, ...figures });

test("of several runs each figure is the median of its own", () => {
  const run = (perSecond: number, p99Ms: number) => [
    row("get/1", { clients: 1, perSecond, p99Ms, raw: "bare" }),
  ];
  expect(mediansOf([run(10, 3), run(30, 1), run(20, 9)])).toEqual([
    row("get/1", { clients: 1, perSecond: 20, p99Ms: 3, raw: "bare" }),
  ]);
});

test.each<[string, Row, readonly Row[], boolean | undefined]>([
  ["a limit that is kept", row("start/answer", { value: 200, unit: "ms" }), [], true],
  ["a limit that is not kept", row("start/memory", { value: 101, unit: "MB" }), [], false],
  ["a share of the raw limit", row("create/1", { perSecond: 60, rawPerSecond: 100 }), [], true],
  ["less than a share of it", row("create/16", { perSecond: 39, rawPerSecond: 100 }), [], false],
  [
    "a share of another row",
    row("apply/16", { perSecond: 60 }),
    [row("create/16", { perSecond: 100 })],
    true,
  ],
  [
    "less than a share of it",
    row("patch/16", { perSecond: 59 }),
    [row("create/16", { perSecond: 100 })],
    false,
  ],
  ["a share of a row that was not measured", row("patch/16", { perSecond: 59 }), [], undefined],
  ["bytes per second", row("list/json", { perSecond: 100, bytes: 3e6 }), [], true],
  ["a delay", row("watch/1000", { perSecond: 1, p99Ms: 250 }), [], false],
  ["what nothing is demanded of", row("delete/16", { perSecond: 1 }), [], undefined],
])("%s", (_, measured, others, met) => {
  expect(verdictOf(measured, [measured, ...others])?.met).toBe(met);
});

test("rates and times are compared with a real server so that more is better", () => {
  expect(timesBetter(row("create/16", { perSecond: 3600 }))).toBe(3);
  expect(timesBetter(row("start/answer", { value: 200 }))).toBe(10);
  expect(timesBetter(row("delete/16", { perSecond: 1 }))).toBeUndefined();
});

test("what was missed is said, and the curves are drawn", () => {
  const rows = [
    row("start/answer", { value: 300, unit: "ms" }),
    row("watch/1", { clients: 1, perSecond: 500, p50Ms: 1, p99Ms: 2 }),
    row("size/get/1000", { perSecond: 9000 }),
    row("size/get/100000", { perSecond: 8000, rawPerSecond: 9000 }),
    row("memory/100000", { value: 500, unit: "MB" }),
  ];
  const report = reportOf({ server: "ours", own: true, quick: false, startedAt: new Date(0) }, [rows]);
  expect(tableOf(report)).toContain("2 of 3 goals are met\nmissed: start/answer");
  const markdown = markdownOf(report);
  expect(markdown).toMatch(/^\| 100,000 +\| +8000\/s \|.* 500 MB \|$/m);
  expect(markdown).toMatch(/^\| 1 +\| +500\/s \|/m);
  expect(markdown).toMatch(/^\| start\/answer .*\| ≤ 200 ms +\| missed \|/m);
});

test("what the host kept of the processors for others is said", () => {
  const from = readProcessorTime("cpu  100 0 50 9000 30 0 10 40 0 0\ncpu0 1 1\n");
  const to = readProcessorTime("cpu  160 0 60 9900 30 0 10 70 0 0\n");
  expect([from, to]).toEqual([
    { wanted: 200, stolen: 40 },
    { wanted: 300, stolen: 70 },
  ]);
  expect(stolenShare(from, to)).toBeCloseTo(0.3);
  expect([stolenShare(from, from), stolenShare(undefined, to)]).toEqual([undefined, undefined]);
  const measured = { server: "ours", own: true, quick: true, startedAt: new Date(0) };
  expect(tableOf(reportOf({ ...measured, stolen: 0.3 }, []))).toContain("The host kept 30 % of their time");
  expect(tableOf(reportOf({ ...measured, stolen: 0.001 }, []))).not.toContain("The host");
});
