import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { StatusError } from "../../../../../src/apimachinery/meta/status.ts";
import { alwaysAllow } from "../../../../../src/apiserver/authorization/access-check.ts";
import { createRbacAuthorizer } from "../../../../../src/apiserver/authorization/rbac/rbac-authorizer.ts";
import type {
  AccessAttributes,
  TokenReviewer,
} from "../../../../../src/apiserver/registry/definition/request-context.ts";
import type { ReviewContext } from "../../../../../src/apiserver/registry/definition/resource-definition.ts";
import { CONTEXT, definitionOf } from "../../../kube/passage.ts";
import { binding, paths, policyOf, role, rule } from "../../authorization/support.ts";

const USER = { name: "bob", uid: "7", groups: ["dev"], extra: { scopes: ["a"] } };

const authorizer = createRbacAuthorizer(
  policyOf({
    ClusterRole: [role("r", [rule("core", "pods", "get", "p"), paths("/metrics", "get")])],
    ClusterRoleBinding: [
      binding("b", "ClusterRole:r", "Group:dev"),
      binding("c", "ClusterRole:none", "User:bob"),
    ],
  }),
);

function review(
  kind: string,
  spec: JsonObject | undefined,
  more: { metadata?: KubeObject["metadata"]; reviewToken?: TokenReviewer; asked?: AccessAttributes[] } = {},
): KubeObject {
  const group = /^(Token|SelfSubject)Review$/.test(kind) ? "authentication.k8s.io" : "authorization.k8s.io";
  const definition = definitionOf(`${group}/${kind}`);
  const { asked } = more;
  const object: KubeObject = {
    apiVersion: `${group}/v1`,
    kind,
    metadata: more.metadata ?? { managedFields: [] },
    ...(spec ? { spec } : {}),
  };
  const { review } = definition;
  if (review === undefined) throw new Error(`${kind} is no review`);
  const context: ReviewContext = {
    ...CONTEXT,
    user: USER,
    namespace: "",
    reviewToken: more.reviewToken ?? (() => ({})),
    authorizer: asked
      ? { ...alwaysAllow, authorize: (it) => ({ allowed: asked.push(it) > 0, reason: "" }) }
      : authorizer,
  };
  review.check?.(object, context);
  return review.answer(object, context);
}

function refusal(call: () => unknown): string[] {
  try {
    call();
  } catch (error) {
    if (error instanceof StatusError)
      return [
        error.status.message ?? "",
        ...(error.status.details?.causes ?? []).map(({ field = "" }) => field),
      ];
    throw error;
  }
  throw new Error("it was not refused");
}

const POD = { verb: "get", resource: "pods", name: "p" };

describe("reviews of access", () => {
  const reason = 'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to Group "dev"';

  it("ask for the one who asks", () => {
    const { status } = review("SelfSubjectAccessReview", { resourceAttributes: POD });
    expect(status).toEqual({ allowed: true, reason });
  });

  it("ask for somebody else", () => {
    const spec = { user: "eve", groups: ["dev"], nonResourceAttributes: { verb: "get", path: "/metrics" } };
    expect(review("SubjectAccessReview", spec)["status"]).toEqual({ allowed: true, reason });
    const other = { user: "eve", resourceAttributes: POD };
    expect(review("SubjectAccessReview", other)["status"]).toEqual({ allowed: false });
  });

  it("say why something cannot be told", () => {
    const { status } = review("SelfSubjectAccessReview", {
      resourceAttributes: { verb: "list", resource: "pods" },
    });
    expect(status).toEqual({
      allowed: false,
      reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "none" not found',
    });
  });

  it("hand all attributes on; no version is any", () => {
    const asked: AccessAttributes[] = [];
    const full = {
      verb: "v",
      group: "g",
      version: "v2",
      resource: "r",
      subresource: "s",
      namespace: "n",
      name: "o",
    };
    const who = { user: "eve", uid: "1", groups: ["x"], extra: { k: ["v"] } };
    review("SubjectAccessReview", { ...who, resourceAttributes: full }, { asked });
    review("SelfSubjectAccessReview", { resourceAttributes: {} }, { asked });
    review("SelfSubjectAccessReview", { nonResourceAttributes: { verb: "get", path: "/p" } }, { asked });
    const eve = { name: "eve", uid: "1", groups: ["x"], extra: { k: ["v"] } };
    const empty = {
      verb: "",
      group: "",
      version: "*",
      resource: "",
      subresource: "",
      namespace: "",
      name: "",
    };
    expect(asked).toEqual([
      { type: "resource", user: eve, ...full },
      { type: "resource", user: USER, ...empty },
      { type: "path", user: USER, verb: "get", path: "/p" },
    ]);
  });

  const path = { verb: "get", path: "/" };
  const anyone = { user: "eve" };
  it.each([
    ["SelfSubjectAccessReview", {}, ["spec.resourceAttributes"]],
    [
      "SelfSubjectAccessReview",
      { resourceAttributes: POD, nonResourceAttributes: path },
      ["spec.nonResourceAttributes"],
    ],
    ["SubjectAccessReview", { resourceAttributes: POD }, ["spec.user"]],
    ["SubjectAccessReview", {}, ["spec.resourceAttributes", "spec.user"]],
    [
      "LocalSubjectAccessReview",
      { ...anyone, resourceAttributes: POD },
      ["spec.resourceAttributes.namespace"],
    ],
    ["LocalSubjectAccessReview", { ...anyone, nonResourceAttributes: path }, ["spec.nonResourceAttributes"]],
  ])("%s of %j is refused for %j", (kind, spec, fields) => {
    const metadata = kind.startsWith("Local") ? { namespace: "a" } : {};
    expect(refusal(() => review(kind, spec, { metadata })).slice(1)).toEqual(fields);
  });

  it("in one namespace are about that namespace", () => {
    const spec = { ...anyone, resourceAttributes: { ...POD, namespace: "a" } };
    const { status } = review("LocalSubjectAccessReview", spec, { metadata: { namespace: "a" } });
    expect(status).toEqual({ allowed: false });
  });

  it("have no metadata", () => {
    const asked = (kind: string, metadata: KubeObject["metadata"]) => () =>
      review(kind, { ...anyone, resourceAttributes: { ...POD, namespace: "a" } }, { metadata });
    expect(refusal(asked("SubjectAccessReview", { name: "x" }))).toEqual([
      '.authorization.k8s.io "" is invalid: metadata: Invalid value: {"name":"x"}: must be empty',
      "metadata",
    ]);
    const written = { managedFields: [{ operation: "Update", manager: "m" }], labels: { b: "c" }, name: "x" };
    expect(refusal(asked("SubjectAccessReview", written as KubeObject["metadata"]))[0]).toContain(
      '{"name":"x","labels":{"b":"c"},"managedFields":[{"manager":"m","operation":"Update"}]}: must be empty',
    ); // in the order of Go's struct
    expect(refusal(asked("LocalSubjectAccessReview", { namespace: "a", labels: { b: "c" } }))[0]).toContain(
      "must be empty except for namespace",
    );
  });

  const RAW = "spec.resourceAttributes.fieldSelector.rawSelector";
  const LABEL = "spec.resourceAttributes.labelSelector.requirements";
  it.each([
    ["fieldSelector", { rawSelector: "a=b" }, []],
    ["fieldSelector", { requirements: [{ key: "a", operator: "Near", values: ["b"] }] }, []],
    ["fieldSelector", {}, ["spec.resourceAttributes.fieldSelector.requirements"]],
    ["fieldSelector", { rawSelector: "a=b", requirements: [{ key: "a", operator: "Exists" }] }, [RAW]],
    ["labelSelector", { requirements: [{ key: "a", operator: "In" }] }, [`${LABEL}[0].values`]],
    [
      "labelSelector",
      { requirements: [{ key: "a", operator: "Exists", values: ["b"] }] },
      [`${LABEL}[0].values`],
    ],
    ["labelSelector", { requirements: [{ key: "a b", operator: "Exists" }] }, [`${LABEL}[0].key`]],
  ])("with the %s %j are refused for %j", (selector, value, fields) => {
    const call = () =>
      review("SelfSubjectAccessReview", { resourceAttributes: { ...POD, [selector]: value } });
    if (fields.length === 0) expect(call).not.toThrow();
    else expect(refusal(call).slice(1)).toEqual(fields);
  });
});

describe("a review of rules", () => {
  it("tells all of them, and nothing of the question", () => {
    expect(review("SelfSubjectRulesReview", { namespace: "a" })).toEqual({
      kind: "SelfSubjectRulesReview",
      apiVersion: "authorization.k8s.io/v1",
      metadata: {},
      spec: {},
      status: {
        resourceRules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["p"] }],
        nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/metrics"] }],
        incomplete: false,
        evaluationError: 'clusterrole.rbac.authorization.k8s.io "none" not found',
      },
    });
  });

  it("needs a namespace", () => {
    expect(refusal(() => review("SelfSubjectRulesReview", {}))).toEqual(["no namespace on request"]);
  });
});

it("a review of oneself tells who one is", () => {
  expect(review("SelfSubjectReview", undefined)).toEqual({
    kind: "SelfSubjectReview",
    apiVersion: "authentication.k8s.io/v1",
    metadata: { creationTimestamp: "2030-01-01T00:05:00Z" },
    status: { userInfo: { username: "bob", uid: "7", groups: ["dev"], extra: { scopes: ["a"] } } },
  });
});

describe("a review of a token", () => {
  it("tells its user and for whom it is good", () => {
    const asked: unknown[] = [];
    const reviewToken: TokenReviewer = (...question) => {
      asked.push(question);
      return { user: { name: "eve", groups: [] }, audiences: ["x"] };
    };
    const { status } = review("TokenReview", { token: "t", audiences: ["x", "y"] }, { reviewToken });
    expect(status).toEqual({ authenticated: true, user: { username: "eve" }, audiences: ["x"] });
    expect(asked).toEqual([["t", ["x", "y"]]]);
  });

  it("tells why it is good for nobody", () => {
    const reviewToken = () => ({ error: "invalid bearer token" });
    const { status } = review("TokenReview", { token: "t" }, { reviewToken });
    expect(status).toEqual({ user: {}, error: "invalid bearer token" });
  });

  it("needs a token", () => {
    expect(refusal(() => review("TokenReview", {}))).toEqual([
      "token is required for TokenReview in authentication",
    ]);
  });
});
