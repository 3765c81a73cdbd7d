// Changes by users of a cluster, as data: few names, so that changes collide. Rejected ones have no effect.
import fc from "fast-check";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { StatusError } from "../../../src/apimachinery/meta/status.ts";
import type { EgretServer } from "../../../src/testing/egret-server.ts";

export type Step =
  | { readonly do: "apply"; readonly object: KubeObject }
  | {
      readonly do: "merge";
      readonly kind: string;
      readonly key: string;
      readonly body: unknown;
      readonly subresource?: "status";
    }
  | { readonly do: "delete"; readonly kind: string; readonly key: string }
  /** An object with an owner, if that exists. */
  | { readonly do: "own"; readonly object: KubeObject; readonly kind: string; readonly key: string }
  | { readonly do: "wait"; readonly ms: number };

const STEPS_MAX = 30;

/** A key is "namespace/name", or "name". */
const split = (key: string): { readonly name: string; readonly namespace?: string } => {
  const [first = "", second] = key.split("/");
  return second === undefined ? { name: first } : { namespace: first, name: second };
};

interface Untyped {
  find(kind: string, name: string, place: { namespace?: string }): Promise<KubeObject | undefined>;
  apply(object: KubeObject): Promise<KubeObject>;
  patch(
    kind: string,
    name: string,
    patch: unknown,
    options: { namespace?: string; subresource?: string },
  ): Promise<KubeObject>;
  delete(kind: string, name: string, options: { namespace?: string }): Promise<void>;
}

export async function take(server: EgretServer, step: Step): Promise<void> {
  try {
    await act(server, step);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
  }
}

async function act(server: EgretServer, step: Step): Promise<void> {
  const client = server.client as unknown as Untyped; // kinds are drawn
  if (step.do === "wait") {
    await server.clock.advance(step.ms);
    return;
  }
  if (step.do === "apply") {
    const { status: _, ...object } = step.object;
    await client.apply(object as KubeObject);
    return;
  }
  const { name, ...place } = split(step.key);
  if (step.do === "delete") await client.delete(step.kind, name, place);
  else if (step.do === "merge") {
    const { kind, body, subresource = "" } = step;
    await client.patch(kind, name, body, { ...place, subresource });
  } else {
    const owner = await client.find(step.kind, name, place);
    if (!owner) return;
    const { apiVersion = "", kind = "" } = owner;
    const ownerReferences = [{ apiVersion, kind, name, uid: owner.metadata.uid ?? "" }];
    await client.apply({ ...step.object, metadata: { ...step.object.metadata, ownerReferences } });
  }
}

export const kindOf = ({ apiVersion, kind }: KubeObject): string => `${apiVersion}/${kind}`;
const keyOf = ({ metadata: { namespace, name = "" } }: KubeObject): string =>
  namespace ? `${namespace}/${name}` : name;

/** An object, and its possible changes once it exists. */
export interface Subject {
  readonly object: KubeObject;
  readonly changes?: readonly unknown[];
  readonly statuses?: readonly unknown[];
  readonly owner?: KubeObject;
}

const making = ({ object, owner }: Subject): Step =>
  owner ? { do: "own", object, kind: kindOf(owner), key: keyOf(owner) } : { do: "apply", object };

const telling = (object: KubeObject, status: unknown): Step => ({
  ...{ do: "merge", kind: kindOf(object), key: keyOf(object) },
  ...{ body: { status }, subresource: "status" },
});

/** Creates most of the subjects, each with its first status. */
export function beginningOf(subjects: readonly Subject[]): fc.Arbitrary<readonly Step[]> {
  const chances = fc.array(fc.nat(9), { minLength: subjects.length, maxLength: subjects.length });
  return chances.map((drawn) =>
    subjects.flatMap((subject, index): Step[] => {
      const [first] = subject.statuses ?? [];
      if ((drawn[index] ?? 0) > 7) return [];
      return [making(subject), ...(first === undefined ? [] : [telling(subject.object, first)])];
    }),
  );
}

/** All possible changes of the subjects. */
export function stepsOf(subjects: readonly Subject[]): fc.Arbitrary<readonly Step[]> {
  const made = subjects.map(making);
  const changed: Step[] = [];
  const gone: Step[] = [];
  for (const { object, changes = [], statuses = [] } of subjects) {
    const about = { kind: kindOf(object), key: keyOf(object) };
    gone.push({ do: "delete", ...about });
    for (const body of changes) changed.push({ do: "merge", ...about, body });
    for (const status of statuses) changed.push(telling(object, status));
  }
  const wait: fc.Arbitrary<Step> = fc.constantFrom(50, 1_000, 6_000).map((ms) => ({ do: "wait", ms }));
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...made) },
    { weight: 8, arbitrary: fc.constantFrom(...(changed.length > 0 ? changed : made)) },
    { weight: 2, arbitrary: fc.constantFrom(...gone) },
    { weight: 2, arbitrary: wait },
  );
  return fc.array(step, { maxLength: STEPS_MAX, size: "max" });
}
