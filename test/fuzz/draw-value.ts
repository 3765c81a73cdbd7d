// Values for the fields of a schema: valid ones, and invalid ones that a user might send by mistake.
import type { Random } from "../support/random.ts";
import type { PublishedSchema, ServedKind } from "./served-api.ts";

const DEPTH_MAX = 6;
const MEMBER_CHANCE = 0.3;

const TEXTS = ["a", "web", "a.b", "x-1", "IPv4", "TCP", "80", "10.0.0.1", "fd00::1", "example.com", "a/b"];
const BAD_TEXTS = [
  "",
  " a",
  "A_B",
  "-a",
  "*",
  "a b",
  "ä",
  "a/b/c",
  ".a",
  "x".repeat(64),
  "example.com/",
  "<&>",
];
const NUMBERS = [0, 1, 2, 63, 80, 8080];
const BAD_NUMBERS = [-1, 65_536, 2 ** 31, 2 ** 53, 1.5, 1e300];
const QUANTITIES = ["1", "1Gi", "100m", "1.5", "0", "-1", "1e3"];
const TIME = "2030-01-02T03:04:05Z";

export class ValueDrawer {
  readonly random: Random;
  readonly #resolve: ServedKind["resolve"];

  constructor(random: Random, resolve: ServedKind["resolve"]) {
    this.random = random;
    this.#resolve = resolve;
  }

  /** Of the type in the schema; validation rules may still reject it. */
  fitting(given: PublishedSchema, depth = 0): unknown {
    const schema = this.#resolve(given);
    if (schema.enum !== undefined && this.random.chance(0.9)) return this.random.one(schema.enum);
    if (schema.format === "date-time") return TIME;
    if (schema["x-kubernetes-int-or-string"] || schema.format === "int-or-string")
      return this.random.one([80, "80", "http", "50%"]);
    if (schema.oneOf !== undefined) return this.random.one(QUANTITIES); // a number or a text is a quantity
    switch (schema.type) {
      case "object":
        return this.#object(schema, depth);
      case "array":
        return this.#list(schema, depth);
      case "integer":
        return this.random.one(NUMBERS);
      case "number":
        return this.random.one([...NUMBERS, 0.5]);
      case "boolean":
        return this.random.chance(0.5);
      default:
        return schema.type === undefined ? this.random.one<unknown>([{}, "x", 1]) : this.random.one(TEXTS);
    }
  }

  #object({ properties = {}, required = [], additionalProperties }: PublishedSchema, depth: number): unknown {
    const drawn: Record<string, unknown> = {};
    for (const [name, property] of Object.entries(properties)) {
      if (required.includes(name) || (depth < DEPTH_MAX && this.random.chance(MEMBER_CHANCE / (depth + 1))))
        drawn[name] = this.fitting(property, depth + 1);
    }
    if (typeof additionalProperties === "object" && this.random.chance(0.7))
      drawn[this.random.one(["a", "cpu", "a.b/c"])] = this.fitting(additionalProperties, depth + 1);
    return drawn;
  }

  #list({ items = {} }: PublishedSchema, depth: number): unknown[] {
    const length = depth < DEPTH_MAX ? this.random.one([0, 1, 1, 2]) : 0;
    return Array.from({ length }, () => this.fitting(items, depth + 1));
  }

  /** Mostly of the right type, and likely to violate a rule. */
  doubtful(given: PublishedSchema): unknown {
    const { type } = this.#resolve(given);
    switch (type) {
      case "string":
        return this.random.one(BAD_TEXTS);
      case "integer":
      case "number":
        return this.random.one(BAD_NUMBERS);
      default:
        return this.fitting(given);
    }
  }

  /** Of another type than the schema's. */
  misfit(given: PublishedSchema): unknown {
    const { type } = this.#resolve(given);
    const others: [string | undefined, unknown][] = [
      ["string", "x"],
      ["integer", 1],
      ["boolean", true],
      ["object", {}],
      ["array", ["x"]],
      ["array", []],
    ];
    return this.random.one(others.filter(([of]) => of !== type))[1];
  }
}
