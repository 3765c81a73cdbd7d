import { expect, test } from "vitest";
import { encodeJson } from "../../../../src/apimachinery/json/json-encode.ts";
import { encodeJsonInTurns, lateObject } from "../../../../src/apimachinery/json/json-in-turns.ts";
import { countTurns } from "../../../support/count-turns.ts";

test("others have their turn while a large value is written", async () => {
  const value = Array.from({ length: 100_000 }, (_, index) => ({ b: index, a: "ä" }));
  const { turns, done } = await countTurns(() => encodeJsonInTurns(value));
  expect(done).toBe(encodeJson(value));
  expect(turns).toBeGreaterThan(20);
});

test("each piece is mended, wherever it ends", async () => {
  const value = Array.from({ length: 2000 }, (_, index) => ({ [`<${index}>`]: "&" }));
  const mend = (piece: string) => piece.replaceAll(/[<>&]/g, "!");
  expect(await encodeJsonInTurns(value, undefined, mend)).toBe(mend(encodeJson(value)));
});

test("an object that nobody has looked into is not made for it", async () => {
  const make = () => {
    throw new Error("it is not needed");
  };
  const late = lateObject({ make, text: () => '{"c":1}' });
  expect(await encodeJsonInTurns({ b: [late], a: 1n })).toBe('{"a":1,"b":[{"c":1}]}');
});
