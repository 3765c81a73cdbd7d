import { describe, expect, it } from "vitest";
import { CONTEXT, create, decode, definitionOf, lines } from "../passage.ts";

const NAMESPACES = definitionOf("Namespace");
const KNOWN = "name is neither a standard finalizer name nor is it fully qualified";
const holding = (...finalizers: string[]) => ({ metadata: { name: "n" }, spec: { finalizers } });

describe("the finalizers of a Namespace's content", () => {
  it("lie below a domain or are well known, when it is made", () => {
    expect(lines(create(NAMESPACES, holding("example.com/a", "kubernetes", "orphan")).errors)).toEqual([]);
    const [plain, odd, ...more] = lines(create(NAMESPACES, holding("nope", "a b/c")).errors);
    expect(plain).toBe(`spec.finalizers: Invalid value: "nope": ${KNOWN}`);
    expect(odd).toMatch(/^spec\.finalizers: Invalid value: "a b\/c": prefix part a lowercase RFC 1123/);
    expect(more).toEqual([]);
  });

  it("likewise, with their places, when they are written afterwards", () => {
    const before = create(NAMESPACES, holding()).object;
    const finalize = NAMESPACES.subresources?.find(({ name }) => name === "finalize")?.strategy;
    const errors = finalize?.validateUpdate?.(decode(NAMESPACES, holding("a/b", "nope")), before, CONTEXT);
    expect(lines(errors ?? [])).toEqual([`spec.finalizers[1]: Invalid value: "nope": ${KNOWN}`]);
  });
});
