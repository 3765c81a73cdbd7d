// Objects of extreme shapes: long, wide and deep ones, and changes of them.
import type { ServerAccess } from "../client/server-access.ts";
import { type CustomKind, customKind, install, objectOf } from "./custom-kind.ts";
import { BODY_BYTES, filled, inTurn, listOf, must, type RawRequest, type Stall } from "./stall.ts";

const DEFAULT = "/api/v1/namespaces/default";
const PODS = `${DEFAULT}/pods`;
const CONFIG_MAPS = `${DEFAULT}/configmaps`;
const MERGE = "application/merge-patch+json";
const STRATEGIC = "application/strategic-merge-patch+json";
const JSON_PATCH = "application/json-patch+json";
const APPLY = "application/apply-patch+yaml";

/** Any content below spec. */
const FREE: CustomKind = customKind(
  "frees",
  { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  [{ name: "items", type: "string", jsonPath: ".spec.items[*].a" }],
);
/** A map list with the name as its key. */
const KEYED: CustomKind = customKind("keyeds", {
  type: "object",
  properties: {
    items: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string" }, value: { type: "string" } },
      },
    },
  },
});
const TYPED: CustomKind = customKind("typeds", { type: "array", items: { type: "string" } });

const env = (count: number, value: string) => listOf(count, (index) => ({ name: `V${index}`, value }));
const pod = (name: string, entries: readonly object[]) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers: [{ name: "c", image: "i", env: entries }] },
});

export const OBJECT_STALLS: readonly Stall[] = [
  {
    id: "object/pod-diff",
    what: "a refused change of 20,000 variables of a Pod",
    answers: [413, 422, 500],
    arm: async (access) => {
      await post(access, PODS, pod("diff", env(20_000, "a")));
      const body = JSON.stringify({ spec: { containers: [{ name: "c", env: env(20_000, "b") }] } });
      return inTurn(access, [{ method: "PATCH", path: `${PODS}/diff`, type: STRATEGIC, body }]);
    },
  },
  {
    id: "object/strategic",
    what: "a strategic merge that reverses 40,000 items",
    answers: [200, 413, 422, 500],
    arm: async (access) => {
      const ports = listOf(40_000, (index) => ({ name: `V${index}` }));
      await post(access, PODS, pod("strategic", ports));
      const $setElementOrder = ports.toReversed();
      const body = JSON.stringify({
        spec: {
          containers: [{ name: "c", "$setElementOrder/env": $setElementOrder, env: $setElementOrder }],
        },
      });
      return inTurn(access, [{ method: "PATCH", path: `${PODS}/strategic`, type: STRATEGIC, body }]);
    },
  },
  {
    id: "object/attachments",
    what: "10,000 attachments of a network of 400 KB",
    answers: [201],
    arm: async (access) => {
      const config = JSON.stringify({
        cniVersion: "0.3.1",
        type: "macvlan",
        ipam: { type: "whereabouts", range: "10.9.0.0/16", filler: filled("x", 400_000) },
      });
      const network = { apiVersion: "k8s.cni.cncf.io/v1", kind: "NetworkAttachmentDefinition" };
      const networks = "/apis/k8s.cni.cncf.io/v1/namespaces/default/network-attachment-definitions";
      await post(access, networks, { ...network, metadata: { name: "wide" }, spec: { config } });
      const annotations = { "k8s.v1.cni.cncf.io/networks": listOf(10_000, () => "wide").join(",") };
      const metadata = { name: "attached", annotations };
      const body = JSON.stringify({ ...pod("attached", []), metadata });
      return inTurn(access, [{ method: "POST", path: PODS, body }]);
    },
  },
  {
    id: "object/grows",
    what: "twenty merge patches of 2.9 MB that make one object grow",
    answers: [200, 500],
    arm: async (access) => {
      await install(access, FREE);
      await post(access, FREE.path, JSON.parse(objectOf(FREE, "grows", {})));
      const text = filled("x", 2_900_000);
      const patches = listOf(20, (index): RawRequest => {
        const body = JSON.stringify({ spec: { [`part${index}`]: text } });
        return { method: "PATCH", path: `${FREE.path}/grows`, type: MERGE, body };
      });
      return inTurn(access, patches);
    },
  },
  {
    id: "object/deep",
    what: "5,000 levels, created and read in every form",
    answers: [200, 201, 406],
    arm: async (access) => {
      await install(access, FREE);
      const deep = `${filled('{"a":', 25_000)}1${"}".repeat(5000)}`;
      const body = objectOf(FREE, "deep", "SPEC").replace('"SPEC"', deep);
      const reads = ["application/yaml", "application/json", TABLE].map((accept) => ({ accept }));
      return inTurn(access, [
        { method: "POST", path: FREE.path, body },
        ...reads.map(({ accept }) => ({ method: "GET", path: FREE.path, accept })),
        { method: "PATCH", path: `${FREE.path}/deep`, type: MERGE, body: '{"spec":{"b":1}}' },
        { method: "GET", path: "/egret/v1/export" },
        { method: "DELETE", path: `${FREE.path}/deep` },
      ]);
    },
  },
  {
    id: "object/labels",
    what: "100,000 bad labels",
    answers: [413, 422],
    arm: async (access) => {
      const labels = Object.fromEntries(listOf(100_000, (index) => [`-bad-${index}`, "-"]));
      const body = JSON.stringify({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "labels", labels },
      });
      return inTurn(access, [{ method: "POST", path: CONFIG_MAPS, body }]);
    },
  },
  {
    id: "object/wrong-types",
    what: "200,000 items of a wrong type",
    answers: [413, 422],
    arm: async (access) => {
      await install(access, TYPED);
      const items = listOf(200_000, (index) => index);
      return inTurn(access, [{ method: "POST", path: TYPED.path, body: objectOf(TYPED, "wrong", items) }]);
    },
  },
  {
    id: "object/column",
    what: "a Table with a column of 150,000 values",
    answers: [200, 201],
    arm: async (access) => {
      await install(access, FREE);
      const items = listOf(150_000, () => ({ a: 1 }));
      const body = objectOf(FREE, "column", { items });
      return inTurn(access, [
        { method: "POST", path: FREE.path, body },
        { method: "GET", path: FREE.path, accept: TABLE },
        { method: "DELETE", path: `${FREE.path}/column` },
      ]);
    },
  },
  {
    id: "object/applied",
    what: "30,000 items applied by two managers",
    answers: [200, 201, 409, 413, 422, 500],
    arm: async (access) => {
      await install(access, KEYED);
      const items = (value: string) => listOf(12_000, (index) => ({ name: `item-${index}`, value }));
      const apply = (manager: string, value: string): RawRequest => ({
        method: "PATCH",
        path: `${KEYED.path}/applied?fieldManager=${manager}&force=true`,
        type: APPLY,
        body: objectOf(KEYED, "applied", { items: items(value) }),
      });
      return inTurn(access, [apply("one", "a"), apply("two", "a"), apply("one", "b"), apply("two", "c")]);
    },
  },
  {
    id: "object/applied-wide",
    what: "200,000 fields applied to a ConfigMap, and patched into one",
    answers: [200, 201, 413, 422, 500],
    arm: async (access) => {
      const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "applied-wide" } };
      await post(access, CONFIG_MAPS, map);
      const data = Object.fromEntries(listOf(200_000, (index) => [`k${index}`, "v"]));
      const path = `${CONFIG_MAPS}/applied-wide`;
      const apply = { method: "PATCH", path: `${path}?fieldManager=one`, type: APPLY };
      return inTurn(access, [
        { ...apply, body: JSON.stringify({ ...map, data }) },
        { method: "PATCH", path, type: STRATEGIC, body: JSON.stringify({ data }) },
        { method: "PATCH", path, type: MERGE, body: JSON.stringify({ data }) },
      ]);
    },
  },
  {
    id: "object/duplicates",
    what: "50,000 items with the same key",
    answers: [413, 422, 500],
    arm: async (access) => {
      await install(access, KEYED);
      const items = listOf(50_000, () => ({ name: "same" }));
      return inTurn(access, [{ method: "POST", path: KEYED.path, body: objectOf(KEYED, "same", { items }) }]);
    },
  },
  {
    id: "object/json-patch",
    what: "10,000 operations on a list of 40,000 items",
    answers: [200, 413, 422, 500],
    arm: async (access) => {
      await install(access, FREE);
      const items = listOf(40_000, (index) => index);
      await post(access, FREE.path, JSON.parse(objectOf(FREE, "patched", { items })));
      const operations = listOf(10_000, () => ({ op: "move", from: "/spec/items/0", path: "/spec/items/-" }));
      const body = JSON.stringify(operations);
      return inTurn(access, [{ method: "PATCH", path: `${FREE.path}/patched`, type: JSON_PATCH, body }]);
    },
  },
  {
    id: "object/json-copies",
    what: "a JSON patch that doubles a value again and again",
    answers: [400, 413, 422, 500],
    arm: async (access) => {
      await post(access, CONFIG_MAPS, {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "copies" },
        data: { a: "b" },
      });
      const doubling = [
        { op: "copy", from: "/data", path: "/data/x" },
        { op: "copy", from: "/data/x", path: "/data/y" },
      ];
      const operations = listOf(40, () => doubling).flat();
      const body = JSON.stringify(operations);
      return inTurn(access, [{ method: "PATCH", path: `${CONFIG_MAPS}/copies`, type: JSON_PATCH, body }]);
    },
  },
  {
    id: "object/json-keys",
    what: "JSON with one key again and again",
    answers: [201, 400, 422],
    arm: async (access) => {
      const body = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"keys"},"data":{${filled('"a":"b",')}"a":"b"}}`;
      const strict = `${CONFIG_MAPS}?fieldValidation=Strict`;
      return inTurn(access, [
        { method: "POST", path: strict, body },
        { method: "POST", path: `${CONFIG_MAPS}?dryRun=All`, body },
      ]);
    },
  },
  {
    id: "object/unknown-fields",
    what: "200,000 unknown fields",
    answers: [201, 400, 413, 422, 500],
    arm: async (access) => {
      await install(access, TYPED);
      const fields = listOf(200_000, (index) => `"u${index}":1`).join(",");
      const body = `{"apiVersion":"${TYPED.apiVersion}","kind":"${TYPED.kind}","metadata":{"name":"u"},${fields}}`;
      return inTurn(access, [
        { method: "POST", path: `${TYPED.path}?fieldValidation=Strict`, body },
        { method: "POST", path: `${TYPED.path}?fieldValidation=Warn&dryRun=All`, body },
      ]);
    },
  },
  {
    id: "object/quantity",
    what: "a quantity of 2,900,000 zeros, and one letter more",
    answers: [400],
    arm: async (access) => {
      const requests = { cpu: `${"0".repeat(2_900_000)}!` };
      const spec = { containers: [{ name: "c", image: "i", resources: { requests } }] };
      const body = JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: "quantity" }, spec });
      return inTurn(access, [{ method: "POST", path: "/api/v1/namespaces/default/pods", body }]);
    },
  },
  {
    id: "object/base64",
    what: "2.9 MB of base64: well-formed, on lines, with a mistake at the end",
    answers: [400, 422],
    arm: async (access) => {
      const wellFormed = Buffer.alloc(2_140_000, 1).toString("base64");
      const texts = [wellFormed, wellFormed.replaceAll(/.{76}/g, "$&\n"), `${wellFormed.slice(0, -3)}A=A`];
      const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "base64" } };
      const bodies = texts.map((text) => JSON.stringify({ ...secret, data: { text } }));
      return inTurn(
        access,
        bodies.map((body) => ({ method: "POST", path: `${DEFAULT}/secrets`, body })),
      );
    },
  },
  {
    id: "object/wide",
    what: "a ConfigMap of 3 MB",
    answers: [413, 422, 500],
    arm: async (access) => {
      const data = Object.fromEntries(listOf(150_000, (index) => [`key-${index}`, "v"]));
      const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "wide" }, data });
      if (body.length > BODY_BYTES + 100_000) throw new Error("the body is too large");
      return inTurn(access, [{ method: "POST", path: CONFIG_MAPS, body }]);
    },
  },
];

export const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

async function post(access: ServerAccess, path: string, object: unknown): Promise<void> {
  await must(access, { method: "POST", path, body: JSON.stringify(object) }, [201, 409]);
}
