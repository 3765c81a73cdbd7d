import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { daemonPod, suitability } from "../../../../src/cluster/daemonset/daemon-pod.ts";
import { planDaemons } from "../../../../src/cluster/daemonset/plan.ts";
import { podOf, readyAt, template } from "../workloads/support.ts";

const NOW = Date.UTC(2026, 0, 1);
const FITS = { shouldRun: true, mayStay: true };
const NODES = ["x", "y", "z"];

const set = (rollingUpdate: JsonObject, spec: JsonObject = {}): KubeObject => ({
  metadata: { name: "agent", namespace: "a", uid: "set" },
  spec: { template: template("i:1", spec), updateStrategy: { type: "RollingUpdate", rollingUpdate } },
});
/** "x1": on node x, of revision 1; ready, unless there is a "-" behind it. */
function pod(text: string): KubeObject {
  const [node = "", revision = "", isNotReady = ""] = text;
  const metadata = { labels: { "controller-revision-hash": revision } };
  return podOf(text, isNotReady ? {} : readyAt(NOW), { metadata, spec: { nodeName: node } });
}
function planned(rollingUpdate: JsonObject, pods: readonly string[]): string[] {
  const nodes = new Map(NODES.map((name) => [name, FITS]));
  const plan = planDaemons({ set: set(rollingUpdate), hash: "2", nodes, pods: pods.map(pod), nowMs: NOW });
  return [
    ...plan.create.map((node) => `+${node}`),
    ...plan.remove.map(({ metadata }) => `-${metadata.name}`),
  ];
}

const MISSING = (maxUnavailable: unknown) => ({ maxUnavailable, maxSurge: 0 });
const SURGE = (maxSurge: unknown) => ({ maxUnavailable: 0, maxSurge });

describe("a step of a DaemonSet", () => {
  test.each<[string, JsonObject, string[], string[]]>([
    ["nodes without a pod get one", MISSING(1), ["x2"], ["+y", "+z"]],
    ["of two on a node the younger goes", MISSING(1), ["x2", "x2-", "y2", "z2"], ["-x2-"]],
    ["as many old ones go as may be missing", MISSING(2), ["x1", "y1", "z1"], ["-x1", "-y1"]],
    ["a share is rounded up", MISSING("34%"), ["x1", "y1", "z1"], ["-x1", "-y1"]],
    ["what is missing already counts", MISSING(1), ["x2-", "y1", "z1"], []],
    ["what is of no use goes anyhow", MISSING(1), ["x1-", "y1-", "z1"], ["-x1-", "-y1-"]],
    ["with a surge new ones come beside old ones", SURGE(1), ["x1", "y1", "z1"], ["+x"]],
    ["which wait for them", SURGE(1), ["x1", "x2-", "y1", "z1"], []],
    ["and go then", SURGE(1), ["x1", "x2", "y1", "z1"], ["-x1"]],
    [
      "an old one that is not well is surged beside the limit",
      SURGE(1),
      ["x1", "y1-", "z1-"],
      ["+y", "+z", "+x"],
    ],
  ])("%s", (_what, rollingUpdate, pods, expected) => {
    expect(planned(rollingUpdate, pods).sort()).toEqual([...expected].sort());
  });
});

describe("which nodes a DaemonSet is for", () => {
  const node = (spec: JsonObject, labels: Record<string, string> = {}): KubeObject => ({
    metadata: { name: "x", labels },
    spec,
  });
  const tainted = (effect: string, key = "k") => node({ taints: [{ key, effect }] });
  test.each([
    ["any", {}, node({}), true, true],
    ["none with a taint", {}, tainted("NoSchedule"), false, true],
    ["none that sends pods away", {}, tainted("NoExecute"), false, false],
    ["one that would rather not", {}, tainted("PreferNoSchedule"), true, true],
    ["one that is not well", {}, tainted("NoExecute", "node.kubernetes.io/not-ready"), true, true],
    [
      "one whose taint it tolerates",
      { tolerations: [{ key: "k", operator: "Exists" }] },
      tainted("NoSchedule"),
      true,
      true,
    ],
    ["none without its labels", { nodeSelector: { disk: "ssd" } }, node({}), false, false],
    ["one with its labels", { nodeSelector: { disk: "ssd" } }, node({}, { disk: "ssd" }), true, true],
    ["no other than the one it names", { nodeName: "y" }, node({}), false, false],
  ])("%s", (_what, spec, found, shouldRun, mayStay) => {
    expect(suitability(set({}, spec))(found)).toEqual({ shouldRun, mayStay });
  });
});

test("a pod keeps what its template asks of nodes, bound to one", () => {
  const required = "requiredDuringSchedulingIgnoredDuringExecution";
  const terms = [
    { matchExpressions: [{ key: "a", operator: "Exists" }] },
    { matchExpressions: [{ key: "b", operator: "Exists" }] },
  ];
  const affinity = { podAffinity: {}, nodeAffinity: { [required]: { nodeSelectorTerms: terms } } };
  const made = daemonPod(set({}, { affinity, hostNetwork: true, tolerations: [{ key: "own" }] }), "x", "2");
  const matchFields = [{ key: "metadata.name", operator: "In", values: ["x"] }];
  const { spec } = made as unknown as { spec: { affinity: JsonObject; tolerations: JsonObject[] } };
  expect(spec.affinity).toEqual({
    podAffinity: {},
    nodeAffinity: { [required]: { nodeSelectorTerms: terms.map((term) => ({ ...term, matchFields })) } },
  });
  expect([spec.tolerations[0]?.["key"], spec.tolerations.at(-1)?.["key"]]).toEqual([
    "own",
    "node.kubernetes.io/network-unavailable",
  ]);
});
