// kubectl and all built-in kinds: api-resources, explain, get of everything at once, and a CertificateSigningRequest that
// is created and approved.
import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { Kubectl, kubectlProblem } from "../support/kubectl.ts";
import { describeWithKubectl, KubectlSession } from "../support/kubectl-session.ts";

const problem = kubectlProblem();
if (problem !== undefined) process.stderr.write(`${problem}: test/e2e/every-kind.test.ts is skipped\n`);

/** What `kubectl api-resources` prints of a v1.36 server, by group. */
const OF_A_REAL_SERVER: Readonly<Record<string, string>> = {
  "": `bindings componentstatuses configmaps endpoints events limitranges namespaces nodes persistentvolumeclaims
    persistentvolumes pods podtemplates replicationcontrollers resourcequotas secrets serviceaccounts services`,
  "admissionregistration.k8s.io": `mutatingadmissionpolicies mutatingadmissionpolicybindings mutatingwebhookconfigurations
    validatingadmissionpolicies validatingadmissionpolicybindings validatingwebhookconfigurations`,
  "apiextensions.k8s.io": "customresourcedefinitions",
  "apiregistration.k8s.io": "apiservices",
  apps: "controllerrevisions daemonsets deployments replicasets statefulsets",
  "authentication.k8s.io": "selfsubjectreviews tokenreviews",
  "authorization.k8s.io": `localsubjectaccessreviews selfsubjectaccessreviews selfsubjectrulesreviews
    subjectaccessreviews`,
  autoscaling: "horizontalpodautoscalers",
  batch: "cronjobs jobs",
  "certificates.k8s.io": "certificatesigningrequests",
  "coordination.k8s.io": "leases",
  "discovery.k8s.io": "endpointslices",
  "events.k8s.io": "events",
  "flowcontrol.apiserver.k8s.io": "flowschemas prioritylevelconfigurations",
  "networking.k8s.io": "ingressclasses ingresses ipaddresses networkpolicies servicecidrs",
  "node.k8s.io": "runtimeclasses",
  policy: "poddisruptionbudgets",
  "rbac.authorization.k8s.io": "clusterrolebindings clusterroles rolebindings roles",
  "resource.k8s.io": "deviceclasses resourceclaims resourceclaimtemplates resourceslices",
  "scheduling.k8s.io": "priorityclasses",
  "storage.k8s.io": `csidrivers csinodes csistoragecapacities storageclasses volumeattachments
    volumeattributesclasses`,
};
const REAL = Object.entries(OF_A_REAL_SERVER).flatMap(([group, names]) =>
  names.split(/\s+/).map((name) => (group === "" ? name : `${name}.${group}`)),
);

const STORAGE = `
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}
provisioner: disks.example.com
allowVolumeExpansion: true
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: disk}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: fast
  hostPath: {path: /disk}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
`;

describe.skipIf(problem !== undefined)("kubectl and every kind that is served", () => {
  let session: KubectlSession;
  beforeAll(async () => {
    session = await KubectlSession.start();
  });
  afterAll(() => session?.close());

  test("api-resources prints the list of a real server, and what belongs to egress", async () => {
    const printed = (await session.text("api-resources", "-o", "name")).trim().split("\n");
    const isOwn = (name: string): boolean =>
      /\.(k8s\.ovn\.org|[a-z.]*openshift\.io|[a-z.]*cni\.cncf\.io)$/.test(name);
    expect(printed.filter((name) => !isOwn(name)).sort()).toEqual([...REAL].sort());
    expect(printed).toContain("egressips.k8s.ovn.org");
  });

  test("explain tells each of them", async () => {
    for (const name of REAL.filter((one) => !/reviews|^bindings/.test(one))) {
      const [resource = "", ...group] = name.split(".");
      const version = resource === "horizontalpodautoscalers" ? "v2" : "v1";
      const apiVersion = group.length === 0 ? version : `${group.join(".")}/${version}`;
      const told = await session.text("explain", resource, `--api-version=${apiVersion}`);
      expect(told, name).toMatch(/KIND:\s+\w+[\s\S]*DESCRIPTION:\n\s+\S[\s\S]*FIELDS:\n\s+\w+/);
    }
  });
});

describeWithKubectl("kubectl and objects of many kinds", (start) => {
  let session: KubectlSession;
  beforeAll(async () => {
    session = await start();
  });
  afterAll(() => session?.close());

  test("volumes, claims and classes are made and described", async () => {
    await session.apply(STORAGE);
    expect(await session.row("fast", "get", "storageclasses")).toBeUndefined(); // it is marked in its name
    expect(await session.row("fast (default)", "get", "storageclasses")).toMatchObject({
      PROVISIONER: "disks.example.com",
      ALLOWVOLUMEEXPANSION: "true",
    });
    expect(await session.row("disk", "get", "pv")).toMatchObject({ CAPACITY: "1Gi", "ACCESS MODES": "RWO" });
    expect(await session.text("describe", "pvc", "data")).toMatch(/StorageClass: +fast\nStatus: +Pending/);
    expect(await session.text("describe", "pv", "disk")).toMatch(
      /Finalizers: +\[kubernetes.io\/pv-protection\]/,
    );
  });

  test("everything is shown at once, and dumped", async () => {
    await session.text("create", "priorityclass", "high", "--value=100");
    await session.text("create", "deployment", "web", "--image=i:1");
    const all = await session.text("get", "all,pv,pvc,pdb,jobs,priorityclasses", "-A");
    for (const name of ["service/kubernetes", "deployment.apps/web", "persistentvolume/disk", "/high"])
      expect(all).toContain(name);
    const dump = await session.text("cluster-info", "dump", "-A", "-o", "json");
    expect(dump).toContain('"kind": "DeploymentList"');
  });
});

const OPENSSL = process.env["OPENSSL"] ?? "openssl";
const openssl = (...args: readonly string[]): string => {
  const { stdout, stderr, status } = spawnSync(OPENSSL, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout;
};
const noOpenssl = spawnSync(OPENSSL, ["version"]).status !== 0;
if (noOpenssl) process.stderr.write("openssl is missing: certificates are not asked for\n");

describe.skipIf(problem !== undefined || noOpenssl)("kubectl certificate", () => {
  let session: KubectlSession;
  beforeAll(async () => {
    session = await KubectlSession.start(["--secure"]);
  });
  afterAll(() => session?.close());

  test("who is approved gets a certificate that the server knows him by", async () => {
    const at = (name: string): string => join(session.folder, name);
    openssl("genrsa", "-out", at("key"), "2048");
    openssl("req", "-new", "-key", at("key"), "-subj", "/CN=ada/O=builders", "-out", at("csr"));
    const request = Buffer.from(await readFile(at("csr"))).toString("base64");
    const spec = { request, signerName: "kubernetes.io/kube-apiserver-client", usages: ["client auth"] };
    const object = {
      apiVersion: "certificates.k8s.io/v1",
      kind: "CertificateSigningRequest",
      metadata: { name: "ada" },
      spec,
    };
    await writeFile(at("ada.json"), JSON.stringify(object));
    await session.text("create", "-f", at("ada.json"));
    expect((await session.row("ada", "get", "csr"))?.["CONDITION"]).toBe("Pending");
    await session.text("certificate", "approve", "ada");
    const issued = await eventually(
      () => session.text("get", "csr", "ada", "-o", "jsonpath={.status.certificate}"),
      (text) => text !== "",
    );
    await writeFile(at("crt"), Buffer.from(issued, "base64"));
    const kubeconfig = await readFile(at("kubeconfig"), "utf8");
    await writeFile(
      at("ada.kubeconfig"),
      kubeconfig
        .replace(/^ +client-(?:certificate|key)-data: .*\n/gm, "") // the administrator's
        .replace(/^( +)token: .*$/m, `$1client-certificate: ${at("crt")}\n$1client-key: ${at("key")}`),
    );
    const ada = new Kubectl(at("ada.kubeconfig"), session.folder);
    const who = await ada.text(["auth", "whoami"]);
    expect(who).toMatch(/Username +ada/);
    expect(who).toContain("builders");
    expect((await session.row("ada", "get", "csr"))?.["CONDITION"]).toBe("Approved,Issued");
  });
});
