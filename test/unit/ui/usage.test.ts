// The pods and namespaces that EgressIPs select, updated change by change, equal a full evaluation by the verdict code.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { isLive, podView } from "../../../src/ovn/cluster/pod-view.ts";
import { allEgressIps, selectsNamespace, selectsPod } from "../../../src/ovn/trace/egress-ip-source.ts";
import { Model } from "../../../src/ui/data/model.ts";
import { readRecord } from "../../../src/ui/data/read-record.ts";
import type { Change, Kind } from "../../../src/ui/data/records.ts";
import { Usage } from "../../../src/ui/data/usage.ts";
import { clusterOf } from "../ovn/world.ts";

const key = fc.constantFrom("team", "tier");
const value = fc.constantFrom("a", "b", "");
const labels = fc.dictionary(key, value, { maxKeys: 2 });
const expression = fc.oneof(
  fc.record({
    key,
    operator: fc.constantFrom("In", "NotIn"),
    values: fc.array(value, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ key, operator: fc.constantFrom("Exists", "DoesNotExist", "Nothing of that kind") }),
);
const selector = fc.oneof(
  fc.constant({}),
  fc.constant(undefined),
  labels.map((matchLabels) => ({ matchLabels })),
  fc.record({ matchLabels: labels, matchExpressions: fc.array(expression, { maxLength: 2 }) }),
);

/** An object that is there from then on, or one that has gone. */
interface Step {
  readonly kind: Kind;
  readonly key: string;
  readonly object: KubeObject | undefined;
}

const named = (kind: Kind, names: readonly string[], object: fc.Arbitrary<Partial<KubeObject>>) =>
  fc.tuple(fc.constantFrom(...names), fc.option(object, { freq: 4, nil: undefined })).map(
    ([name, rest]): Step => ({
      kind,
      key: `${kind}/${name}`,
      object: rest && {
        ...rest,
        metadata: { name, uid: `${kind}/${name}`, resourceVersion: "1", ...rest.metadata },
      },
    }),
  );

const NAMESPACES = ["shop", "mail"];
const step = fc.oneof(
  named(
    "namespaces",
    NAMESPACES,
    labels.map((labels) => ({ kind: "Namespace", metadata: { labels } })),
  ),
  named(
    "egressips",
    ["e1", "e2", "e3"],
    fc
      .record({ namespaceSelector: selector, podSelector: selector })
      .map((spec) => ({ kind: "EgressIP", spec })),
  ),
  {
    weight: 2,
    arbitrary: named(
      "pods",
      ["p1", "p2", "p3"],
      fc
        .record({
          labels,
          namespace: fc.constantFrom(...NAMESPACES),
          node: fc.constantFrom("n1", "n1", ""),
          hostNetwork: fc.constantFrom(false, false, true),
          phase: fc.constantFrom("Running", "Running", "Succeeded"),
        })
        .map(({ labels, namespace, node, hostNetwork, phase }) => ({
          kind: "Pod",
          metadata: { labels, namespace },
          spec: { nodeName: node, hostNetwork },
          status: { phase },
        })),
    ),
  },
);

test("as verdicts say it", () => {
  fc.assert(
    fc.property(fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 8 }), (messages) => {
      const model = new Model();
      const usage = new Usage(model);
      const objects = new Map<string, KubeObject>();
      for (const steps of messages) {
        for (const { key, object } of steps) {
          if (object) objects.set(key, object);
          else objects.delete(key);
        }
        usage.update(model.apply(steps.map(changeOf)));
        expect(told(model, usage)).toEqual(expected([...objects.values()]));
      }
    }),
    { numRuns: 200 },
  );
});

const changeOf = ({ kind, key, object }: Step): Change =>
  ({ kind, uid: key, record: object && readRecord(kind, object), revision: 1 }) as Change;

function told(model: Model, usage: Usage) {
  return {
    egressIps: new Map(
      [...model.egressips.values()].map(({ uid, name }) => [
        name,
        {
          namespaces: [...usage.namespacesOf(uid)].sort(),
          pods: usage.podCount(uid),
          inShop: usage.podCountIn(uid, "shop"),
        },
      ]),
    ),
    pods: new Map(
      [...model.pods.values()].map((pod) => [pod.uid, usage.egressIpsOf(pod).map(({ name }) => name)]),
    ),
    namespaces: new Map(
      NAMESPACES.map((name) => [
        name,
        {
          egressIps: usage.egressIpsFor(name).map(({ name }) => name),
          twice: usage
            .twiceIn(name)
            .map(({ uid }) => uid)
            .sort(),
        },
      ]),
    ),
  };
}

/** Each EgressIP beside each pod, by what traces and explanations go by. */
function expected(objects: readonly KubeObject[]): ReturnType<typeof told> {
  const cluster = clusterOf(objects);
  const pods = objects.filter(({ kind }) => kind === "Pod").map(podView);
  const views = allEgressIps(cluster);
  const meant = (view: (typeof views)[number], pod: (typeof pods)[number]) =>
    isLive(pod) && selectsNamespace(cluster, view, pod.namespace) && selectsPod(view, pod);
  return {
    egressIps: new Map(
      views.map((view) => {
        const own = pods.filter((pod) => meant(view, pod));
        return [
          view.name,
          {
            namespaces: NAMESPACES.filter((name) => selectsNamespace(cluster, view, name)).sort(),
            pods: own.length,
            inShop: own.filter(({ namespace }) => namespace === "shop").length,
          },
        ];
      }),
    ),
    pods: new Map(
      pods.map((pod) => [
        pod.object.metadata.uid ?? "",
        views.filter((view) => meant(view, pod)).map(({ name }) => name),
      ]),
    ),
    namespaces: new Map(
      NAMESPACES.map((name) => {
        const own = pods.filter(({ namespace }) => namespace === name);
        const isTwice = (pod: (typeof pods)[number]) => views.filter((view) => meant(view, pod)).length > 1;
        return [
          name,
          {
            egressIps: views.filter((view) => selectsNamespace(cluster, view, name)).map(({ name }) => name),
            twice: own
              .filter(isTwice)
              .map(({ object }) => object.metadata.uid ?? "")
              .sort(),
          },
        ];
      }),
    ),
  };
}
