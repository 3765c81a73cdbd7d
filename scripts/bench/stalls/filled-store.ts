// Thousands of small objects in a store.
import type { ServerAccess } from "../client/server-access.ts";
import { type CustomKind, install, objectOf } from "./custom-kind.ts";
import { listOf, must } from "./stall.ts";

const CREATED_AT_ONCE = 50;

export const mapsOf = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;

/** Small ConfigMaps; one in a hundred has the same label. */
export const maps = (count: number, name: string, namespace = "default") =>
  listOf(count, (index) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `${name}-${index}`, namespace, labels: { app: `app-${index % 100}` } },
    data: { key: `value ${index}` },
  }));

/** Creates a namespace with so many ConfigMaps, or reuses an existing one. */
export async function fillNamespace(access: ServerAccess, namespace: string, count: number): Promise<void> {
  const body = JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  await must(access, { method: "POST", path: "/api/v1/namespaces", body }, [201, 409]);
  const bodies = maps(count, "map", namespace).map((object) => JSON.stringify(object));
  await createAll(access, mapsOf(namespace), bodies);
}

/** Creates a kind and so many objects of it. */
export async function fillKind(access: ServerAccess, kind: CustomKind, count: number): Promise<void> {
  await install(access, kind);
  await createAll(
    access,
    kind.path,
    listOf(count, (index) => objectOf(kind, `object-${index}`, { text: `value ${index}` })),
  );
}

/** Creates all objects, a few at a time. Existing ones are kept. */
async function createAll(access: ServerAccess, path: string, bodies: readonly string[]): Promise<void> {
  for (let from = 0; from < bodies.length; from += CREATED_AT_ONCE) {
    const some = bodies.slice(from, from + CREATED_AT_ONCE);
    await Promise.all(some.map((body) => must(access, { method: "POST", path, body }, [201, 409])));
  }
}
