// Random cases in the form of recorded ones: an object is created, and then several requests are sent to it.
import { isObject, type JsonObject } from "../../src/apimachinery/json/json.ts";
import type { Call, ConformanceCase, Step } from "../conformance/runner/case-file.ts";
import { Random } from "../support/random.ts";
import { changed } from "./change-object.ts";
import { collectionPath, type ServedKind } from "./served-api.ts";
import { validObject } from "./valid-object.ts";

const STEPS_MAX = 3;
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
const METADATA_ONLY = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json";
const QUERIES = [
  "",
  "",
  "",
  "dryRun=All",
  "fieldValidation=Strict",
  "fieldValidation=Warn",
  "fieldManager=me",
];
const DELETE_BODIES = [
  undefined,
  undefined,
  {},
  { propagationPolicy: "Foreground" },
  { gracePeriodSeconds: 0 },
];

/** Webhooks without a server would make every later write fail. */
const NOT_DRAWN = /webhookconfigurations$/;

export const canBeDrawn = ({ resource }: ServedKind): boolean => !NOT_DRAWN.test(resource);

/** Returns the same case for the same kind and seed. */
export function drawnCase(kind: ServedKind, seed: number): ConformanceCase {
  const drawer = new CaseDrawer(kind, new Random(seed));
  const steps = drawer.steps().map((call): Step => ({ do: call }));
  const name = `fuzz/${kind.resource}/${seed}`;
  return {
    name,
    about: `${kind.kind}: drawn by chance`,
    ...(kind.namespaced ? { namespace: true } : {}),
    steps,
  };
}

class CaseDrawer {
  readonly #kind: ServedKind;
  readonly #random: Random;
  readonly #valid: JsonObject;
  readonly #collection: string;
  readonly #path: string;

  constructor(kind: ServedKind, random: Random) {
    this.#kind = kind;
    this.#random = random;
    this.#valid = validObject(kind);
    this.#collection = collectionPath(kind, "{{ns}}");
    const { metadata } = this.#valid;
    this.#path = `${this.#collection}/${isObject(metadata) ? String(metadata["name"]) : ""}`;
  }

  steps(): Call[] {
    const path = this.#collection;
    const create = {
      method: "POST",
      path: this.#asked(path, this.#random.one(QUERIES)),
      body: this.#changed(),
    };
    const ways = this.#ways();
    const more = ways.length > 0 ? this.#random.below(STEPS_MAX + 1) : 0;
    return [create, ...Array.from({ length: more }, () => this.#random.one(ways)())];
  }

  /** The requests to draw from; a request listed twice is drawn twice as often. */
  #ways(): (() => Call)[] {
    const { verbs, subresources } = this.#kind;
    const ways: [string, () => Call][] = [
      ["get", () => this.#get()],
      ["update", () => this.#update("")],
      ["update", () => this.#update("")],
      ["patch", () => this.#patch("")],
      ["patch", () => this.#patch("")],
      ["patch", () => this.#apply("")],
      ["patch", () => this.#apply("")],
      ["delete", () => this.#delete()],
    ];
    if (subresources.has("status"))
      for (const write of ["update", "patch", "apply"] as const)
        ways.push([write === "update" ? "update" : "patch", () => this.#status(write)]);
    return ways.filter(([verb]) => verbs.has(verb)).map(([, way]) => way);
  }

  #get(): Call {
    const accept = this.#random.one([undefined, TABLE, METADATA_ONLY]);
    const path = this.#random.one([this.#path, this.#path, this.#collection]);
    return { method: "GET", path, ...(accept === undefined ? {} : { headers: { accept } }) };
  }

  #update(below: string): Call {
    return {
      method: "PUT",
      path: this.#asked(this.#path + below, this.#random.one(QUERIES)),
      body: this.#changed(),
    };
  }

  #patch(below: string): Call {
    const types = ["json-patch", "merge-patch", "strategic-merge-patch"] as const;
    const type = this.#random.one(types);
    const body = type === "json-patch" ? this.#operations() : this.#partial();
    const headers = { "content-type": `application/${type}+json` };
    return {
      method: "PATCH",
      path: this.#asked(this.#path + below, this.#random.one(QUERIES)),
      headers,
      body,
    };
  }

  #apply(below: string): Call {
    const query = this.#random.one(["fieldManager=a", "fieldManager=b", "fieldManager=b&force=true"]);
    const headers = { "content-type": "application/apply-patch+yaml" };
    return { method: "PATCH", path: this.#asked(this.#path + below, query), headers, body: this.#changed() };
  }

  #status(write: "update" | "patch" | "apply"): Call {
    if (write === "update") return this.#update("/status");
    return write === "patch" ? this.#patch("/status") : this.#apply("/status");
  }

  #delete(): Call {
    const body = this.#random.one(DELETE_BODIES);
    const path = this.#asked(
      this.#path,
      this.#random.one(["", "", "dryRun=All", "propagationPolicy=Orphan"]),
    );
    return { method: "DELETE", path, ...(body === undefined ? {} : { body }) };
  }

  /** The valid object, mostly with an error in it. */
  #changed(): JsonObject {
    return changed(this.#valid, this.#kind, this.#random, this.#random.one([0, 1, 1, 1, 2])).object;
  }

  /** A merge patch with the same changes. */
  #partial(): unknown {
    const { object, paths } = changed(this.#valid, this.#kind, this.#random, 1);
    const top = paths[0]?.[0];
    if (top === undefined || this.#random.chance(0.3)) return object;
    return { [top]: object[top] ?? null };
  }

  #operations(): unknown[] {
    const count = this.#random.one([1, 1, 2]);
    return Array.from({ length: count }, () => {
      const { object, paths } = changed(this.#valid, this.#kind, this.#random, 1);
      const path = paths[0] ?? ["metadata"];
      const op = this.#random.one(["replace", "replace", "add", "add", "remove", "test", "copy", "move"]);
      const from = op === "copy" || op === "move" ? { from: "/metadata/labels" } : {};
      return {
        op,
        path: pointer(path),
        ...(op === "remove" ? {} : { value: at(object, path) ?? null }),
        ...from,
      };
    });
  }

  #asked(path: string, query: string): string {
    return query === "" ? path : `${path}?${query}`;
  }
}

const pointer = (path: readonly (string | number)[]): string =>
  path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

function at(object: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === "object" && value !== null
        ? (value as Record<string | number, unknown>)[step]
        : undefined,
    object,
  );
}
