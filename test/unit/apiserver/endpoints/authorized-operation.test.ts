// The authorized attributes and the executed operation are the same, for any method on any form of a path: an authorizer
// that allows everything records what was authorized, a ResourceStore records what the handlers did.
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import { alwaysAllow } from "../../../../src/apiserver/authorization/access-check.ts";
import { discardBody } from "../../../../src/apiserver/endpoints/api-request.ts";
import type {
  AccessAttributes,
  ResourceAttributes,
} from "../../../../src/apiserver/registry/definition/request-context.ts";
import type {
  ObjectAddress,
  ResourceView,
} from "../../../../src/apiserver/registry/definition/resource-definition.ts";
import type { Write } from "../../../../src/apiserver/registry/write/change.ts";
import { runs } from "../../../support/fuzz-runs.ts";
import { APPLY_PATCH, crdOf, MERGE_PATCH, request, TestApi, thing, versionWith } from "./support.ts";

interface Operation {
  readonly verb: "read" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "modify";
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  /** "" where it is not known, or of a collection. */
  readonly name: string;
  readonly subresource: string;
}

const authorized: AccessAttributes[] = [];
const executed: Operation[] = [];
let api: TestApi;

beforeAll(async () => {
  api = await TestApi.open({
    authorizer: {
      ...alwaysAllow,
      authorize(attributes) {
        authorized.push(attributes);
        return { allowed: true, reason: "" };
      },
    },
  });
  const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
  const spec = { type: "object", properties: { replicas: { type: "integer" } } };
  await api.serve(crdOf([versionWith(spec, { subresources: { status: {}, scale } })]));
  await api.serve(crdOf([versionWith(spec)], { kind: "Star", scope: "Cluster" }));
  record();
});
afterAll(() => api?.[Symbol.asyncDispose]());

function record(): void {
  const { resources } = api;
  const at = (verb: Operation["verb"], { view, namespace, name }: ObjectAddress, subresource = "") => {
    executed.push({ verb, ...kindOf(view), namespace, name, subresource });
  };
  const write =
    (verb: Operation["verb"]) =>
    ({ address, subresource }: Write) =>
      at(verb, address, subresource);
  const collection =
    (verb: Operation["verb"]) =>
    (view: ResourceView, { namespace }: { readonly namespace: string }) =>
      at(verb, { view, namespace, name: "" });
  const single = (verb: Operation["verb"]) => (address: ObjectAddress) => at(verb, address);
  Object.assign(resources, {
    find: noted(single("read"), resources.find.bind(resources)),
    list: noted(collection("list"), resources.list.bind(resources)),
    watchReady: noted(collection("watch"), resources.watchReady.bind(resources)),
    create: noted(({ view, namespace }) => at("create", { view, namespace, name: "" }), resources.create),
    update: noted(write("update"), resources.update),
    patch: noted(write("patch"), resources.patch),
    apply: noted(write("patch"), resources.apply),
    delete: noted(single("delete"), resources.delete.bind(resources)),
    deleteOfCollection: noted(single("delete"), resources.deleteOfCollection.bind(resources)),
    deleteAdmitted: noted(single("delete"), resources.deleteAdmitted.bind(resources)),
    modify: noted(single("modify"), resources.modify.bind(resources)),
  });
}

/** The function, which notes its arguments first. */
const noted =
  <F extends (...given: never[]) => unknown>(note: (...given: Parameters<F>) => void, run: F) =>
  (...given: Parameters<F>): unknown => {
    note(...given);
    return run(...given);
  };

const kindOf = ({ definition: { group, resource } }: ResourceView) => ({ group, resource });

/** Which operations an authorized verb allows. */
const ALLOWED: Readonly<Record<string, readonly Operation["verb"][]>> = {
  get: ["read"],
  list: ["list"],
  watch: ["watch"],
  create: ["create"],
  update: ["read", "update"],
  patch: ["read", "patch"],
  delete: ["read", "delete"],
  deletecollection: ["list", "delete"],
};
const CONNECTIONS = ["log", "proxy"];
const WRITES = ["create", "update", "patch", "delete", "deletecollection"];

function isAllowed(operation: Operation, asked: ResourceAttributes): boolean {
  // An action below an object (an eviction, a binding, a token) changes that object; any method reads it to connect.
  const isAction = asked.verb === "create" && asked.subresource !== "";
  const connects = operation.verb === "read" && CONNECTIONS.includes(asked.subresource);
  if (!isAction && !connects && ALLOWED[asked.verb]?.includes(operation.verb) !== true) return false;
  if (operation.group !== asked.group || operation.resource !== asked.resource) return false;
  // A Namespace belongs to itself, and is stored in none; a subresource is named by writes alone.
  const isNamespace = asked.group === "" && asked.resource === "namespaces";
  if (isNamespace && asked.namespace !== asked.name && operation.name !== "") return false;
  const namespace = isNamespace ? "" : asked.namespace;
  const isEverywhere = asked.verb === "deletecollection" && asked.namespace === "";
  if (operation.namespace !== namespace && !isEverywhere) return false;
  if (operation.subresource !== "" && operation.subresource !== asked.subresource) return false;
  const isWrite = ["update", "patch"].includes(operation.verb);
  if (isWrite && operation.subresource !== asked.subresource) return false;
  return operation.name === "" || asked.name === operation.name || asked.verb === "deletecollection";
}

type Kind = readonly [prefix: string, resource: string, isNamespaced: boolean, body: JsonObject];
const KINDS: readonly Kind[] = [
  ["/api/v1", "configmaps", true, { apiVersion: "v1", kind: "ConfigMap" }],
  ["/api/v1", "namespaces", false, { apiVersion: "v1", kind: "Namespace" }],
  ["/api/v1", "nodes", false, { apiVersion: "v1", kind: "Node" }],
  ["/api/v1", "serviceaccounts", true, { apiVersion: "v1", kind: "ServiceAccount" }],
  ["/api/v1", "componentstatuses", false, { apiVersion: "v1", kind: "ComponentStatus" }],
  [
    "/api/v1",
    "pods",
    true,
    { apiVersion: "v1", kind: "Pod", spec: { containers: [{ name: "c", image: "c" }] } },
  ],
  ["/apis/coordination.k8s.io/v1", "leases", true, { apiVersion: "coordination.k8s.io/v1", kind: "Lease" }],
  [
    "/apis/authorization.k8s.io/v1",
    "selfsubjectrulesreviews",
    false,
    { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectRulesReview", spec: { namespace: "default" } },
  ],
  ["/apis/example.com/v1", "things", true, thing("x", { spec: { replicas: 1 } })],
  ["/apis/example.com/v1", "stars", false, { apiVersion: "example.com/v1", kind: "Star" }],
];
const SUBRESOURCES = [
  "",
  "",
  "",
  "status",
  "scale",
  "finalize",
  "eviction",
  "binding",
  "token",
  "log",
  "proxy",
];

interface Drawn {
  readonly method: string;
  readonly kind: Kind;
  readonly prefix: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly subresource: string;
  readonly tail: string;
  readonly front: string;
  readonly query: string;
  readonly applies: boolean;
  readonly bodyName: string | undefined;
  readonly impersonates: boolean;
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  method: fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "PATCH", "DELETE", "OPTIONS"),
  kind: fc.constantFrom(...KINDS),
  prefix: fc.constantFrom("", "", "", "", "", "/watch", "/watch", "/proxy", "/watch/watch"),
  namespace: fc.constantFrom(undefined, "default", "default", ""),
  name: fc.constantFrom("", "", "x", "x", "x", "y", "default", "status"),
  subresource: fc.constantFrom(...SUBRESOURCES),
  tail: fc.constantFrom("", "", "/", "/x"),
  front: fc.constantFrom("", "", "", "/"),
  query: fc.constantFrom(
    ...["", "", "?watch=1", "?watch=", "?dryRun=All", "?fieldSelector=metadata.name%3Dx"],
    ...["?fieldSelector=metadata.name%3Dx&watch=1", "?fieldSelector=metadata.name%3Dx&limit=x"],
  ),
  applies: fc.boolean(),
  bodyName: fc.constantFrom("x", "y", undefined),
  impersonates: fc.boolean(),
});

function requestOf({ method, kind, name, bodyName, applies, impersonates, ...url }: Drawn) {
  const [prefix, resource, isNamespaced, body] = kind;
  const place = url.namespace === undefined || !isNamespaced ? "" : `/namespaces/${url.namespace}`;
  const below = name === "" && url.subresource === "" ? "" : `/${name}`;
  const subresource = url.subresource === "" ? "" : `/${url.subresource}`;
  const path = `${url.front}${prefix}${url.prefix}${place}/${resource}${below}${subresource}${url.tail}`;
  const metadata = bodyName === undefined ? { generateName: "g-" } : { name: bodyName };
  const patchType = applies ? APPLY_PATCH : MERGE_PATCH;
  const query =
    applies && method === "PATCH" ? `${url.query}${url.query ? "&" : "?"}fieldManager=m` : url.query;
  const asked = request(method, path + query, {
    ...(["GET", "HEAD", "DELETE"].includes(method) ? {} : { body: { ...body, metadata } }),
    headers: { accept: "application/json", ...(method === "PATCH" ? { "content-type": patchType } : {}) },
  });
  return impersonates ? { ...asked, impersonate: { name: "bob", uid: "", groups: [], extra: {} } } : asked;
}

/** Requests of which each verb executes something. */
function examples(): [Drawn][] {
  const kind = KINDS[0] as Kind;
  const url = { prefix: "", namespace: "default", subresource: "", tail: "", front: "" };
  const plain = { ...url, kind, query: "", applies: false, bodyName: "x", impersonates: true };
  const collection = ["GET", "POST", "DELETE"].map((method) => ({ ...plain, method, name: "" }));
  const single = ["GET", "PUT", "PATCH", "DELETE"].map((method) => ({ ...plain, method, name: "x" }));
  const watch = { ...plain, method: "GET", name: "", query: "?watch=1" };
  return [...collection, ...single, watch].map((drawn) => [drawn]);
}

/** Most operations need an object to change. */
async function makeMissing([prefix, resource, isNamespaced, body]: Kind): Promise<void> {
  const place = isNamespaced ? "/namespaces/default" : "";
  await api.post(`${prefix}${place}/${resource}`, { ...body, metadata: { name: "x" } });
}

/** Verbs of which something was executed: the property is not empty. */
const seen = new Set<string>();

test("what is executed is what was authorized", async () => {
  await fc.assert(
    fc.asyncProperty(drawn, async (given) => {
      const asked = requestOf(given);
      await makeMissing(given.kind);
      authorized.length = executed.length = 0;
      const before = api.store.revision;
      await discardBody(await api.api.handle(asked));
      const ofRequest = authorized.filter(({ verb }) => !verb.startsWith("impersonate"));
      const [first] = ofRequest;
      if (first === undefined || first.type === "path") {
        expect({ executed, revision: api.store.revision }).toEqual({ executed: [], revision: before });
        return;
      }
      for (const operation of executed) seen.add(`${first.verb}: ${operation.verb}`);
      for (const operation of executed)
        expect(isAllowed(operation, first), JSON.stringify({ given, operation, first })).toBe(true);
      if (!WRITES.includes(first.verb)) expect(api.store.revision).toBe(before);
      // The impersonator needs the same operation, and a create by PUT or apply the same object.
      for (const { verb, ...attributes } of authorized) {
        if (verb.startsWith("impersonate-on:")) {
          const { verb: real, user: _bob, ...same } = first;
          expect(verb.endsWith(`:${real}`)).toBe(true);
          expect(attributes).toMatchObject(same);
        }
      }
      for (const further of ofRequest.slice(1)) {
        if (further.type === "path") throw new Error(`a path was authorized: ${further.path}`);
        expect(further).toEqual({ ...first, verb: "create", name: further.name });
        expect([first.name, ""]).toContain(further.name);
      }
    }),
    { ...runs(1200), examples: examples() },
  );
  expect(api.internalErrors).toEqual([]);
  for (const [verb, operations] of Object.entries(ALLOWED))
    expect([...seen], verb).toContain(`${verb}: ${operations.at(-1)}`);
});
