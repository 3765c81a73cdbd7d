// The requests of the informers of a kube-controller-manager with all its controllers, in protobuf: each list in pages,
// each watch from its revision, each list as a watch, and metadata only, as the garbage collector and quota use it.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isObject } from "../../../../src/apimachinery/json/json.ts";
import { createServer, type Server } from "../../../../src/server/server.ts";
import { Target } from "../../../conformance/runner/target.ts";
import { fillHoles } from "../../../conformance/runner/template.ts";
import { collectionPath, type ServedKind, servedKinds } from "../../../fuzz/served-api.ts";
import { validObject } from "../../../fuzz/valid-object.ts";
import { MEMORY_SERVER } from "../../../support/memory-server.ts";
import { Messages } from "./messages.ts";

/** The resources of which controllers of v1.36 have informers, by the names of its RBAC rules. */
const INFORMED: Readonly<Record<string, readonly string[]>> = {
  "": [
    ...[
      "configmaps",
      "endpoints",
      "limitranges",
      "namespaces",
      "nodes",
      "persistentvolumeclaims",
      "persistentvolumes",
    ],
    ...[
      "pods",
      "podtemplates",
      "replicationcontrollers",
      "resourcequotas",
      "secrets",
      "serviceaccounts",
      "services",
    ],
  ],
  "admissionregistration.k8s.io": ["validatingadmissionpolicies", "validatingadmissionpolicybindings"],
  "apiextensions.k8s.io": ["customresourcedefinitions"],
  "apiregistration.k8s.io": ["apiservices"],
  apps: ["controllerrevisions", "daemonsets", "deployments", "replicasets", "statefulsets"],
  autoscaling: ["horizontalpodautoscalers"],
  batch: ["cronjobs", "jobs"],
  "certificates.k8s.io": ["certificatesigningrequests"],
  "coordination.k8s.io": ["leases"],
  "discovery.k8s.io": ["endpointslices"],
  "flowcontrol.apiserver.k8s.io": ["flowschemas", "prioritylevelconfigurations"],
  "networking.k8s.io": ["ingressclasses", "ingresses", "ipaddresses", "networkpolicies", "servicecidrs"],
  "node.k8s.io": ["runtimeclasses"],
  policy: ["poddisruptionbudgets"],
  "rbac.authorization.k8s.io": ["clusterrolebindings", "clusterroles", "rolebindings", "roles"],
  "resource.k8s.io": ["deviceclasses", "resourceclaims", "resourceclaimtemplates", "resourceslices"],
  "scheduling.k8s.io": ["priorityclasses"],
  "storage.k8s.io": [
    ...["csidrivers", "csinodes", "csistoragecapacities", "storageclasses", "volumeattachments"],
    "volumeattributesclasses",
  ],
};

const messages = new Messages(`
message ObjectMeta { optional string name = 1; optional string resourceVersion = 6; map<string, string> annotations = 12; }
message Item { optional ObjectMeta metadata = 1; }
message ListMeta { optional string resourceVersion = 2; optional string continue = 3; }
message List { optional ListMeta metadata = 1; repeated Item items = 2; }
`);
const PROTOBUF = "application/vnd.kubernetes.protobuf";

interface Item {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
}
interface List {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items?: readonly Item[];
}

let server: Server;
let target: Target;
let kinds: ServedKind[];
beforeAll(async () => {
  server = await createServer(MEMORY_SERVER);
  target = new Target(server.url);
  kinds = (await servedKinds(target)).filter(({ verbs }) => verbs.has("watch"));
});
afterAll(async () => {
  target.close();
  await server.close();
});

/** The whole list, page by page. */
async function listed(
  path: string,
  accept: string,
): Promise<{ kind: string; names: string[]; version: string }> {
  const names: string[] = [];
  for (let query = "limit=2&resourceVersion=0"; ; ) {
    const { bytes, status, headers } = await target.send({ path: `${path}?${query}`, headers: { accept } });
    expect([status, headers["content-type"]], path).toEqual([200, PROTOBUF]);
    const { kind, value } = messages.open<List>(bytes, "List");
    names.push(...(value.items ?? []).map(({ metadata }) => metadata.name));
    const { continue: token, resourceVersion: version } = value.metadata;
    if (!token) return { kind, names, version };
    query = `limit=2&continue=${encodeURIComponent(token)}`;
  }
}

/** The events up to the awaited one. */
async function watched(path: string, accept: string, isLast: (type: string, item: Item) => boolean) {
  const { body, headers } = await fetch(server.url + path, { headers: { accept } });
  expect(headers.get("content-type"), path).toContain(PROTOBUF);
  const seen: { type: string; name: string }[] = [];
  for await (const { type, value } of messages.events<Item>(body, "Item")) {
    seen.push({ type, name: value.metadata.name });
    if (isLast(type, value)) return seen;
  }
  throw new Error(`the watch ${path} has ended`);
}

const isEndOfInitial = (type: string, { metadata }: Item): boolean =>
  type === "BOOKMARK" && metadata.annotations?.["k8s.io/initial-events-end"] === "true";

test("every kind that a controller has an informer of is served with lists and watches", () => {
  const served = new Set(kinds.map(({ group, resource }) => `${resource}.${group}`));
  const wanted = Object.entries(INFORMED).flatMap(([group, resources]) =>
    resources.map((one) => `${one}.${group}`),
  );
  expect(wanted.filter((one) => !served.has(one))).toEqual([]);
});

describe.each(Object.keys(INFORMED))("the informers of group %j", (group) => {
  /** In the preferred version. */
  const each = (): ServedKind[] =>
    (INFORMED[group] ?? []).flatMap(
      (resource) => kinds.find((kind) => kind.group === group && kind.resource === resource) ?? [],
    );

  test("list in pages, and watch from there", async () => {
    for (const kind of each()) {
      const { made, all } = await withAnObject(kind);
      const { kind: listKind, names, version } = await listed(all, PROTOBUF);
      expect(listKind).toBe(`${kind.kind}List`);
      expect(names).toContain(made);
      const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${version}&timeoutSeconds=60`;
      const events = watched(`${all}?${query}`, `${PROTOBUF};stream=watch`, (type) => type === "MODIFIED");
      await touch(kind, made);
      expect(await events).toContainEqual({ type: "MODIFIED", name: made });
    }
  });

  test("list by a watch that begins with what there is", async () => {
    const query =
      "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=60";
    for (const kind of each()) {
      const { made, all } = await withAnObject(kind);
      const events = await watched(`${all}?${query}`, `${PROTOBUF};stream=watch`, isEndOfInitial);
      expect(events).toContainEqual({ type: "ADDED", name: made });
    }
  });

  test("ask for the metadata alone", async () => {
    const as = (kind: string) => `${PROTOBUF};as=${kind};g=meta.k8s.io;v=v1`;
    for (const kind of each()) {
      const { made, all } = await withAnObject(kind);
      const { kind: listKind, names } = await listed(all, as("PartialObjectMetadataList"));
      expect(listKind).toBe("PartialObjectMetadataList");
      expect(names).toContain(made);
    }
  });
});

const KNOWN = { ns: "default", id: "seen" };

/** Creates its fixture unless it exists. */
async function withAnObject(kind: ServedKind): Promise<{ readonly made: string; readonly all: string }> {
  const body = fillHoles(validObject(kind), KNOWN);
  const made = isObject(body["metadata"]) ? String(body["metadata"]["name"]) : "";
  const path = collectionPath(kind, "default");
  if ((await target.send({ path: `${path}/${made}` })).status === 404) {
    const { status, raw } = await target.send({ method: "POST", path, body });
    expect(status, raw).toBe(201);
  }
  return { made, all: collectionPath({ ...kind, namespaced: false }, "") };
}

async function touch(kind: ServedKind, name: string): Promise<void> {
  const headers = { "content-type": "application/merge-patch+json" };
  const body = { metadata: { annotations: { touched: "yes" } } };
  const path = `${collectionPath(kind, "default")}/${name}`;
  const { status, raw } = await target.send({ method: "PATCH", path, headers, body });
  expect(status, raw).toBe(200);
}
