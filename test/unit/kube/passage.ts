// The kind-specific part of a write: decoding, defaulting, preparation, validation. Without registry and store.
import { readdirSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import { cloneJson, type JsonObject } from "../../../src/apimachinery/json/json.ts";
import type { FieldError } from "../../../src/apimachinery/meta/field-error.ts";
import { nameIsDnsSubdomain } from "../../../src/apimachinery/meta/names.ts";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { StatusError } from "../../../src/apimachinery/meta/status.ts";
import { conformObject } from "../../../src/apiserver/registry/codec/object-decoder.ts";
import type {
  Authorizer,
  RequestContext,
} from "../../../src/apiserver/registry/definition/request-context.ts";
import type {
  Allocations,
  ResourceDefinition,
  Review,
} from "../../../src/apiserver/registry/definition/resource-definition.ts";
import { storageView } from "../../../src/apiserver/registry/definition/view.ts";
import { nullEmptyLists } from "../../../src/apiserver/registry/write/empty-lists.ts";
import { WriteClaims } from "../../../src/apiserver/registry/write/prepare.ts";
import { BUILT_IN_RESOURCES } from "../../../src/kube/index.ts";
import type { Store } from "../../../src/storage/store.ts";

const NOW = Date.parse("2030-01-01T00:05:00Z");
const NAMESPACE = "team-a";

export const CONTEXT: RequestContext = {
  user: { name: "tester", groups: [] },
  fieldManager: "test",
  dryRun: false,
  clock: {
    now: () => NOW,
    after: () => ({ cancel: () => {} }),
    sleep: () => Promise.resolve(),
  },
  ids: { uid: () => "11111111-1111-4111-8111-111111111111", nameSuffix: () => "bcdfg" },
  warn: () => {},
};

/** The definition of a kind by "Kind" or "group/Kind". */
export function definitionOf(kind: string): ResourceDefinition {
  const found = BUILT_IN_RESOURCES.find(
    (item) => kind === (item.group ? `${item.group}/${item.kind}` : item.kind),
  );
  if (found === undefined) throw new Error(`no built-in kind is called ${kind}`);
  return found;
}

/** Decoded, defaulted and placed in the namespace. */
export function decode(definition: ResourceDefinition, body: JsonObject): KubeObject {
  const { object } = conformObject(storageView(definition), cloneJson(body));
  if (definition.namespaceScoped) object.metadata.namespace = NAMESPACE;
  return object;
}

export interface Outcome {
  readonly object: KubeObject;
  readonly errors: readonly FieldError[];
}

/** The findings as lines, as they stand in a Status. */
export const lines = (errors: readonly FieldError[]): string[] =>
  errors.map(({ field, message }) => `${field}: ${message}`);

export function create(definition: ResourceDefinition, body: JsonObject): Outcome {
  const { strategy, review } = definition;
  const object = decode(definition, body);
  if (review) return ask(review, object);
  object.metadata.uid = CONTEXT.ids.uid();
  return orRefused(object, () => {
    strategy.claim?.(object, undefined, emptyClaims());
    strategy.prepareForCreate?.(object, CONTEXT);
    const errors = strategy.validate?.(object, CONTEXT) ?? [];
    nullEmptyLists(strategy, object);
    return { object, errors };
  });
}

/** Allocations of a write against an empty store. */
function emptyClaims(): Allocations {
  // the only methods that the claims call
  const store = { get: () => undefined, list: () => ({ items: [] }) } as unknown as Store;
  return new WriteClaims(store, CONTEXT);
}

/** What a StatusError says counts as found. */
function orRefused(object: KubeObject, run: () => Outcome): Outcome {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { object, errors: (error.status.details?.causes ?? []) as FieldError[] }; // made from such
  }
}

/** Sends the request object of a virtual resource. Every access is authorized, and no token is known. */
function ask(review: Review, question: KubeObject): Outcome {
  const authorizer: Authorizer = {
    authorize: () => ({ allowed: true, reason: "" }),
    rulesFor: () => ({ rules: [], error: undefined }),
  };
  const context = { ...CONTEXT, namespace: NAMESPACE, authorizer, reviewToken: () => ({}) };
  return orRefused(question, () => {
    review.check?.(question, context);
    return { object: review.answer(question, context), errors: [] };
  });
}

/** Sends body over an object that was created from before; with "status" through that subresource. */
export function update(
  definition: ResourceDefinition,
  bodies: { readonly before: Readonly<KubeObject>; readonly body: JsonObject },
  subresource = "",
): Outcome {
  const { version } = storageView(definition);
  const strategy = subresource === "status" ? (version.status ?? {}) : definition.strategy;
  const object = decode(definition, bodies.body);
  return orRefused(object, () => {
    strategy.claim?.(object, bodies.before, emptyClaims());
    strategy.prepareForUpdate?.(object, bodies.before, CONTEXT);
    return { object, errors: strategy.validateUpdate?.(object, bodies.before, CONTEXT) ?? [] };
  });
}

export const nameErrors = (definition: ResourceDefinition, name: string): string[] =>
  (definition.strategy.validateName ?? nameIsDnsSubdomain)(name, false);

/** The cells of a row by the names of their columns. */
export function rowOf(definition: ResourceDefinition, object: JsonObject): Record<string, unknown> {
  const { columns } = storageView(definition).version;
  const row = definition.printRow?.(object, NOW);
  return Object.fromEntries(columns.map((column, index) => [column.name, row?.cells[index]]));
}

const FIXTURES = new URL("../../fixtures/resources/", import.meta.url);

/** Keys in brackets may hold blanks. */
const FIELD_PATH = /[^\s[]+(?:\[[^\]]*\][^\s[]*)*/g;

export interface Fixture {
  readonly name: string;
  readonly body: JsonObject;
  /** What the first line of an invalid fixture says: the refused fields, or the complaint of the decoder. */
  readonly refused: readonly string[];
  readonly undecodable: string | undefined;
}

/** The folder of a kind's fixtures: "core.v1.Pod". */
export const fixtureFolder = ({ group, kind, versions }: ResourceDefinition): string =>
  `${group || "core"}.${versions[0]?.name}.${kind}`;

export const fixtureFolders = (): string[] => readdirSync(FIXTURES).sort();

export function fixturesOf(definition: ResourceDefinition): Fixture[] {
  const folder = new URL(`${fixtureFolder(definition)}/`, FIXTURES);
  return readdirSync(folder).map((file) => {
    const text = readFileSync(new URL(file, folder), "utf8");
    return {
      name: file.replace(/\.yaml$/, ""),
      body: parse(text) as JsonObject, // fixtures are objects
      refused: /^# refused: (.*)$/m.exec(text)?.[1]?.match(FIELD_PATH) ?? [],
      undecodable: /^# undecodable: (.*)$/m.exec(text)?.[1],
    };
  });
}

export function validBody(definition: ResourceDefinition): JsonObject {
  const fixture = fixturesOf(definition).find((item) => item.name === "valid");
  if (fixture === undefined) throw new Error(`${fixtureFolder(definition)} has no valid.yaml`);
  return cloneJson(fixture.body);
}
