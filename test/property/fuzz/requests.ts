// Almost valid requests: the paths, queries, headers and bodies of the API, with hostile values in them.
import fc from "fast-check";
import { BUILT_IN_RESOURCES } from "../../../src/kube/index.ts";
import { validFixture } from "../../support/fixtures.ts";
import { hostileJson, hostileText, mutate, mutation } from "./hostile-values.ts";

export interface FuzzRequest {
  readonly method: string;
  /** The path with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

interface Target {
  readonly base: string;
  readonly resource: string;
  readonly namespaced: boolean;
  /** A valid object of the kind. */
  readonly valid: Readonly<Record<string, unknown>>;
}

const EGRESS_IP = {
  apiVersion: "k8s.ovn.org/v1",
  kind: "EgressIP",
  metadata: { name: "a", labels: { a: "b" } },
  spec: { egressIPs: ["10.0.0.1"], namespaceSelector: { matchLabels: { a: "b" } } },
};
const EGRESS_FIREWALL = {
  apiVersion: "k8s.ovn.org/v1",
  kind: "EgressFirewall",
  metadata: { name: "default" },
  spec: {
    egress: [{ type: "Allow", to: { cidrSelector: "1.2.3.0/24" }, ports: [{ port: 80, protocol: "TCP" }] }],
  },
};

const PATTERNS = ["^a$", "(a+)+$", "(?=a)", "[", "a{1000000}", "\\\\p{L}"];
const RULES = [
  "self.size() > 0",
  "self.all(x, self.all(y, x == y))",
  "self.a.b.c",
  "((((",
  "'x' * 3",
  "oldSelf == self",
];

/** CRDs whose patterns and rules are expensive or invalid. */
const DEFINITIONS: readonly Target[] = PATTERNS.map((pattern, index) => ({
  base: "/apis/apiextensions.k8s.io/v1",
  resource: "customresourcedefinitions",
  namespaced: false,
  valid: {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.fuzz.example.com" },
    spec: {
      group: "fuzz.example.com",
      scope: "Cluster",
      names: { plural: "things", kind: "Thing" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: thingSchema(pattern, RULES[index]) },
        },
      ],
    },
  },
}));

function thingSchema(pattern: string, rule: string | undefined) {
  const text = { type: "string", pattern, default: "a" };
  const list = { type: "array", items: text, "x-kubernetes-validations": [{ rule, message: "m" }] };
  return { type: "object", properties: { text, list, map: { type: "object", additionalProperties: text } } };
}

const THING = {
  apiVersion: "fuzz.example.com/v1",
  kind: "Thing",
  metadata: { name: "a" },
  text: `${"a".repeat(40)}!`,
  list: ["a", "b"],
  map: { a: "b" },
};

const TARGETS: readonly Target[] = [
  ...DEFINITIONS,
  { base: "/apis/fuzz.example.com/v1", resource: "things", namespaced: false, valid: THING },
  { base: "/apis/fuzz.example.com/v1", resource: "things", namespaced: false, valid: THING },
  ...BUILT_IN_RESOURCES.flatMap(({ group, resource, kind, namespaceScoped: namespaced, versions }) =>
    versions.map(({ name: version }): Target => {
      const base = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
      return { base, resource, namespaced, valid: validObject(group, version, kind) };
    }),
  ),
  { base: "/apis/k8s.ovn.org/v1", resource: "egressips", namespaced: false, valid: EGRESS_IP },
  { base: "/apis/k8s.ovn.org/v1", resource: "egressfirewalls", namespaced: true, valid: EGRESS_FIREWALL },
];

function validObject(group: string, version: string, kind: string): Target["valid"] {
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return { apiVersion, kind, ...(validFixture(group, version, kind) ?? { metadata: { name: "a" } }) };
}

const NAMES = ["a", "b", "default", "kubernetes", "kube-system"];
const SUBRESOURCES = ["status", "scale", "token", "eviction", "binding", "finalize", "log", "proxy"];
const METHODS = ["GET", "GET", "POST", "POST", "PUT", "PATCH", "PATCH", "DELETE", "HEAD", "OPTIONS"];
const OTHER_PATHS = [
  "/",
  "/api",
  "/apis",
  "/version",
  "/healthz",
  "/readyz/ping",
  "/metrics",
  "/openapi/v2",
  "/openapi/v3",
  "/openapi/v3/api/v1",
  "/apis/k8s.ovn.org",
  "/apis/k8s.ovn.org/v1",
  "/api/v1",
];

/** Escaped once, twice, or verbatim where a URL may contain the text. */
const hostileSegment = fc.tuple(hostileText, fc.constantFrom("once", "twice", "bare")).map(([text, how]) => {
  const once = escapeText(text);
  if (how === "bare" && /^[!-~]*$/.test(text)) return text.replaceAll("?", "%3F").replaceAll("#", "%23");
  return how === "twice" ? encodeURIComponent(once) : once;
});

function escapeText(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
}

const usually = <T>(common: fc.Arbitrary<T>, rare: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 12, arbitrary: common }, { weight: 1, arbitrary: rare });
const seldom = <T>(rare: fc.Arbitrary<T>, common: T): fc.Arbitrary<T> =>
  fc.oneof({ weight: 30, arbitrary: fc.constant(common) }, { weight: 1, arbitrary: rare });

const segment = (...words: readonly string[]) => usually(fc.constantFrom(...words), hostileSegment);

/** A create has no name in its path; every other method mostly has one. */
const nameFor = (method: string): fc.Arbitrary<string | undefined> => {
  const [named, unnamed] = [segment("a", "a", "a", ...NAMES), fc.constant(undefined)];
  if (method === "POST") return usually<string | undefined>(unnamed, named);
  return method === "GET" ? fc.oneof(named, unnamed) : usually<string | undefined>(named, unnamed);
};

const pathOf = ({ base, resource, namespaced }: Target, method: string): fc.Arbitrary<string> =>
  fc
    .record({
      watch: seldom(fc.constant("/watch"), ""),
      namespace: namespaced ? segment("default", "default", "a") : fc.constant(undefined),
      resource: segment(resource),
      name: nameFor(method),
      subresource: usually<string | undefined>(fc.constant(undefined), segment(...SUBRESOURCES)),
      end: seldom(fc.constantFrom("/", "//", "/..", "/%2e%2e", "/x/y"), ""),
    })
    .map(({ watch, namespace, resource: word, name, subresource, end }) => {
      const place = namespace === undefined ? "" : `/namespaces/${namespace}`;
      const below = name === undefined || subresource === undefined ? "" : `/${subresource}`;
      return `${base}${watch}${place}/${word}${name === undefined ? "" : `/${name}`}${below}${end}`;
    });

const QUERY_VALUES: Readonly<Record<string, readonly string[]>> = {
  labelSelector: ["a=b", "a in (b,c)", "!a", "a notin ()", "a=b,,c"],
  fieldSelector: ["metadata.name=a", "metadata.namespace!=b", "spec.nodeName=", "a\\,b=c", "=,="],
  limit: ["1", "0", "-1", "2147483648"],
  continue: ["abc", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiLi4ifQ"],
  resourceVersion: ["0", "1", "99999999999", "-1", "x"],
  resourceVersionMatch: ["Exact", "NotOlderThan", "x"],
  sendInitialEvents: ["true", "false"],
  allowWatchBookmarks: ["true"],
  timeoutSeconds: ["1", "x", "-5"],
  timeout: ["1s", "1h1m", "x"],
  watch: ["true", "1", "", "false"],
  dryRun: ["All", "Some"],
  fieldManager: ["m", "m".repeat(200)],
  fieldValidation: ["Strict", "Warn", "Ignore", "x"],
  force: ["true", "false"],
  pretty: ["true"],
  includeObject: ["None", "Object", "x"],
  propagationPolicy: ["Orphan", "Foreground", "Background", "x"],
  gracePeriodSeconds: ["0", "30", "-1", "x"],
  orphanDependents: ["true", "x"],
  exclude: ["ping"],
  verbose: [""],
  hash: ["x"],
};

const queryPart = fc
  .constantFrom(...Object.keys(QUERY_VALUES))
  .chain((key) =>
    fc
      .oneof(
        { weight: 3, arbitrary: fc.constantFrom(...(QUERY_VALUES[key] ?? [])).map(encodeURIComponent) },
        { weight: 1, arbitrary: hostileSegment },
      )
      .map((value) => `${key}=${value}`),
  );
const query = fc
  .array(queryPart, { maxLength: 3 })
  .map((parts) => (parts.length > 0 ? `?${parts.join("&")}` : ""));

const ACCEPTS = [
  "application/json",
  "*/*",
  "",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json",
  "application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io",
  "application/cbor",
  "text/html;q=x,;=,",
];
const TYPES = [
  "application/json",
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "text/plain",
  "",
  "application/json;charset=\u00e4",
];
const PATCH_TYPES = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
];

const segmentOf = (common: readonly string[], ...rare: readonly string[]) =>
  usually(fc.constantFrom(...common), fc.constantFrom(...rare));

const headersFor = (method: string) =>
  fc
    .record({
      accept: usually(fc.constant("application/json"), fc.constantFrom(...ACCEPTS)),
      type: method === "PATCH" ? segmentOf(PATCH_TYPES, "x/y") : segmentOf(["application/json"], ...TYPES),
      more: usually(
        fc.constant({}),
        fc.constantFrom<Record<string, string>>(
          { "impersonate-user": "bob", "impersonate-extra-__proto__": "x" },
          { "impersonate-group": "g" },
          { "impersonate-user": "system:serviceaccount:a:b" },
          { authorization: "Bearer eyJ.eyJ.x" },
          { authorization: "Basic x" },
          { "if-none-match": '"x"' },
          { "user-agent": "\u00e4/".repeat(300) },
        ),
      ),
    })
    .map(({ accept, type, more }): Record<string, string> => ({ accept, "content-type": type, ...more }));

const POINTERS = [
  "",
  "/",
  "/metadata",
  "/metadata/labels",
  "/metadata/labels/a~1b",
  "/metadata/__proto__",
  "/__proto__/x",
  "/__proto__/polluted/x",
  "/constructor/prototype/x",
  "/metadata/finalizers/-",
  "/metadata/finalizers/99999999999",
  "/spec",
  "/spec/ports/0",
  "/spec/-1",
  "/status/conditions/0/type",
  "/kind",
  "~2",
];

const jsonPatch = fc
  .array(
    fc.record({
      op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test", "x"),
      path: fc.constantFrom(...POINTERS),
      from: fc.constantFrom(...POINTERS),
      json: hostileJson,
    }),
    { maxLength: 4 },
  )
  .map((operations) => {
    const texts = operations.map(
      ({ op, path, from, json }) =>
        `{"op":"${op}","path":${JSON.stringify(path)},"from":${JSON.stringify(from)},"value":${json}}`,
    );
    return `[${texts.join(",")}]`;
  });

const documentOf = ({ valid }: Target) =>
  fc
    .tuple(
      fc.oneof(fc.constant([]), fc.array(mutation, { minLength: 1, maxLength: 2 })),
      usually(fc.constant(undefined), fc.constantFrom("generateName", "b", "default")),
    )
    .map(([mutations, name]) => {
      const own = (valid["metadata"] ?? {}) as { name?: string };
      const metadata = { ...own, name: name ?? (own.name?.includes(".") ? own.name : "a") };
      return mutate({ ...valid, metadata }, mutations);
    });

const bodyFor = (target: Target, method: string): fc.Arbitrary<FuzzRequest["body"]> => {
  if (method === "GET" || method === "HEAD" || method === "OPTIONS") return fc.constant(undefined);
  const document = documentOf(target);
  return fc.oneof(
    { weight: 8, arbitrary: document },
    { weight: method === "PATCH" ? 6 : 1, arbitrary: jsonPatch },
    { weight: 1, arbitrary: hostileJson },
    { weight: 1, arbitrary: fc.string({ maxLength: 40 }) },
    {
      weight: 1,
      arbitrary: fc
        .uint8Array({ maxLength: 60 })
        .map((bytes) => Buffer.from([0x6b, 0x38, 0x73, 0, ...bytes])),
    },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
};

const requestTo = (target: Target): fc.Arbitrary<FuzzRequest> =>
  fc.constantFrom(...METHODS).chain((method) =>
    fc
      .record({
        path: usually(pathOf(target, method), fc.constantFrom(...OTHER_PATHS)),
        query,
        headers: headersFor(method),
        body: bodyFor(target, method),
      })
      .map(({ path, query: text, headers, body }) => ({ method, path: path + text, headers, body })),
  );

/**
 * CRDs are not deleted as a collection, because few kinds would remain to request. Webhook configurations are excluded,
 * because no webhook server would answer.
 */
const leavesEnough = ({ method, path }: FuzzRequest): boolean =>
  method === "DELETE"
    ? !/customresourcedefinitions\/*(\?|$)/.test(path)
    : method === "GET" || !path.includes("webhookconfigurations");

export const fuzzRequest: fc.Arbitrary<FuzzRequest> = fc
  .constantFrom(...TARGETS)
  .chain(requestTo)
  .filter(leavesEnough);
