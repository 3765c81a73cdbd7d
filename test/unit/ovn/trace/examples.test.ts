// Examples of packets by number, see src/ovn/rules.md ("Numbers in tests"), and more of the same kind.
import { describe, expect, test } from "vitest";
import { told, traced, world } from "../world.ts";
import { EXT } from "./example.ts";
import { COMBINED } from "./examples-combined.ts";
import { OF_EGRESS_IPS } from "./examples-egress-ip.ts";
import { MARKED } from "./examples-marks.ts";
import { MORE } from "./examples-more.ts";
import { OF_NETWORKS } from "./examples-networks.ts";
import { OF_POLICIES } from "./examples-policies.ts";
import { MORE_RULES } from "./examples-rules.ts";

const EXAMPLES = [...OF_EGRESS_IPS, ...OF_POLICIES, ...OF_NETWORKS];

describe.each(
  [...EXAMPLES, ...MORE, ...MORE_RULES, ...MARKED, ...COMBINED].map(
    (example) => [`${example.n}, ${example.what}`, example] as const,
  ),
)("example %s", (_what, example) => {
  test("has its verdict", () => {
    const trace = traced(world(...example.objects), example.to ?? EXT, example.ask);
    expect(told(trace)).toEqual([...example.expect].sort());
    const of = (key: "nextHop" | "via") => trace.outcomes.map((outcome) => outcome[key]);
    if (example.hop !== undefined) expect(of("nextHop")).toContain(example.hop);
    if (example.via !== undefined) expect(of("via")).toContain(example.via);
    if (example.dscp !== undefined)
      expect(trace.outcomes.map(({ dscp }) => dscp?.value)).toEqual([example.dscp]);
    if (example.ambiguity) expect(trace.ambiguities.join("\n")).toMatch(example.ambiguity);
    if (example.likely !== undefined)
      expect(new Set(trace.outcomes.map(({ likely }) => likely))).toEqual(new Set([example.likely]));
    if (example.warning) expect(trace.warnings.join("\n")).toMatch(example.warning);
    expect(trace.ambiguities.length > 0).toBe(example.undefined === true);
  });
});

test("what tests and documents promise is not told as likely", () => {
  const likely = EXAMPLES.filter(({ objects, to = EXT, ask }) =>
    traced(world(...objects), to, ask).outcomes.some((outcome) => outcome.likely),
  );
  // 34 follows from the source alone; of a name's addresses nothing is promised.
  expect(likely.map(({ what }) => what)).toEqual(["a name that may not be resolved"]);
});

test("all examples are there", () => {
  const numbers = new Set(EXAMPLES.map(({ n }) => n));
  expect(numbers.size).toBe(62);
});
