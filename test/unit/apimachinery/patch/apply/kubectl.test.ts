// Migration from client-side kubectl apply, with its last-applied annotation, to server-side apply and back.
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../../src/apimachinery/json/json.ts";
import { apply, conflict, forceApply, kindOf, type Operation, State, update } from "./state.ts";

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
const text = { type: "string" };
const kind = kindOf({ v1: { a: text, b: text } });

/** As the tool writes it: the object with the configuration it was made from. */
const clientSide = (spec: JsonObject, now: JsonObject = spec, apiVersion = "example.org/v1"): Operation =>
  update("kubectl-client-side-apply", {
    metadata: {
      annotations: {
        [LAST_APPLIED]: JSON.stringify({ apiVersion, kind: "Thing", metadata: { name: "x" }, spec }),
      },
    },
    spec: now,
  });

const run = (...operations: Operation[]) => {
  const state = new State(kind);
  for (const operation of operations) state.run(operation);
  return state;
};
const annotation = (state: State): string | undefined => state.live?.metadata.annotations?.[LAST_APPLIED];

describe("kubectl", () => {
  test("takes over what was applied client-side", () => {
    const state = run(clientSide({ a: "1", b: "1" }), apply("kubectl", { spec: { a: "2", b: "1" } }));
    expect(state.outcome().managers["kubectl Apply"]).toBe(".spec.a .spec.b");
    expect(state.outcome().object["spec"]).toEqual({ a: "2", b: "1" });
  });

  test("but not what has been changed since", () => {
    run(
      clientSide({ a: "1" }, { a: "9" }),
      conflict(apply("kubectl", { spec: { a: "2" } }), "kubectl-client-side-apply .spec.a"),
    );
  });

  test("nor at another version, nor from a text that says nothing", () => {
    const refused = conflict(apply("kubectl", { spec: { a: "2" } }), "kubectl-client-side-apply .spec.a");
    run(clientSide({ a: "1" }, { a: "1" }, "example.org/v2"), refused);
    run(clientSide({ a: "1", unknown: "1" }, { a: "1" }), refused);
    const broken = { metadata: { annotations: { [LAST_APPLIED]: "{" } }, spec: { a: "1" } };
    run(update("kubectl-client-side-apply", broken), refused);
  });

  test("keeps the annotation up to date, without itself in it", () => {
    const spec = { a: "<2>" };
    const state = run(
      clientSide({ a: "1" }),
      forceApply("kubectl", { metadata: { annotations: { [LAST_APPLIED]: "old", x: "y" } }, spec }),
    );
    expect(annotation(state)).toBe(
      '{"apiVersion":"example.org/v1","kind":"Thing","metadata":{"annotations":{"x":"y"},"name":"x"},"spec":{"a":"\\u003c2\\u003e"}}\n',
    );
  });

  test("makes none where there is none", () => {
    expect(annotation(run(apply("kubectl", { spec: { a: "1" } })))).toBeUndefined();
  });

  test("drops it when annotations would get too large", () => {
    const large = { metadata: { annotations: { big: "x".repeat(256 * 1024) } } };
    expect(annotation(run(clientSide({}), apply("kubectl", large)))).toBeUndefined();
  });
});

describe("others", () => {
  test("are in conflict", () => {
    run(
      clientSide({ a: "1" }),
      conflict(apply("ann", { spec: { a: "2" } }), "kubectl-client-side-apply .spec.a"),
    );
  });

  test("leave the annotation as it is", () => {
    const before = run(clientSide({ a: "1" }));
    const after = run(clientSide({ a: "1" }), forceApply("ann", { spec: { a: "2" } }));
    expect(annotation(after)).toBe(annotation(before));
  });
});
