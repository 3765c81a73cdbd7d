import { expect, test } from "vitest";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import {
  type ListedKind,
  listKinds,
  type ReadPath,
} from "../../../../../src/features/import/sources/lists.ts";

const PODS: ListedKind = { group: "", version: "v1", resource: "pods", kind: "Pod" };
const EIPS: ListedKind = { group: "k8s.ovn.org", version: "v1", resource: "egressips", kind: "EgressIP" };

const page = (names: readonly string[], token = "") => ({
  status: 200,
  text: JSON.stringify({
    metadata: { continue: token },
    items: names.map((name) => ({ metadata: { name } })),
  }),
});
const refused = (status: number, message = "") => ({ status, text: message && JSON.stringify({ message }) });

/** Returns the answers in sequence; the requested paths are recorded. */
async function list(kinds: readonly ListedKind[], ...answers: Awaited<ReturnType<ReadPath>>[]) {
  const asked: string[] = [];
  const read: ReadPath = async (path) => {
    asked.push(decodeURIComponent(path));
    return answers[asked.length - 1] ?? { status: 500, text: "" };
  };
  const found: string[] = [];
  for await (const item of listKinds(read, kinds)) {
    found.push(
      item.type === "object"
        ? `${item.object.apiVersion} ${item.object.kind} ${item.object.metadata.name}`
        : `${item.origin} ${item.reason}`,
    );
  }
  return { asked, found };
}

test("pages go on to the end, and items bear the kind of their list", async () => {
  expect(await list([PODS, EIPS], page(["a"], "t/1"), page(["b"]), page(["c"]))).toEqual({
    asked: [
      "/api/v1/pods?limit=500",
      "/api/v1/pods?limit=500&continue=t/1",
      "/apis/k8s.ovn.org/v1/egressips?limit=500",
    ],
    found: ["v1 Pod a", "v1 Pod b", "k8s.ovn.org/v1 EgressIP c"],
  });
});

test("a list that expires begins anew, without what the earlier pages had", async () => {
  const { asked, found } = await list(
    [PODS],
    page(["gone"], "1"),
    refused(410),
    page(["a"], "2"),
    page(["b"]),
  );
  expect(found).toEqual(["v1 Pod a", "v1 Pod b"]);
  expect(asked).toEqual(
    [1, 2, 3, 4].map((n) => `/api/v1/pods?limit=500${n % 2 ? "" : `&continue=${n / 2}`}`),
  );
});

test("one that expires again and again is asked for as a whole", async () => {
  const { asked, found } = await list(
    [PODS],
    page([], "1"),
    refused(410),
    page([], "2"),
    refused(410),
    page(["a"]),
  );
  expect({ last: asked.at(-1), found }).toEqual({ last: "/api/v1/pods?", found: ["v1 Pod a"] });
  await expect(list([PODS], ...Array.from({ length: 9 }, () => refused(410)))).rejects.toThrow(
    /expires whenever/,
  );
});

test("a kind that is not served has no objects, one that may not be listed is told of", async () => {
  expect((await list([PODS, EIPS], refused(403), refused(404))).found).toEqual([
    "/api/v1/pods may not be listed",
  ]);
});

test("another refusal ends it, with its message", async () => {
  await expect(list([PODS], refused(401, "Unauthorized"))).rejects.toThrow(/^Unauthorized$/);
  await expect(list([PODS], refused(503))).rejects.toThrow(/a list was answered with 503/);
  await expect(list([PODS], { status: 200, text: "<html>" })).rejects.toThrow(/no JSON/);
});

test("one object alone is asked for by its name", async () => {
  const only = { namespace: "kube-system", name: "kubeadm-config" };
  const { asked } = await list([{ ...PODS, resource: "configmaps", only }], page([]));
  expect(asked).toEqual([
    "/api/v1/namespaces/kube-system/configmaps?fieldSelector=metadata.name=kubeadm-config&limit=500",
  ]);
});

test("of each page only what is to be kept is held", async () => {
  const pages = [page(["a"], "t/1"), page(["b"])];
  const read: ReadPath = async () => pages.shift() ?? { status: 500, text: "" };
  const keep = ({ kind = "", metadata }: KubeObject): KubeObject => ({
    kind,
    metadata: { uid: metadata.name ?? "" },
  });
  const found: unknown[] = [];
  for await (const item of listKinds(read, [PODS], keep)) found.push(item.type === "object" && item.object);
  expect(found).toEqual(["a", "b"].map((uid) => ({ kind: "Pod", metadata: { uid } })));
});
