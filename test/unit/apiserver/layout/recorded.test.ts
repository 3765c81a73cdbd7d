// Recorded values of a kube-apiserver v1.36 decode to the objects that it served, and encode to the same bytes.
import { describe, expect, test } from "vitest";
import { cloneJson } from "../../../../src/apimachinery/json/json.ts";
import { toRevision } from "../../../../src/apimachinery/meta/revision.ts";
import { openEnvelope } from "../../../../src/apiserver/endpoints/protobuf/codec.ts";
import { createStorageLayout } from "../../../../src/apiserver/layout/storage-layout.ts";
import { StoredKinds } from "../../../../src/apiserver/layout/stored-kinds.ts";
import { encodeStored, toJson } from "../../../../src/apiserver/registry/codec/object-codec.ts";
import { objectKey, resourcePrefix } from "../../../../src/apiserver/registry/definition/view.ts";
import { BUILT_IN_RESOURCES } from "../../../../src/kube/index.ts";
import { DIFFERENCES, DIFFERENCES_MAX } from "./differences.ts";
import { RECORDED } from "./recorded.ts";

const layout = createStorageLayout({ builtIn: BUILT_IN_RESOURCES });
const kinds = new StoredKinds(BUILT_IN_RESOURCES);

test("there are enough of them", () => {
  expect(RECORDED).toHaveLength(101);
  expect(new Set(RECORDED.map(({ object }) => `${object.apiVersion} ${object.kind}`)).size).toBe(64);
});

const PATH =
  /^\/apis?\/(?:(.+\..+|apps|batch|autoscaling|policy)\/)?v[^/]+\/(?:namespaces\/([^/]+)\/)?([^/]+)\/([^/]+)$/;

describe.each(RECORDED)("$path", ({ path, key, value, object }) => {
  const revision = toRevision(Number(object.metadata.resourceVersion));

  test("lies at the key that follows from its path", () => {
    const [, group = "", namespace = "", resource = "", name = ""] = PATH.exec(path) ?? [];
    const builtIn = BUILT_IN_RESOURCES.find((item) => item.group === group && item.resource === resource);
    const definition = builtIn ?? { ...anyDefinition, group, resource, custom: true };
    expect(layout.toEtcdKey(objectKey(definition, namespace, name))).toBe(key);
    expect(layout.toEgretKey(key)).toBe(objectKey(definition, namespace, name));
  });

  test("is read as what was served", () => {
    const decoded = layout.decode(key, value);
    expect(decoded.isStale).toBe(false);
    const kv = { key, value: decoded.value, createRevision: revision, modRevision: revision };
    expect(JSON.stringify(JSON.parse(toJson(kv).toString()))).toBe(JSON.stringify(object)); // the order of members, too
  });

  test.skipIf(key in DIFFERENCES)("is written as it was", () => {
    const served = cloneJson(object);
    expect(hex(layout.encode(key, encodeStored(served, kinds.at(key)?.order)))).toEqual(hex(value));
  });

  test("is the same after it was read and written", () => {
    const { value: stored } = layout.decode(key, value);
    const again = layout.decode(key, layout.encode(key, stored));
    expect(hex(again.value)).toBe(hex(stored));
    expect(again.isStale).toBe(false);
  });
});

const [anyDefinition = undefined as never] = BUILT_IN_RESOURCES;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

describe("the list of differences", () => {
  test("may only get shorter", () => {
    expect(Object.keys(DIFFERENCES).length).toBeLessThanOrEqual(DIFFERENCES_MAX);
  });

  test.each(Object.entries(DIFFERENCES))("%s is one", (key, reason) => {
    const { value, object } = RECORDED.find((item) => item.key === key) ?? expect.fail(`nobody wrote ${key}`);
    expect(reason).not.toBe("");
    expect(hex(layout.encode(key, encodeStored(cloneJson(object), kinds.at(key)?.order)))).not.toBe(
      hex(value),
    );
  });
});

/**
 * Keys and stored apiVersions of Kubernetes v1.36: pkg/kubeapiserver/default_storage_factory_builder.go. Resources that are
 * off by default in kube-apiserver have no kind here.
 */
const STORED_AS = `
configmaps v1, controllers v1, services/endpoints v1, events v1, limitranges v1, namespaces v1, minions v1,
persistentvolumeclaims v1, persistentvolumes v1, pods v1, podtemplates v1, resourcequotas v1, secrets v1,
serviceaccounts v1, services/specs v1, controllerrevisions apps/v1, daemonsets apps/v1, deployments apps/v1,
replicasets apps/v1, statefulsets apps/v1, horizontalpodautoscalers autoscaling/v2, cronjobs batch/v1, jobs batch/v1,
certificatesigningrequests certificates.k8s.io/v1, leases coordination.k8s.io/v1, endpointslices discovery.k8s.io/v1,
flowschemas flowcontrol.apiserver.k8s.io/v1, prioritylevelconfigurations flowcontrol.apiserver.k8s.io/v1,
ingress networking.k8s.io/v1, ingressclasses networking.k8s.io/v1, networkpolicies networking.k8s.io/v1,
ipaddresses networking.k8s.io/v1, servicecidrs networking.k8s.io/v1, runtimeclasses node.k8s.io/v1,
poddisruptionbudgets policy/v1, clusterroles rbac.authorization.k8s.io/v1,
clusterrolebindings rbac.authorization.k8s.io/v1, roles rbac.authorization.k8s.io/v1,
rolebindings rbac.authorization.k8s.io/v1, deviceclasses resource.k8s.io/v1, resourceclaims resource.k8s.io/v1,
resourceclaimtemplates resource.k8s.io/v1, resourceslices resource.k8s.io/v1, priorityclasses scheduling.k8s.io/v1,
storageclasses storage.k8s.io/v1, volumeattachments storage.k8s.io/v1, csidrivers storage.k8s.io/v1,
csinodes storage.k8s.io/v1, csistoragecapacities storage.k8s.io/v1, volumeattributesclasses storage.k8s.io/v1,
mutatingwebhookconfigurations admissionregistration.k8s.io/v1,
validatingwebhookconfigurations admissionregistration.k8s.io/v1,
validatingadmissionpolicies admissionregistration.k8s.io/v1,
validatingadmissionpolicybindings admissionregistration.k8s.io/v1,
mutatingadmissionpolicies admissionregistration.k8s.io/v1beta1,
mutatingadmissionpolicybindings admissionregistration.k8s.io/v1beta1,
apiextensions.k8s.io/customresourcedefinitions apiextensions.k8s.io/v1beta1,
apiregistration.k8s.io/apiservices apiregistration.k8s.io/v1`
  .split(",")
  .map((line): [string, string] => {
    const [place = "", apiVersion = ""] = line.trim().split(" ");
    return [`/registry/${place}/`, apiVersion];
  });

test("every built-in kind is stored where, and as what, a kube-apiserver stores it", () => {
  const isStored = ({ verbs }: (typeof BUILT_IN_RESOURCES)[number]) => verbs.includes("watch");
  const stored = BUILT_IN_RESOURCES.filter(isStored).map(resourcePrefix);
  expect([...new Set(stored)].sort()).toEqual(STORED_AS.map(([place]) => place).sort());
  for (const [place, apiVersion] of STORED_AS)
    expect([place, kinds.at(`${place}a`)?.written.apiVersion]).toEqual([place, apiVersion]);
});

test("the recorded messages say the same of themselves", () => {
  const said = RECORDED.filter(({ value }) => value[0] !== 0x7b).map(({ key, value }) => {
    const { identity } = openEnvelope(value, { apiVersion: "", kind: "" });
    expect(kinds.at(key)?.written).toEqual(identity);
    return identity;
  });
  expect(said).toHaveLength(71);
});
