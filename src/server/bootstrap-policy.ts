// Creates and restores the bootstrap Roles and bindings of RBAC, before the server answers.
import { readFile } from "node:fs/promises";
import type { KubeObject } from "../apimachinery/meta/object-meta.ts";
import { builtFile, packageFile } from "../apimachinery/meta/package-files.ts";
import { StatusError } from "../apimachinery/meta/status.ts";
import { decodeValue } from "../apimachinery/yaml/decode-yaml.ts";
import { RBAC_GROUP } from "../apiserver/authorization/access-check.ts";
import {
  POLICY_RESOURCES,
  type PolicyEntry,
  policyObjects,
} from "../apiserver/authorization/rbac/bootstrap-policy.ts";
import { reconcilePolicyObject } from "../apiserver/authorization/rbac/reconcile-policy.ts";
import type { Client, ResourceName } from "../controller/client.ts";
import { manifestFiles } from "./manifests.ts";

/** Written by scripts/pack-schemas.ts. */
export const PACKED_POLICY = "bootstrap-policy.json";

/** Reads the objects packed by the build, or the YAML files of the package. */
export async function readPolicyObjects(): Promise<readonly KubeObject[]> {
  const packed = builtFile(PACKED_POLICY);
  return packed === undefined ? readPolicySources() : JSON.parse(await readFile(packed, "utf8"));
}

/** Reads the YAML files of the package. */
export async function readPolicySources(): Promise<KubeObject[]> {
  const files = await manifestFiles(packageFile("schemas", "bootstrap-policy"));
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  return policyObjects(texts.flatMap((text) => decodeValue(text) as readonly PolicyEntry[])); // files of this package
}

const keyOf = ({ metadata: { namespace = "", name = "" } }: Readonly<KubeObject>): string =>
  `${namespace}/${name}`;

/** Creates missing objects and restores missing parts. An object that cannot be written is reported. */
export async function ensurePolicy(client: Client, onError: (error: unknown) => void): Promise<void> {
  const wanted = await readPolicyObjects();
  for (const [kind, resource] of POLICY_RESOURCES) {
    const named: ResourceName = { group: RBAC_GROUP, version: "v1", resource };
    const stored = await storedByKey(client, named).catch((error: unknown) => {
      onError(error); // a stored object is unreadable: the others are created nevertheless
      return new Map<string, KubeObject>();
    });
    const ofKind = wanted.filter((object) => object.kind === kind);
    await Promise.all(
      ofKind.map((object) => ensure(client, named, object, stored.get(keyOf(object))).catch(onError)),
    );
  }
}

async function storedByKey(client: Client, resource: ResourceName): Promise<Map<string, KubeObject>> {
  const { items } = await client.list(resource);
  return new Map(items.map((item) => [keyOf(item), item]));
}

async function ensure(
  client: Client,
  resource: ResourceName,
  wanted: KubeObject,
  stored: KubeObject | undefined,
): Promise<void> {
  if (stored === undefined) return await create(client, resource, wanted);
  const change = reconcilePolicyObject(stored, wanted);
  if (change?.type === "update") await client.update(resource, change.object);
  if (change?.type !== "recreate") return;
  const { namespace = "", name = "", uid = "" } = stored.metadata;
  await client.delete(resource, { namespace, name }, { uid });
  await create(client, resource, wanted);
}

/** Creates an object, unless another server on the same store has created it. */
async function create(client: Client, resource: ResourceName, object: KubeObject): Promise<void> {
  try {
    await client.create(resource, object);
  } catch (error) {
    if (!(error instanceof StatusError) || error.reason !== "AlreadyExists") throw error;
  }
}
