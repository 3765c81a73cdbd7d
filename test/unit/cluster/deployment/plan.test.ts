import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { setAnnotations, setsToForget } from "../../../../src/cluster/deployment/replica-sets.ts";
import {
  isScaled,
  planProportions,
  planRollingStep,
  type Resize,
} from "../../../../src/cluster/deployment/scaling.ts";
import { template } from "../workloads/support.ts";

const PREFIX = "deployment.kubernetes.io/";

const deployment = (
  replicas: number,
  maxSurge: unknown = "25%",
  maxUnavailable: unknown = "25%",
): KubeObject => ({
  metadata: { name: "web", namespace: "a", uid: "d" },
  spec: {
    replicas,
    revisionHistoryLimit: 1,
    template: template(),
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } },
  },
  status: { replicas },
});

/** The day of its creation is the number in its name. */
const set = (
  name: string,
  replicas: number,
  available = replicas,
  annotations: Record<string, string> = {},
): KubeObject => ({
  metadata: {
    ...{ name, namespace: "a", uid: name, annotations, generation: 1 },
    creationTimestamp: `2026-01-0${name.slice(-1)}T00:00:00Z`,
  },
  spec: { replicas, template: template() },
  status: { replicas, availableReplicas: available, observedGeneration: 1 },
});
const sized = (resizes: readonly Resize[]) =>
  Object.fromEntries(resizes.map(([{ metadata }, replicas]) => [metadata.name, replicas]));

describe("a step of a rolling update", () => {
  test.each([
    ["first the new set grows, as far as there is room", set("new2", 0), [set("old1", 10)], { new2: 3 }],
    [
      "then the old ones shrink, as far as enough are available",
      set("new2", 3, 0),
      [set("old1", 10)],
      { old1: 8 },
    ],
    ["which waits while too few are", set("new2", 5, 0), [set("old1", 8)], {}],
    ["the new set fills up what the old ones have left", set("new2", 3, 3), [set("old1", 8)], { new2: 5 }],
    [
      "pods that are not available go first, the oldest set's before others",
      set("new3", 3, 3),
      [set("old2", 5), set("old1", 5, 0)],
      { old1: 0 },
    ],
    ["nothing is left to do", set("new2", 10), [set("old1", 0)], {}],
    ["a set that is too large shrinks", set("new2", 12), [], { new2: 10 }],
  ])("%s", (_what, current, old, expected) => {
    expect(sized(planRollingStep(deployment(10), { current, old }))).toEqual(expected);
  });

  test("shares that come to nothing let one pod be missing", () => {
    const sets = { current: set("new2", 0), old: [set("old1", 1)] };
    expect(sized(planRollingStep(deployment(1, 0, "25%"), sets))).toEqual({ old1: 0 });
  });
});

describe("another size in the middle of a rollout", () => {
  const sets = (max: string) => ({
    current: set("new2", 5, 5, { [`${PREFIX}max-replicas`]: max, [`${PREFIX}desired-replicas`]: "10" }),
    old: [set("old1", 8, 8, { [`${PREFIX}max-replicas`]: max, [`${PREFIX}desired-replicas`]: "10" })],
  });

  test.each([
    [15, 3, { old1: 11, new2: 7 }],
    [5, 3, { old1: 5, new2: 3 }],
    [0, 3, { old1: 0, new2: 0 }],
  ])("%i pods are shared out by what each set has", (replicas, surge, expected) => {
    const found = deployment(replicas, surge, 2);
    expect(isScaled(found, [...sets("13").old, sets("13").current])).toBe(true);
    expect(sized(planProportions(found, sets("13")))).toEqual(expected);
  });

  test("of one that is complete only old sets go to nothing", () => {
    const done = set("new2", 4, 4, { [`${PREFIX}desired-replicas`]: "4" });
    expect(sized(planProportions(deployment(4), { current: done, old: [set("old1", 1)] }))).toEqual({
      old1: 0,
    });
  });
});

describe("what sets recordEvent of themselves", () => {
  test("revisions only rise, and are remembered as long as there is room", () => {
    const known = { metadata: { annotations: { [`${PREFIX}revision`]: "3" } } };
    expect(setAnnotations(deployment(1), known, 2)).toEqual({ [`${PREFIX}revision`]: "3" });
    const history = Array.from({ length: 600 }, (_, index) => index)
      .join(",")
      .slice(0, 1999)
      .replace(/,\d*$/, "");
    const full = {
      metadata: { annotations: { [`${PREFIX}revision`]: "700", [`${PREFIX}revision-history`]: history } },
    };
    const later = setAnnotations(deployment(1), full, 701)[`${PREFIX}revision-history`] ?? "";
    expect(later.length).toBeLessThanOrEqual(2000);
    expect(later).toMatch(/,700$/);
  });

  test("old sets beyond the history go, but none that has pods", () => {
    const old = [3, 1, 2].map((revision) =>
      set(`s${revision}`, revision === 1 ? 1 : 0, 0, { [`${PREFIX}revision`]: String(revision) }),
    );
    expect(setsToForget(deployment(1), old).map(({ metadata }) => metadata.name)).toEqual(["s2"]);
  });
});
