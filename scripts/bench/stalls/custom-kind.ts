// CRDs with schemas that are expensive to process.
import { setTimeout as delay } from "node:timers/promises";
import type { ServerAccess } from "../client/server-access.ts";
import { must, statusOf } from "./stall.ts";

export const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const GROUP = "stalls.example.com";
const SERVED_TRIES = 600;
const SERVED_STEP_MS = 50;

export interface CustomKind {
  readonly definition: object;
  /** The path of its objects in the namespace default. */
  readonly path: string;
  readonly apiVersion: string;
  readonly kind: string;
}

/** A kind with this schema of `spec`. */
export function customKind(plural: string, spec: object, columns: readonly object[] = []): CustomKind {
  const kind = `Stall${plural}`;
  const version = {
    name: "v1",
    served: true,
    storage: true,
    additionalPrinterColumns: columns,
    schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
  };
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${GROUP}` },
    spec: { group: GROUP, scope: "Namespaced", names: { plural, kind }, versions: [version] },
  };
  return {
    definition,
    kind,
    apiVersion: `${GROUP}/v1`,
    path: `/apis/${GROUP}/v1/namespaces/default/${plural}`,
  };
}

/** Throws when the CRD is rejected, or its kind is not served in time. */
export async function install(access: ServerAccess, { definition, path }: CustomKind): Promise<void> {
  await must(access, { method: "POST", path: DEFINITIONS, body: JSON.stringify(definition) }, [201, 409]);
  for (let tries = 0; tries < SERVED_TRIES; tries++) {
    if ((await statusOf(access, { method: "GET", path: `${path}?limit=1` })) === 200) return;
    await delay(SERVED_STEP_MS);
  }
  throw new Error(`${path} is not served`);
}

/** An object of the kind, as JSON. */
export function objectOf({ apiVersion, kind }: CustomKind, name: string, spec: unknown): string {
  return JSON.stringify({ apiVersion, kind, metadata: { name }, spec });
}
