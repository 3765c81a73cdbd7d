// Tests a step of the build, see scripts/shared-shapes.ts.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Script } from "node:vm";
import { describe, expect, test } from "vitest";
import { withSharedShapes } from "../../../../scripts/shared-shapes.ts";

const node = (args: readonly string[]) => promisify(execFile)(process.execPath, args);

test.each([
  ["x = {...a, b: 1};", "x = {...null,...a, b: 1};"],
  ["f({...a});", "f({...null,...a});"],
  ["({...a, ...b, ...{...c, d}});", "({...null,...a, ...b, ...{...null,...c, d}});"],
  [
    "() => ({ ...a.b(), get c() { return {...d}; } });",
    "() => ({ ...null,...a.b(), get c() { return {...null,...d}; } });",
  ],
  ["x = {...null, ...a};", "x = {...null, ...a};"],
  ["x = {a, ...b};", "x = {a, ...b};"],
  ["let {...rest} = a; [...rest]; f(...rest);", "let {...rest} = a; [...rest]; f(...rest);"],
  ['return "{...a, b}" + /[{]...a/u; // {...a', 'return "{...a, b}" + /[{]...a/u; // {...a'],
])("%s", (code, expected) => {
  expect(withSharedShapes(code)).toBe(expected);
});

test("what is no script is refused", () => {
  expect(() => withSharedShapes("x = {...")).toThrow(SyntaxError);
});

describe("what comes of a literal", () => {
  const run = (code: string): unknown => new Script(code).runInThisContext();

  test.each([
    "({...{a: 1, b: 2}, b: 3, c: 4})",
    "({...undefined, ...null, a: 1})",
    '({...JSON.parse(\'{"__proto__":{"a":1},"b":2}\'), c: 3})',
    "({...{get a() { return 1; }}, b: 2})",
    '({..."ab", [Symbol.for("s")]: 1})',
    "({...{2: 1, 1: 2}, 0: 3})",
  ])("%s is the same", (code) => {
    const [before, after] = [run(code), run(withSharedShapes(code))];
    expect(Object.getOwnPropertyDescriptors(after)).toEqual(Object.getOwnPropertyDescriptors(before));
    expect(Reflect.ownKeys(Object(after))).toEqual(Reflect.ownKeys(Object(before)));
    expect(Object.getPrototypeOf(after)).toBe(Object.getPrototypeOf(before));
  });

  // In a process of its own: after very many literals V8 creates no further hidden classes.
  test.runIf(process.versions.v8.startsWith("11."))(
    "shares its hidden class with others from the same place",
    async () => {
      const code = "make = (a, i) => ({...a, x: i, y: i}); for (let i = 0; i < 100; i++) make({a: 1}, i);";
      const isShared = "console.log(%HaveSameMap(make({a: 1}, 1), make({a: 2}, 2)))";
      const told = async (made: string) =>
        (await node(["--allow-natives-syntax", "-e", `let make; ${made} ${isShared}`])).stdout;
      expect(await told(withSharedShapes(code))).toBe("true\n");
      expect(await told(code)).toBe("false\n");
    },
  );
});
