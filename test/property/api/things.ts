// A kind whose objects every selector can select, generated writes to them, and the lists that are requested.
import fc from "fast-check";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { crdOf, MERGE_PATCH, namespace, TestApi } from "../../unit/apiserver/endpoints/support.ts";

export const GROUP = "/apis/example.com/v1";
const NAMES = ["a", "b", "c", "d"];
const NAMESPACES = ["one", "two"];

const crd = crdOf([
  {
    name: "v1",
    served: true,
    storage: true,
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: { size: { type: "integer" }, color: { type: "string" } },
      },
    },
    selectableFields: [{ jsonPath: ".color" }],
  },
]);

export type Write =
  | {
      readonly op: "put";
      readonly at: Place;
      readonly label: string;
      readonly color: string;
      readonly size: number;
    }
  | { readonly op: "delete"; readonly at: Place }
  | { readonly op: "hold" | "release"; readonly at: Place };
interface Place {
  readonly namespace: string;
  readonly name: string;
}
export type Step =
  | { readonly op: "write"; readonly together: readonly Write[] }
  | { readonly op: "compact" | "cut" | "wait" | "half an hour" };

const place = fc.record({ namespace: fc.constantFrom(...NAMESPACES), name: fc.constantFrom(...NAMES) });
export const put = fc.record({
  op: fc.constant("put" as const),
  at: place,
  label: fc.constantFrom("x", "y"),
  color: fc.constantFrom("red", "blue"),
  size: fc.nat(2),
});
const remove = fc.record({ op: fc.constant("delete" as const), at: place });
const finalizer = fc.record({ op: fc.constantFrom("hold" as const, "release" as const), at: place });
const write: fc.Arbitrary<Write> = fc.oneof(
  { weight: 5, arbitrary: put },
  { weight: 2, arbitrary: remove },
  finalizer,
);
export const writes = fc.array(write, { minLength: 1, maxLength: 4 });
const trouble = fc.constantFrom("compact" as const, "cut" as const, "wait" as const, "half an hour" as const);
export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: writes.map((together): Step => ({ op: "write", together })) },
    { weight: 2, arbitrary: trouble.map((op): Step => ({ op })) },
  ),
  { minLength: 3, maxLength: 20 },
);

const collection = fc
  .constantFrom("", ...NAMESPACES)
  .map((name) => (name ? `/namespaces/${name}/things` : "/things"));
const selector = fc.constantFrom(
  "",
  "labelSelector=tier%3Dx",
  "labelSelector=tier!%3Dx",
  "labelSelector=tier%20in%20(x,z)",
  "fieldSelector=color%3Dred",
  "fieldSelector=color!%3Dred",
  "fieldSelector=metadata.name%3Da",
  "fieldSelector=metadata.namespace%3Done",
  "labelSelector=tier&fieldSelector=color%3Dblue",
);
/** How the watch starts. */
const start = fc.constantFrom("list", "initial", "everything", "old path");
export const view = fc.record({ collection, selector, start });
export type View = typeof view extends fc.Arbitrary<infer T> ? T : never;

export async function apply(api: TestApi, step: Write): Promise<void> {
  const { namespace, name } = step.at;
  const url = `${GROUP}/namespaces/${namespace}/things`;
  if (step.op === "put") {
    const { label, color, size } = step;
    const content = { metadata: { name, labels: { tier: label } }, color, size };
    const patched = await api.patch(MERGE_PATCH, `${url}/${name}`, content);
    if (patched.status === 404)
      await api.post(url, { apiVersion: "example.com/v1", kind: "Thing", ...content });
  } else if (step.op === "delete") await api.send("DELETE", `${url}/${name}`);
  else {
    const finalizers = step.op === "hold" ? ["example.com/hold"] : null;
    await api.patch(MERGE_PATCH, `${url}/${name}`, { metadata: { finalizers } });
  }
}

export type Held = ReadonlyMap<string, KubeObject>;
export const keyOf = ({ metadata }: KubeObject) => `${metadata.namespace}/${metadata.name}`;

export interface Listed {
  readonly held: Held;
  readonly version: string;
}

export async function list(api: TestApi, { collection, selector }: View, more = ""): Promise<Listed> {
  const { body } = await api.get(`${GROUP}${collection}?${selector}${more}`);
  const items = body["items"] as KubeObject[]; // of a list
  const version = (body as KubeObject).metadata.resourceVersion ?? "";
  return { held: new Map(items.map((item) => [keyOf(item), item])), version };
}

/** An API that serves things, in two namespaces. */
export async function open(): Promise<TestApi> {
  const api = await TestApi.open();
  await api.serve(crd);
  for (const name of NAMESPACES) await api.post("/api/v1/namespaces", namespace(name));
  return api;
}
