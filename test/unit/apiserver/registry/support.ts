// Shared by registry tests: kinds, stored values, and the context of a write.

import type { JsonObject } from "../../../../src/apimachinery/json/json.ts";
import type { MemberOrder } from "../../../../src/apimachinery/json/json-encode.ts";
import { createIds } from "../../../../src/apimachinery/meta/ids.ts";
import type { KubeObject } from "../../../../src/apimachinery/meta/object-meta.ts";
import { type Revision, toRevision } from "../../../../src/apimachinery/meta/revision.ts";
import { StatusError } from "../../../../src/apimachinery/meta/status.ts";
import { compileSchema } from "../../../../src/apimachinery/schema/compile-schema.ts";
import { structOrder } from "../../../../src/apimachinery/schema/go/go-struct.ts";
import { schemaLibrary, schemaRef } from "../../../../src/apimachinery/schema/go/schema-library.ts";
import { decodeStored, encodeStored } from "../../../../src/apiserver/registry/codec/object-codec.ts";
import type { DecodedObject } from "../../../../src/apiserver/registry/codec/object-decoder.ts";
import type { ObjectResult } from "../../../../src/apiserver/registry/codec/versions.ts";
import { definitionFromCrd } from "../../../../src/apiserver/registry/custom-resource.ts";
import type { RequestContext } from "../../../../src/apiserver/registry/definition/request-context.ts";
import type { ResourceView } from "../../../../src/apiserver/registry/definition/resource-definition.ts";
import { storageView } from "../../../../src/apiserver/registry/definition/view.ts";
import { BUILT_IN_RESOURCES } from "../../../../src/kube/index.ts";
import type { KeyValue } from "../../../../src/storage/store.ts";
import { ManualClock } from "../../storage/manual-clock.ts";
import { crdOf, versionWith } from "../endpoints/support.ts";

export const ANYTHING: JsonObject = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

export function builtInView(resource: string): ResourceView {
  const definition = BUILT_IN_RESOURCES.find((item) => item.resource === resource);
  if (definition === undefined) throw new Error(`${resource} is no built-in kind`);
  return storageView(definition);
}

/** things.example.com with this schema below spec. */
export function customView(
  spec: JsonObject = ANYTHING,
  more: JsonObject = {},
  options: { scope?: string } = {},
): ResourceView {
  const crd = crdOf([versionWith(spec, more)], options);
  return storageView(definitionFromCrd(crd as unknown as KubeObject)); // a whole definition
}

/** All versions of things.example.com; the first one is stored. */
export function versionViews(...specs: readonly JsonObject[]): ResourceView[] {
  const versions = specs.map((spec, index) =>
    versionWith(spec, { name: `v${index + 1}`, storage: index === 0 }),
  );
  const definition = definitionFromCrd(crdOf(versions) as unknown as KubeObject);
  return definition.versions.map((version) => ({ definition, version }));
}

/** An object as a decoder gives it that has found nothing odd. */
export const decoded = (object: object, ...findings: string[]): DecodedObject => ({
  object: object as unknown as KubeObject, // it has all that is needed
  findings,
});

/** What a write has left, in the form in which it is stored. */
export const objectOf = (result: ObjectResult): Readonly<KubeObject> =>
  result.type === "stored" ? decodeStored(result.kv) : result.object;

export interface TestContext extends RequestContext {
  readonly clock: ManualClock;
  readonly warnings: string[];
}

export function contextFor(more: Partial<RequestContext> = {}): TestContext {
  const warnings: string[] = [];
  return {
    user: { name: "test", groups: [] },
    fieldManager: "test",
    dryRun: false,
    ids: createIds(),
    warn: (text) => void warnings.push(text),
    ...more,
    clock: new ManualClock(),
    warnings,
  };
}

export function object(name: string, more: JsonObject = {}, metadata: JsonObject = {}): KubeObject {
  const system = { uid: `uid-of-${name}`, creationTimestamp: "2001-01-01T00:00:00Z" };
  return {
    apiVersion: "example.com/v1",
    kind: "Thing",
    metadata: { name, namespace: "default", ...system, ...metadata },
    ...more,
  };
}

/** In which order the members of a Pod stand. */
export const POD_ORDER = structOrder(
  compileSchema(schemaRef("io.k8s.api.core.v1.Pod"), schemaLibrary().resolve),
);

export function stored(value: KubeObject, revision = 7, order?: MemberOrder): KeyValue {
  const { namespace, name } = value.metadata;
  return {
    key: `/registry/example.com/things/${namespace}/${name}`,
    value: encodeStored(value, order),
    createRevision: toRevision(revision),
    modRevision: toRevision(revision),
  };
}

export const at = (revision: number): Revision => toRevision(revision);

/** The code and message of a refusal; undefined when there is none. */
export function refusal(act: () => unknown): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return refusalText(error);
  }
}

export async function refusalOf(promise: Promise<unknown>): Promise<string | undefined> {
  return promise.then(() => undefined, refusalText);
}

function refusalText(error: unknown): string {
  if (error instanceof StatusError) return `${error.code} ${error.status.message}`;
  throw error;
}
