// CRDs whose schemas are small, and whose objects are expensive to validate.
import { type CustomKind, customKind, DEFINITIONS, install, objectOf } from "./custom-kind.ts";
import { filled, inTurn, listOf, type Stall } from "./stall.ts";

/** Created, invalid, too large for the store, or aborted. */
const ANSWERS = [201, 413, 422, 429, 500, 504];

const strings = (count: number) => listOf(count, (index) => `item-${index}`);

export const SCHEMA_STALLS: readonly Stall[] = [
  checked({
    name: "oneofs",
    what: "oneOf of 3,000 schemas for each of 2,000 items",
    spec: {
      type: "array",
      items: { type: "string", oneOf: listOf(3000, (index) => ({ enum: [`item-${index}`] })) },
    },
    value: () => strings(2000),
  }),
  checked({
    name: "anyofs",
    what: "anyOf of 5,000 patterns for each of 1,000 items",
    spec: {
      type: "array",
      items: { type: "string", anyOf: listOf(5000, (index) => ({ pattern: `^a${index}(b|c)*d$` })) },
    },
    value: () => strings(1000),
  }),
  checked({
    name: "defaults",
    what: "40,000 properties with defaults",
    spec: {
      type: "object",
      properties: Object.fromEntries(
        listOf(40_000, (index) => [`p${index}`, { type: "string", default: "d" }]),
      ),
    },
    value: () => ({}),
  }),
  checked({
    name: "amplifies",
    what: "a default of 100 KB for each of 3,000 items",
    spec: {
      type: "array",
      items: {
        type: "object",
        properties: { text: { type: "string", default: filled("x", 100_000) } },
      },
    },
    value: () => listOf(3000, () => ({})),
  }),
  checked({
    name: "alternations",
    what: "a pattern of 20,000 words on 200,000 letters",
    spec: { type: "string", pattern: `^(${listOf(20_000, (index) => `w${index}x`).join("|")})*$` },
    value: () => filled("w19999x", 200_000),
  }),
  checked({
    name: "repetitions",
    what: "a pattern of counted repetitions",
    spec: { type: "string", pattern: "^((a{0,30}){0,30}b)*c$" },
    value: () => filled("a", 1_000_000),
  }),
  checked({
    name: "counted",
    what: "a short pattern of a thousand instructions on 20,000 letters",
    spec: { type: "string", pattern: "(?i)[a-z]{1000}x" },
    value: () => filled("a", 20_000),
  }),
  checked({
    name: "alternatives",
    what: "a pattern of 900 alternatives on 20,000 letters",
    spec: { type: "string", pattern: `(${listOf(900, (index) => `[a-z]*${index}`).join("|")})*$` },
    value: () => filled("az1 ", 20_000),
  }),
  checked({
    name: "rule-pattern",
    what: "a CEL rule that matches a pattern of a thousand instructions ten times",
    spec: {
      type: "string",
      maxLength: 20_000,
      "x-kubernetes-validations": [
        { rule: "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(i, !self.matches('(?i)[a-z]{1000}x'))" },
      ],
    },
    value: () => filled("a", 19_000),
  }),
  checked({
    name: "rules",
    what: "a CEL rule for each of 10,000 items",
    spec: {
      type: "array",
      maxItems: 10_000,
      items: {
        type: "string",
        maxLength: 20,
        "x-kubernetes-validations": listOf(10, (index) => ({
          rule: `self.matches('^item-[0-9]+$') && self != 'other-${index}'`,
        })),
      },
    },
    value: () => strings(10_000),
  }),
  {
    id: "schema/definition",
    what: "a definition of 3 MB, refused",
    answers: ANSWERS,
    arm: async (access) => {
      const properties = listOf(60_000, (index) => [`p${index}`, { type: "string", format: "x" }]);
      const large = customKind("larges", { type: "object", properties: Object.fromEntries(properties) });
      return inTurn(access, [{ method: "POST", path: DEFINITIONS, body: JSON.stringify(large.definition) }]);
    },
  },
];

interface Checked {
  readonly name: string;
  readonly what: string;
  readonly spec: object;
  value(): unknown;
}

/** Creates the CRD, and creates and changes an object of it. */
function checked({ name, what, spec, value }: Checked): Stall {
  return {
    id: `schema/${name}`,
    what,
    answers: [200, ...ANSWERS],
    arm: async (access) => {
      const kind: CustomKind = customKind(name, spec);
      const define = { method: "POST", path: DEFINITIONS, body: JSON.stringify(kind.definition) };
      const create = { method: "POST", path: kind.path, body: objectOf(kind, "one", value()) };
      return async () => {
        const defined = await inTurn(access, [define])();
        if (defined[0] !== 201) return defined;
        await install(access, kind);
        return [...defined, ...(await inTurn(access, [create])())];
      };
    },
  };
}
