import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { FAULT_REPORT_SCHEMA, FAULT_SCHEMA, type Fault } from "../../../../src/features/faults/fault.ts";
import { checkFault } from "../../../../src/features/faults/live-fault.ts";

const validate = new Ajv({ strict: false }).compile(FAULT_SCHEMA);

const good: Fault[] = [
  { error: { code: 409 } },
  {
    error: { code: 429, retryAfterSeconds: 3, reason: "TooManyRequests", message: "later" },
    count: 1,
    skip: 0,
  },
  { error: { code: 504, when: "after" }, match: { verb: ["create", "patch"] }, probability: 0.5 },
  { delay: { milliseconds: { min: 1, max: 1 }, when: "after" }, match: { path: "/apis" }, id: "slow-apis" },
  { disconnect: { how: "hang", when: "midBody" }, match: { group: ["", "apps"] } },
  { slow: { bytesPerSecond: 10 } },
  { watchEnd: { how: "expired", afterEvents: 2, message: "gone" }, match: { verb: "watch" } },
  { bookmarks: { withhold: "initialEventsEnd" } },
  { duplicateEvents: { share: 0.1 } },
  { lateEvents: { milliseconds: 5 } },
  { staleRead: { revisions: 3, reads: "all" }, match: { verb: ["get", "list", "watch"] } },
  { staleRead: { resourceVersion: "7" } },
  { expireContinue: {} },
];

test.each(good)("%j means something", (fault) => {
  expect(validate(fault), JSON.stringify(validate.errors)).toBe(true);
  expect(fault).toHaveProperty(checkFault(fault));
});

test.each<[unknown]>([
  [{ error: { code: 200 } }],
  [{ error: {} }],
  [{ error: { code: 409, why: "x" } }],
  [{ fault: {} }],
  [{ error: { code: 409 }, match: { verbs: "get" } }],
  [{ error: { code: 409 }, match: { verb: "read" } }],
  [{ error: { code: 409 }, match: { verb: [] } }],
  [{ error: { code: 409 }, count: 0 }],
  [{ error: { code: 409 }, probability: 1.5 }],
  [{ delay: { milliseconds: -1 } }],
  [{ delay: { milliseconds: { min: 1 } } }],
  [{ disconnect: { how: "break" } }],
  [{ slow: { bytesPerSecond: 0 } }],
  [{ watchEnd: {} }],
  [{ staleRead: { resourceVersion: "0" } }],
  [{ expireContinue: { token: "x" } }],
  [{ error: { code: 409 }, id: "a/b" }],
])("the schema refuses %j", (fault) => {
  expect(validate(fault)).toBe(false);
});

test.each<[Fault, string]>([
  [{}, "a fault does one of error, delay, "],
  [{ error: { code: 409 }, probability: 0 }, "the probability or share 0 never strikes"],
  [{ duplicateEvents: { share: 0 } }, "the probability or share 0 never strikes"],
  [{ error: { code: 409 }, slow: { bytesPerSecond: 1 } }, "this one has error and slow"],
  [{ error: { code: 409, retryAfterSeconds: 1 } }, "goes with 429 and 5xx, not with 409"],
  [{ error: { code: 500, when: "after" }, match: { verb: "get" } }, "is about writes only"],
  [
    { watchEnd: { how: "end" }, match: { verb: ["watch", "list"] } },
    "watchEnd cannot happen to the verb list",
  ],
  [{ watchEnd: { how: "end", message: "x" } }, "watchEnd.message belongs to expired"],
  [{ expireContinue: {}, match: { verb: "get" } }, "expireContinue cannot happen to the verb get"],
  [{ staleRead: {}, match: { verb: "create" } }, "staleRead cannot happen to the verb create"],
  [{ staleRead: { revisions: 1, resourceVersion: "2" } }, "either revisions or resourceVersion"],
  [{ disconnect: { how: "close", when: "midBody" }, match: { verb: "watch" } }, "is broken by watchEnd"],
  [{ delay: { milliseconds: { min: 2, max: 1 } } }, "delay.milliseconds.min is greater than max"],
  [{ error: { code: 500 }, match: { path: "/apis", resource: "pods" } }, "match.resource cannot be matched"],
  [{ bookmarks: { withhold: "all" }, match: { path: "/apis" } }, "is about resources, not about match.path"],
])("%j is refused", (fault, message) => {
  expect(() => checkFault(fault)).toThrow(message);
});

test("all that the schemas name is described", () => {
  const missing: string[] = [];
  const look = (schema: unknown, at: string): void => {
    const { properties, description } = schema as { properties?: object; description?: string };
    if (description === undefined) missing.push(at);
    for (const [name, member] of Object.entries(properties ?? {})) look(member, `${at}.${name}`);
  };
  look(FAULT_SCHEMA, "fault");
  expect(missing).toEqual([]);
  expect(FAULT_REPORT_SCHEMA).toHaveProperty("properties.fired.description");
});
