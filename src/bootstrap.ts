// What every cluster has from its first moment: four namespaces and the Service through which pods find the API.
import type { Client, ResourceName } from "./client/client.ts";
import { ManifestError } from "./manifests.ts";
import type { KubeObject } from "./meta/object-meta.ts";
import { StatusError } from "./meta/status.ts";

const NAMESPACES = ["default", "kube-system", "kube-public", "kube-node-lease"];
const core = (resource: string): ResourceName => ({ group: "", version: "v1", resource });

/** Creates what is missing; an object that is there stays as it is. */
export async function bootstrap(client: Client): Promise<void> {
  await Promise.all(
    NAMESPACES.map((name) =>
      ensure(client, core("namespaces"), { apiVersion: "v1", kind: "Namespace", metadata: { name } }),
    ),
  );
  await ensure(client, core("services"), {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: "kubernetes",
      namespace: "default",
      labels: { component: "apiserver", provider: "kubernetes" },
    },
    spec: {
      clusterIP: "10.96.0.1",
      ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: 6443 }],
      type: "ClusterIP",
    },
  });
}

async function ensure(client: Client, resource: ResourceName, object: KubeObject): Promise<void> {
  try {
    await client.create(resource, object);
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== "AlreadyExists") throw error;
  }
}

/** Applies a file's objects as kubectl would: what is there is changed, what is missing is made. Throws ManifestError. */
export async function loadObjects(
  client: Client,
  { path, objects }: { readonly path: string; readonly objects: readonly KubeObject[] },
  resourceFor: (object: KubeObject) => { name: ResourceName; namespaced: boolean } | undefined,
): Promise<void> {
  for (const object of objects) {
    const found = resourceFor(object);
    const { name = "", namespace = "default" } = object.metadata;
    if (found === undefined)
      throw new ManifestError(`${path}: no kind ${object.kind} of ${object.apiVersion} is served (${name})`);
    const key = { namespace: found.namespaced ? namespace : "", name };
    try {
      await client.patch(found.name, key, { type: "apply", body: object, force: true });
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      throw new ManifestError(`${path}: ${error.message}`, { cause: error });
    }
  }
}
