// The property on which kubectl relies: a strategic merge patch computed from two objects, with its directives, transforms
// one into the other, including the order of lists.
import fc from "fast-check";
import { expect, test } from "vitest";
import { equalJson, freezeJson, isObject, type JsonObject } from "../../src/apimachinery/json/json.ts";
import { mergeStrategically } from "../../src/apimachinery/patch/strategic-merge-patch.ts";
import { coreNode } from "../unit/apimachinery/patch/support.ts";
import { runs } from "./api/objects.ts";

/** The merge strategy of each part of a Pod in these patches; other parts are atomic. */
interface Rule {
  /** Lists whose items have this merge key. */
  readonly key?: string;
  /** Lists of scalars without an order. */
  readonly isSet?: boolean;
  /** The patch removes members that it does not name, as for the source of a volume. */
  readonly retainsKeys?: boolean;
  readonly fields?: Readonly<Record<string, Rule>>;
}

const MAP: Rule = { fields: {} };
const POD: Rule = {
  fields: {
    metadata: { fields: { labels: MAP, finalizers: { isSet: true } } },
    spec: {
      fields: {
        nodeSelector: MAP,
        containers: {
          key: "name",
          fields: {
            env: { key: "name" },
            ports: { key: "containerPort" },
            resources: { fields: { limits: MAP } },
          },
        },
        volumes: { key: "name", retainsKeys: true },
        hostAliases: { key: "ip" },
        imagePullSecrets: { key: "name" },
      },
    },
  },
};

function patchBetween(from: JsonObject, to: JsonObject, rule: Rule): JsonObject {
  const patch: JsonObject = {};
  for (const name of Object.keys(from)) if (to[name] === undefined) patch[name] = null;
  for (const [name, value] of Object.entries(to)) {
    const old = from[name];
    const below = rule.fields?.[name] ?? (rule === MAP ? undefined : {});
    if (equalJson(old, value)) continue;
    if (isList(old) && isList(value) && below?.key)
      patchList(patch, name, [old, value], { ...below, key: below.key });
    else if (isList(old) && isList(value) && below?.isSet) patchSet(patch, name, old, value);
    else if (isObject(old) && isObject(value)) patch[name] = patchBetween(old, value, below ?? {});
    else patch[name] = value;
  }
  if (rule.retainsKeys) patch["$retainKeys"] = Object.keys(to);
  return patch;
}

type List = readonly unknown[];
const isList = (value: unknown): value is List => Array.isArray(value);

function patchList(
  patch: JsonObject,
  name: string,
  [from, to]: readonly [List, List],
  rule: Rule & { key: string },
) {
  const { key } = rule;
  const keyed = (list: List) => new Map((list as JsonObject[]).map((item) => [item[key], item])); // of objects
  const [before, after] = [keyed(from), keyed(to)];
  const gone = [...before.keys()].filter((each) => !after.has(each));
  const changed = [...after].filter(([each, item]) => !equalJson(before.get(each), item));
  const items = [
    ...changed.map(([each, item]) => {
      const old = before.get(each);
      return old === undefined ? item : { ...patchBetween(old, item, rule), [key]: each };
    }),
    ...gone.map((each) => ({ $patch: "delete", [key]: each })),
  ];
  if (items.length > 0) patch[name] = items;
  patch[`$setElementOrder/${name}`] = [...after.keys()].map((each) => ({ [key]: each }));
}

function patchSet(patch: JsonObject, name: string, from: List, to: List): void {
  const gone = from.filter((each) => !to.includes(each));
  const added = to.filter((each) => !from.includes(each));
  if (gone.length > 0) patch[`$deleteFromPrimitiveList/${name}`] = gone;
  if (added.length > 0) patch[name] = added;
  patch[`$setElementOrder/${name}`] = [...to];
}

const word = fc.constantFrom("a", "b", "c", "d");
const words = fc.dictionary(word, word, { minKeys: 1, maxKeys: 3, noNullPrototype: true });
const some = <T extends Record<string, fc.Arbitrary<unknown>>>(
  members: T,
  requiredKeys: (keyof T & string)[] = [],
) => fc.record(members, { requiredKeys, noNullPrototype: true });
const listOf = <T extends object>(item: fc.Arbitrary<T>, key: keyof T) =>
  fc.uniqueArray(item, { minLength: 1, maxLength: 4, selector: (each) => each[key] });

const container = some(
  {
    name: word,
    image: word,
    args: fc.array(word, { minLength: 1, maxLength: 2 }),
    env: listOf(some({ name: word, value: word }, ["name"]), "name"),
    ports: listOf(
      some({ containerPort: fc.integer({ min: 1, max: 4 }), name: word }, ["containerPort"]),
      "containerPort",
    ),
    resources: some({
      limits: fc.dictionary(fc.constantFrom("cpu", "memory"), fc.constantFrom("1", "2"), { minKeys: 1 }),
    }),
  },
  ["name"],
);
const volume = fc.tuple(word, word, fc.boolean()).map(([name, from, isEmpty]) => {
  return isEmpty ? { name, emptyDir: { medium: from } } : { name, configMap: { name: from } };
});
const pod: fc.Arbitrary<JsonObject> = some(
  {
    metadata: some({ labels: words, finalizers: fc.uniqueArray(word, { minLength: 1, maxLength: 3 }) }),
    spec: some({
      nodeSelector: words,
      containers: listOf(container, "name"),
      volumes: listOf(volume, "name"),
      hostAliases: listOf(
        some({ ip: word, hostnames: fc.array(word, { minLength: 1, maxLength: 2 }) }, ["ip"]),
        "ip",
      ),
      imagePullSecrets: listOf(some({ name: word }, ["name"]), "name"),
      tolerations: fc.array(some({ key: word, operator: word }, ["key"]), { minLength: 1, maxLength: 2 }),
    }),
  },
  ["metadata", "spec"],
);

const node = coreNode("Pod");

test("a patch made from a difference gives the target", () => {
  fc.assert(
    fc.property(pod, pod, (from, to) => {
      const patch = freezeJson(patchBetween(from, to, POD));
      expect(mergeStrategically(freezeJson(from), patch, node).object).toEqual(to);
    }),
    runs(500),
  );
});

test("a second time it changes nothing", () => {
  fc.assert(
    fc.property(pod, pod, (from, to) => {
      const patch = freezeJson(patchBetween(from, to, POD));
      expect(mergeStrategically(freezeJson(to), patch, node).object).toEqual(to);
    }),
    runs(300),
  );
});

test("what somebody else has added meanwhile stays, behind or before what is ordered", () => {
  const other = { name: "other", image: "x" };
  fc.assert(
    fc.property(pod, pod, (from, to) => {
      const { containers: before, ...restBefore } = from["spec"] as { containers?: object[] }; // as generated
      const { containers: after } = to["spec"] as { containers?: object[] };
      fc.pre(before !== undefined && after !== undefined);
      const patch = freezeJson(patchBetween(from, to, POD));
      const live = freezeJson({ ...from, spec: { ...restBefore, containers: [...before, other] } });
      const { containers } = mergeStrategically(live, patch, node).object["spec"] as { containers: object[] };
      expect(containers).toContainEqual(other);
      expect(containers.filter((item) => !equalJson(item, other))).toEqual(after);
    }),
    runs(300),
  );
});
