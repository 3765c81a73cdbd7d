// Annotations that a kube-apiserver interprets, and labels of a new pod for selectors.
import { expect, it } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import {
  validateKeptAnnotations,
  validatePodAnnotations,
} from "../../../../../src/kube/core/pod/annotations.ts";
import { create, definitionOf, lines } from "../../passage.ts";

const MIRROR = "kubernetes.io/config.mirror";
const COST = "controller.kubernetes.io/pod-deletion-cost";
const SECCOMP = "seccomp.security.alpha.kubernetes.io/pod";
const OF_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/c";
const APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/";
const podOf = (annotations: JsonObject): JsonObject => ({
  metadata: { annotations },
  spec: { containers: [{ name: "c" }] },
});

it.each<[string, JsonObject, string[]]>([
  [
    "a picture of what no node runs",
    { [MIRROR]: "x" },
    [
      `metadata.annotations[${MIRROR}]: Invalid value: "x": must set spec.nodeName if mirror pod annotation is set`,
    ],
  ],
  ["a cost", { [COST]: "-1" }, []],
  [
    "no cost",
    { [COST]: "01" },
    [`metadata.annotations[${COST}]: Invalid value: "01": must be a 32bit integer`],
  ],
  ["known profiles", { [SECCOMP]: "runtime/default", [OF_CONTAINER]: "localhost/a/b" }, []],
  [
    "profiles that there cannot be",
    { [SECCOMP]: "x", [OF_CONTAINER]: "localhost/../b" },
    [
      `metadata.annotations.${SECCOMP}: Invalid value: "x": must be a valid seccomp profile`,
      `metadata.annotations.${OF_CONTAINER}: Invalid value: "../b": must not contain '..'`,
    ],
  ],
  ["confined containers", { [`${APP_ARMOR}c`]: "localhost/p" }, []],
  [
    "other containers, and no profiles",
    { [`${APP_ARMOR}d`]: "p" },
    [
      `metadata.annotations[${APP_ARMOR}d]: Invalid value: "d": container not found`,
      `metadata.annotations[${APP_ARMOR}d]: Invalid value: "p": invalid AppArmor profile name: "p"`,
    ],
  ],
])("%s", (_name, annotations, errors) => {
  expect(lines(validatePodAnnotations("metadata", podOf(annotations)))).toEqual(errors);
});

it("keeps a pod as confined as it was", () => {
  const [before, after] = [{ [`${APP_ARMOR}c`]: "unconfined" }, { [MIRROR]: "x", a: "b" }];
  expect(lines(validateKeptAnnotations(podOf(after), podOf(before))).slice(0, 2)).toEqual([
    `metadata.annotations[${APP_ARMOR}c]: Forbidden: may not remove or update AppArmor annotations`,
    `metadata.annotations[${MIRROR}]: Forbidden: may not add mirror pod annotation`,
  ]);
});

const term = (more: JsonObject) => ({ topologyKey: "zone", labelSelector: {}, ...more });
const created = (spec: JsonObject) =>
  create(definitionOf("Pod"), {
    metadata: { name: "p", labels: { app: "a" } },
    spec: { containers: [{ name: "c", image: "i" }], ...spec },
  });

it("puts what labels say into the selectors of a new pod", () => {
  const keys = { matchLabelKeys: ["app", "gone"] };
  const wanted = { matchExpressions: [{ key: "app", operator: "In", values: ["a"] }] };
  const unwanted = { matchExpressions: [{ key: "app", operator: "NotIn", values: ["a"] }] };
  const required = "requiredDuringSchedulingIgnoredDuringExecution";
  const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
  const { object, errors } = created({
    affinity: {
      podAffinity: { [required]: [term(keys)] },
      podAntiAffinity: {
        [preferred]: [{ weight: 1, podAffinityTerm: term({ mismatchLabelKeys: ["app"] }) }],
      },
    },
    topologySpreadConstraints: [{ maxSkew: 1, whenUnsatisfiable: "DoNotSchedule", ...term(keys) }],
  });
  expect(errors).toEqual([]);
  expect(object["spec"]).toMatchObject({
    affinity: {
      podAffinity: { [required]: [{ labelSelector: wanted }] },
      podAntiAffinity: { [preferred]: [{ podAffinityTerm: { labelSelector: unwanted } }] },
    },
    topologySpreadConstraints: [{ labelSelector: wanted }],
  });
});

it("lets a selector not speak of such a label besides", () => {
  const { errors } = created({
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        whenUnsatisfiable: "DoNotSchedule",
        ...term({ matchLabelKeys: ["app"], labelSelector: { matchLabels: { app: "a" } } }),
      },
    ],
  });
  expect(lines(errors)).toEqual([
    'spec.topologySpreadConstraints[0][0]: Invalid value: "app": exists in both matchLabelKeys and labelSelector',
  ]);
});
