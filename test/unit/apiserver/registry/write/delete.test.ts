import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { decodeJson } from "../../../../../src/apimachinery/json/json-decode.ts";
import type { KubeObject } from "../../../../../src/apimachinery/meta/object-meta.ts";
import type { DeleteOptions } from "../../../../../src/apiserver/registry/definition/request-context.ts";
import type { Strategy } from "../../../../../src/apiserver/registry/definition/resource-definition.ts";
import { deletionStep } from "../../../../../src/apiserver/registry/write/delete.ts";
import { contextFor, object } from "../support.ts";

const GRACEFUL: Strategy = { gracePeriodSeconds: (_object, asked) => asked ?? 30 };
const step = (strategy: Strategy, live: KubeObject, options: DeleteOptions = {}) =>
  deletionStep(strategy, live, options, contextFor());
const metadataOf = (result: ReturnType<typeof step>) => ("next" in result ? result.next.metadata : undefined);
const going = (seconds: number, more = {}) =>
  object(
    "a",
    {},
    { deletionTimestamp: "2020-01-01T00:01:00Z", deletionGracePeriodSeconds: seconds, ...more },
  );

describe("a kind without a grace period", () => {
  it("goes at once", () => {
    expect(step({}, object("a"))).toEqual({ type: "remove" });
    expect(step({}, object("a"), { gracePeriodSeconds: 60 })).toEqual({ type: "remove" });
  });

  it("stays, marked, while finalizers hold it; its generation counts that", () => {
    const result = step({}, object("a", {}, { finalizers: ["x/y"], generation: 4 }));
    expect(result.type).toBe("keep");
    expect(metadataOf(result)).toMatchObject({
      deletionGracePeriodSeconds: 0,
      finalizers: ["x/y"],
      generation: 5,
    });
  });

  it.each([
    ["9007199254740991", 9_007_199_254_740_992n],
    ["9007199254740993", 9_007_199_254_740_994n],
    ["9223372036854775807", -9_223_372_036_854_775_808n],
  ])("counts a generation of %s as an int64", (text, next) => {
    const { value } = decodeJson(`{"generation":${text},"finalizers":["x/y"]}`);
    const live = object("a", {}, value as JsonObject);
    expect(metadataOf(step({}, live))?.generation).toBe(next);
  });

  it("is not marked twice", () => {
    const live = going(0, { finalizers: ["x/y"], generation: 5 });
    expect(step({}, live)).toEqual({ type: "keep", next: live });
  });
});

describe("a kind with a grace period", () => {
  it("stays so long, and its deletion lies that far ahead", () => {
    const context = contextFor();
    const result = deletionStep(GRACEFUL, object("a"), { gracePeriodSeconds: 60 }, context);
    expect(result.type).toBe("keep");
    const { deletionTimestamp = "", deletionGracePeriodSeconds } = metadataOf(result) ?? {};
    expect(deletionGracePeriodSeconds).toBe(60);
    expect(Date.parse(deletionTimestamp)).toBe(Math.floor(context.clock.now() / 1000) * 1000 + 60_000);
  });

  it("is marked and then removed when there is no time to wait", () => {
    const result = step(GRACEFUL, object("a", {}, { generation: 1 }), { gracePeriodSeconds: 0 });
    expect(result.type).toBe("pass");
    expect(metadataOf(result)).toMatchObject({ deletionGracePeriodSeconds: 0, generation: 2 });
    expect(step(GRACEFUL, going(0))).toEqual({ type: "remove" });
  });

  it.each<[string, DeleteOptions]>([
    ["as long", { gracePeriodSeconds: 30 }],
    ["longer", { gracePeriodSeconds: 31 }],
    ["nothing said", {}],
  ])("goes on waiting when asked again: %s", (_name, options) => {
    expect(step(GRACEFUL, going(30), options)).toEqual({ type: "wait" });
  });

  it("goes sooner when a shorter time is asked for, counted from the first request", () => {
    const result = step(GRACEFUL, going(30, { generation: 2 }), { gracePeriodSeconds: 10 });
    expect(result.type).toBe("keep");
    expect(metadataOf(result)).toMatchObject({
      deletionTimestamp: "2020-01-01T00:00:40Z",
      deletionGracePeriodSeconds: 10,
      generation: 2,
    });
    expect(step(GRACEFUL, going(30), { gracePeriodSeconds: 0 }).type).toBe("pass");
  });

  it("is held by finalizers even without any time to wait", () => {
    const live = object("a", {}, { finalizers: ["x/y"] });
    expect(step(GRACEFUL, live, { gracePeriodSeconds: 0 }).type).toBe("keep");
    expect(step(GRACEFUL, going(0, { finalizers: ["x/y"] })).type).toBe("keep");
  });
});
