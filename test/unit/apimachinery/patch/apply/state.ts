// A language for tests of server-side apply: the writes of managers to one object in sequence, then the resulting object
// and the field set of each manager.
//
//   play(kind, [apply("ann", { spec: { a: "1" } }), update("bob", { spec: { a: "2" } })])
//   → { object: { spec: { a: "2" } }, managers: { "bob Update": ".spec.a" } }
import { freezeJson, type JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../../../../src/apimachinery/meta/object-meta.ts";
import { applyPatch } from "../../../../../src/apimachinery/patch/apply/apply-patch.ts";
import { describePath } from "../../../../../src/apimachinery/patch/apply/fields/field-path.ts";
import { decodeFieldSet, pathsOf } from "../../../../../src/apimachinery/patch/apply/fields/fields-v1.ts";
import { keepTimesOfNoop } from "../../../../../src/apimachinery/patch/apply/managed-entries.ts";
import { trackUpdate } from "../../../../../src/apimachinery/patch/apply/track-update.ts";
import type { SchemaNode } from "../../../../../src/apimachinery/schema/schema-node.ts";
import { customNode, refusal } from "../support.ts";

export interface Kind {
  readonly kind: string;
  /** The version of operations that name none. */
  readonly apiVersion: string;
  readonly nodes: ReadonlyMap<string, SchemaNode>;
}

/** A custom kind whose spec has these properties at these versions; the first is the usual one. */
export function kindOf(versions: Readonly<Record<string, JsonObject>>): Kind {
  const nodes = Object.entries(versions).map(
    ([name, spec]) => [`example.org/${name}`, customNode(spec)] as const,
  );
  return { kind: "Thing", apiVersion: nodes[0]?.[0] ?? "", nodes: new Map(nodes) };
}

export interface Endpoint {
  /** "v2" of example.org */
  readonly version?: string;
  readonly subresource?: string;
  readonly resetFields?: readonly (readonly string[])[];
}

interface Write extends Endpoint {
  readonly does: "apply" | "force-apply" | "update";
  readonly manager: string;
  readonly object: JsonObject;
}

export type Operation =
  | Write
  | { readonly does: "conflict"; readonly write: Write; readonly expected: readonly string[] }
  | { readonly does: "become"; readonly kind: Kind };

/** What is applied: whatever the manager wants to have. */
export const apply = (manager: string, object: JsonObject, endpoint: Endpoint = {}): Write => ({
  does: "apply",
  manager,
  object,
  ...endpoint,
});

export const forceApply = (manager: string, object: JsonObject, endpoint: Endpoint = {}): Write => ({
  ...apply(manager, object, endpoint),
  does: "force-apply",
});

/** Creates or replaces: the object is all there is afterwards. */
export const update = (manager: string, object: JsonObject, endpoint: Endpoint = {}): Write => ({
  ...apply(manager, object, endpoint),
  does: "update",
});

/** The write is refused for what others own: "ann .spec.a" */
export const conflict = (write: Write, ...expected: string[]): Operation => ({
  does: "conflict",
  write,
  expected,
});

/** From now on the kind has these versions and schemas. */
export const become = (kind: Kind): Operation => ({ does: "become", kind });

export interface Outcome {
  /** Without its identity, and without metadata if there is nothing else in it. */
  readonly object: JsonObject;
  /** Paths by manager, in the order of managedFields: "ann Apply", with version and subresource if unusual. */
  readonly managers: Readonly<Record<string, string>>;
}

export function play(kind: Kind, operations: readonly Operation[]): Outcome {
  const state = new State(kind);
  for (const operation of operations) state.run(operation);
  return state.outcome();
}

/** The managedFields at the end. */
export function entriesAfter(
  kind: Kind,
  operations: readonly Operation[],
): readonly ManagedFieldsEntry[] | undefined {
  const state = new State(kind);
  for (const operation of operations) state.run(operation);
  return state.live?.metadata.managedFields;
}

export class State {
  readonly #kind: Kind;
  #nodes: ReadonlyMap<string, SchemaNode>;
  #seconds = 0;
  live: KubeObject | undefined;

  constructor(kind: Kind, live?: KubeObject) {
    this.#kind = kind;
    this.#nodes = kind.nodes;
    this.live = live && freezeJson(live);
  }

  run(operation: Operation): void {
    switch (operation.does) {
      case "become":
        this.#nodes = operation.kind.nodes;
        return;
      case "conflict":
        expectSame(
          conflictsOf(() => this.#write(operation.write)),
          operation.expected,
        );
        return;
      default:
        this.#write(operation);
    }
  }

  /** Every write advances the clock by one second. Stored and sent objects are frozen. */
  #write({ does, object, version, ...write }: Write): void {
    const { kind } = this.#kind;
    const apiVersion = version === undefined ? this.#kind.apiVersion : `example.org/${version}`;
    const node = this.#nodes.get(apiVersion);
    if (node === undefined) throw new Error(`no version ${apiVersion}`);
    const { metadata } = object;
    const sent = freezeJson({
      apiVersion,
      kind,
      ...object,
      metadata: { name: "x", ...(metadata as JsonObject | undefined) }, // tests write objects
    });
    const time = new Date(Date.UTC(2024, 0, 1, 0, 0, this.#seconds++)).toISOString();
    const writer = {
      node,
      nodeFor: (wanted: string) => this.#nodes.get(wanted),
      apiVersion,
      nowText: `${time.slice(0, 19)}Z`,
      ...write,
    };
    const live = this.live && freezeJson({ ...this.live, apiVersion });
    const next =
      does === "update"
        ? trackUpdate({ ...writer, live, next: sent })
        : applyPatch({ ...writer, live, applied: sent, kind, force: does === "force-apply" });
    this.live = freezeJson(live === undefined ? next : keepTimesOfNoop(live, next));
  }

  outcome(): Outcome {
    const {
      apiVersion: _,
      kind: _kind,
      metadata,
      ...rest
    } = this.live ?? { apiVersion: "", kind: "", metadata: {} };
    const { name: _name, managedFields = [], ...others } = metadata;
    return {
      object: { ...rest, ...(Object.keys(others).length === 0 ? {} : { metadata: others }) },
      managers: Object.fromEntries(
        managedFields.map((entry) => [this.#describe(entry), describeFields(entry)]),
      ),
    };
  }

  #describe({ manager = "", operation, apiVersion, subresource }: ManagedFieldsEntry): string {
    const version = apiVersion === this.#kind.apiVersion ? "" : ` ${apiVersion?.replace("example.org/", "")}`;
    return `${manager} ${operation}${version}${subresource ? ` /${subresource}` : ""}`;
  }
}

const describeFields = ({ fieldsV1 }: ManagedFieldsEntry): string =>
  pathsOf(decodeFieldSet(fieldsV1)).map(describePath).join(" ");

function conflictsOf(write: () => void): string[] {
  const { code, details } = refusal(write);
  if (code !== 409) throw new Error(`refused with ${code}`);
  return (details?.causes ?? []).map(({ message, field }) => {
    const manager = /"([^"]+)"/.exec(message ?? "")?.[1] ?? "";
    return `${manager} ${field}`;
  });
}

function expectSame(given: readonly string[], expected: readonly string[]): void {
  if (given.join() !== expected.join()) throw new Error(`conflicts: ${given.join(", ")}`);
}
