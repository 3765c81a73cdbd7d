// Secrets that are planted into objects of all kinds, as values and as keys: the anonymised object contains none of them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { cloneJson, isObject, type JsonObject } from "../../../src/apimachinery/json/json.ts";
import type { KubeObject } from "../../../src/apimachinery/meta/object-meta.ts";
import { anonymiser } from "../../../src/features/import/sources/anonymise/anonymise.ts";
import {
  CHOICES,
  CHOICES_OF_WORDS,
  KINDS,
  RESOURCES,
} from "../../../src/features/import/sources/anonymise/choice-words.ts";
import { FIELDS, NUMBERS, QUANTITIES } from "../../../src/features/import/sources/anonymise/field-words.ts";
import { isPublicKey } from "../../../src/features/import/sources/anonymise/public-words.ts";
import { PRIVATE_CLUSTER } from "../../support/private-cluster.ts";

const repository = join(import.meta.dirname, "../../..");
const { object: change, text } = anonymiser("planted");

const WORD = "moltebank";
const NUMBER = "48213";
const ADDRESS = "203.0.113.77";
/** Texts that must not occur afterwards, in any letter case. */
const SECRETS = [WORD, NUMBER, ADDRESS, "203-0-113-77", "github", "amazonaws"];
const FORMS = [
  ...[WORD, "Moltebank", "MOLTEBANK_TOKEN", `${WORD}-${NUMBER}`, `${WORD}${NUMBER}`, `the ${WORD} of 2031`],
  ...[
    `${WORD}.github.io`,
    `${WORD}.eu-west-1.rds.amazonaws.com`,
    `${WORD}.k8s.io`,
    `${WORD}.openshift.io/v1`,
  ],
  ...[`${WORD}.k8s.io/name`, `app.kubernetes.io/${WORD}`, `k8s.ovn.org/${WORD}`, `count/${WORD}`],
  ...[ADDRESS, `${ADDRESS}/32`, `ip-203-0-113-77`, `https://${ADDRESS}:8443/${WORD}?a=${NUMBER}`],
  ...[JSON.stringify({ [WORD]: [NUMBER, { name: WORD, id: Number(NUMBER) }] }), `[{"${WORD}": ${NUMBER}}]`],
  ...[`v1.2.3-${WORD}`, `1.30.${NUMBER}-${WORD}`, `${WORD}@example.com`, `cn=${WORD},ou=${NUMBER}`],
];

/** Reviews have no metadata, and are never stored. */
const CORPUS: readonly KubeObject[] = [
  ...[...recorded(), ...fixtures(), ...definitions(), ...PRIVATE_CLUSTER].filter(({ metadata }) => metadata),
];

function recorded(): KubeObject[] {
  const facts = readFileSync(join(repository, "test/fixtures/facts/etcd/registry.json"), "utf8");
  return (JSON.parse(facts) as { object: KubeObject }[]).map(({ object }) => object);
}

function fixtures(): KubeObject[] {
  const folder = join(repository, "test/fixtures/resources");
  return readdirSync(folder).flatMap((kind) =>
    readdirSync(join(folder, kind))
      .filter((name) => /^valid.*\.yaml$/.test(name))
      .map((name) => parse(readFileSync(join(folder, kind, name), "utf8")) as KubeObject),
  );
}

function definitions(): KubeObject[] {
  const folder = join(repository, "schemas/k8s.ovn.org/v1");
  return readdirSync(folder).flatMap((name) =>
    parseAllDocuments(readFileSync(join(folder, name), "utf8"))
      .map((doc) => doc.toJS() as KubeObject)
      .filter(({ kind }) => kind === "CustomResourceDefinition"),
  );
}

interface Position {
  readonly holder: JsonObject | unknown[];
  readonly key: string | number;
  /** The nearest named member. */
  readonly member: string;
  readonly path: string;
}

/** All scalar values, without the kind and the apiVersion of the object. */
function positionsOf(root: KubeObject): Position[] {
  const found: Position[] = [];
  const walk = (holder: JsonObject | unknown[], parent: string, path: string): void => {
    for (const [key, value] of Object.entries(holder)) {
      const member = Array.isArray(holder) ? parent : key;
      const at = `${path}.${key}`;
      if (isObject(value) || Array.isArray(value)) walk(value as JsonObject, member, at);
      else if (at !== ".kind" && at !== ".apiVersion")
        found.push({ holder, key: Array.isArray(holder) ? Number(key) : key, member, path: at });
    }
  };
  walk(root as unknown as JsonObject, "", "");
  return found;
}

const found = (object: unknown, secrets = SECRETS): string[] => {
  const all = JSON.stringify(object ?? null).toLowerCase();
  return secrets.filter((secret) => all.includes(secret));
};

const named = ({ kind = "", metadata }: KubeObject): string =>
  `${kind} ${metadata.name ?? metadata.generateName}`;
const cases = CORPUS.map((object, index) => [`${index} ${named(object)}`, object] as const);

describe("a text", () => {
  test.each(cases)("in any position of %s", (_name, object) => {
    const count = positionsOf(object).length;
    for (let index = 0; index < count; index++) {
      const copy = cloneJson(object);
      const position = positionsOf(copy)[index];
      if (position === undefined) continue;
      const form = FORMS[(index * 7 + (object.metadata.name?.length ?? 0)) % FORMS.length] ?? WORD;
      (position.holder as JsonObject)[position.key] = form;
      expect(found(change(copy)), `${position.path} = ${form}`).toEqual([]);
    }
  });

  test.each(FORMS)("in all positions at once: %s", (form) => {
    for (const object of CORPUS) {
      const copy = cloneJson(object);
      for (const { holder, key } of positionsOf(copy)) (holder as JsonObject)[key] = form;
      expect(found(change(copy)), named(object)).toEqual([]);
    }
  });
});

describe("a key", () => {
  test.each(cases)("in any object of %s", (_name, object) => {
    const count = holdersOf(object).length;
    for (let index = 0; index < count; index++) {
      const copy = cloneJson(object);
      const holder = holdersOf(copy)[index];
      if (holder === undefined) continue;
      const form = FORMS[(index * 5) % FORMS.length] ?? WORD;
      holder[form] = form;
      holder[`f:${form}`] = {
        [`k:${JSON.stringify({ name: form, [form]: form })}`]: {},
        [`v:"${form}"`]: {},
      };
      expect(found(change(copy)), `${index}: ${form}`).toEqual([]);
    }
  });
});

function holdersOf(root: KubeObject): JsonObject[] {
  const all: JsonObject[] = [];
  const walk = (value: unknown): void => {
    if (isObject(value)) all.push(value);
    if (isObject(value) || Array.isArray(value)) for (const inner of Object.values(value)) walk(inner);
  };
  walk(root);
  return all;
}

describe("a number", () => {
  /** Members that count the writes of an object or order them. */
  const ORDER = new Set(["resourceVersion", "generation", "deletionGracePeriodSeconds"]);

  test.each(cases)("as a text of %s stays only where a quantity is", (_name, object) => {
    for (const { holder, key, member, path } of positionsOf(cloneJson(object))) {
      if (QUANTITIES.has(member) || ORDER.has(member) || isQuantity(path)) continue;
      const before = (holder as JsonObject)[key];
      (holder as JsonObject)[key] = NUMBER;
      const isCounted = /\.annotations\.(k8s\.ovn\.org|deployment\.kubernetes\.io|controller\.kub)/.test(
        path,
      );
      if (!isCounted) expect(found(change(rootOf(object, path, NUMBER)), [NUMBER]), path).toEqual([]);
      (holder as JsonObject)[key] = before;
    }
  });

  test.each(cases)("of %s stays only in members that count, limit or are ports", (_name, object) => {
    for (const { member, path, holder, key } of positionsOf(object)) {
      if (typeof (holder as JsonObject)[key] !== "number" || NUMBERS.has(member) || ORDER.has(member))
        continue;
      if (isQuantity(path)) continue;
      expect(found(change(rootOf(object, path, Number(NUMBER))), [NUMBER]), path).toEqual([]);
    }
  });

  /** In maps of quantities the keys are names of resources. */
  function isQuantity(path: string): boolean {
    return path.split(".").some((part) => QUANTITIES.has(part) || part === "counters");
  }

  /** A copy with this value at the path. */
  function rootOf(object: KubeObject, path: string, value: unknown): KubeObject {
    const copy = cloneJson(object);
    const position = positionsOf(copy).find((one) => one.path === path);
    if (position !== undefined) (position.holder as JsonObject)[position.key] = value;
    return copy;
  }
});

describe("the same word", () => {
  test("has the same other name as a name, a label, a key, in a text and in managedFields", () => {
    const words = fc.stringMatching(/^[a-z]{4,10}$/).filter((word) => text(word) !== word);
    fc.assert(
      fc.property(words, (word) => {
        const other = text(word);
        const object = change({
          ...{ apiVersion: "v1", kind: "Pod" },
          metadata: {
            ...{ name: `${word}-x`, namespace: word, labels: { [`example.com/${word}`]: word, [word]: "1" } },
            managedFields: [
              {
                ...{ manager: word, operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1" },
                fieldsV1: {
                  "f:metadata": { "f:labels": { [`f:example.com/${word}`]: {}, [`f:${word}`]: {} } },
                  "f:spec": {
                    "f:containers": { [`k:{"name":"${word}"}`]: { "f:env": { 'k:{"name":"X"}': {} } } },
                  },
                },
              },
            ],
          },
          spec: { containers: [{ name: word, image: word }], nodeSelector: { [word]: word } },
        });
        const fields = object?.metadata.managedFields?.[0]?.fieldsV1 as JsonObject;
        expect(object).toMatchObject({
          metadata: { namespace: other, name: `${other}-${text("x")}` },
          spec: { containers: [{ name: other, image: other }], nodeSelector: { [other]: other } },
        });
        const labels = Object.keys(object?.metadata.labels ?? {});
        expect(Object.values(object?.metadata.labels ?? {})).toContain(other);
        expect(fields).toEqual({
          "f:metadata": { "f:labels": Object.fromEntries(labels.map((key) => [`f:${key}`, {}])) },
          "f:spec": { "f:containers": { [`k:{"name":"${other}"}`]: {} } },
        });
      }),
      { numRuns: 50 },
    );
  });
});

describe("the lists of public words", () => {
  const schemas = join(repository, "schemas");
  const raw: JsonObject[] = readdirSync(schemas, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".yaml"))
    .flatMap((entry) => parseAllDocuments(readFileSync(join(entry.parentPath, entry.name), "utf8")))
    .map((doc) => doc.toJS() as JsonObject);

  test("hold the members and the enumerations of all schemas", () => {
    const missing = new Set<string>();
    const walk = (value: unknown): void => {
      if (Array.isArray(value)) value.forEach(walk);
      if (!isObject(value)) return;
      const { properties, enum: choices, type } = value;
      if (isObject(properties) && type === "object")
        for (const name of Object.keys(properties)) if (!FIELDS.has(name)) missing.add(name);
      for (const choice of Array.isArray(choices) ? choices : [])
        if (typeof choice === "string" && /^[A-Za-z]/.test(choice) && !isKnown(choice)) missing.add(choice);
      Object.values(value).forEach(walk);
    };
    walk(raw);
    expect([...missing]).toEqual([]);
  });

  const isKnown = (choice: string): boolean =>
    CHOICES.has(choice) || CHOICES_OF_WORDS.has(choice) || FIELDS.has(choice) || text(choice) === choice;

  test("hold the kinds and resources of all definitions", () => {
    for (const { kind, spec } of raw) {
      if (kind !== "CustomResourceDefinition" || !isObject(spec)) continue;
      const { names } = spec as { names: { kind: string; plural: string } };
      expect([KINDS.has(names.kind), RESOURCES.has(names.plural)], names.kind).toEqual([true, true]);
    }
  });
});

test("keys that the sources of this package name are public", () => {
  const OWN =
    /"((?:[a-z0-9-]+\.)+(?:k8s\.io|kubernetes\.io|ovn\.org|openshift\.io|cncf\.io|egret\.dev)\/[a-z][a-z0-9.-]+)"/g;
  const files = readdirSync(join(repository, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.name.endsWith(".ts"))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
  const named = files.flatMap((file) => [...file.matchAll(OWN)].map(([, key = ""]) => key));
  // Not a key, but a version or a resource of a group.
  const keys = named.filter((key) => !/\/(v\d\w*|\w+s)$/.test(key) || key.endsWith("/subnets"));
  expect([...new Set(keys.filter((key) => !isPublicKey(key)))]).toEqual([]);
});
