import { afterAll, beforeAll, expect, test } from "vitest";
import { type FakeServer, startFakeServer } from "./runner/fake-server.ts";
import { Target } from "./runner/target.ts";
import { runTexts, textDifference, textNames, withoutChance } from "./runner/texts.ts";

let server: FakeServer;

beforeAll(async () => {
  server = await startFakeServer();
});

afterAll(() => server[Symbol.asyncDispose]());

test("ids, revisions and times of writing do not count, other times do", () => {
  const text = (uid: string, revision: string, hour: string) =>
    `{"uid":"03d79659-3faa-4069-aff6-${uid}","resourceVersion":"${revision}","time":"2026-11-22T${hour}:12:34Z","note":"2026-11-22T14:12:34Z"}`;
  expect(withoutChance(text("18482dec9a6c", "9", "14"))).toBe(
    withoutChance(text("18482dec9a6d", "10", "15")),
  );
  expect(withoutChance('"renewTime":"2026-11-22T14:12:34Z"')).toBe('"renewTime":"2026-11-22T14:12:34Z"');
});

test("a difference is shown from a little before it", () => {
  expect(textDifference("same", "same")).toEqual([]);
  expect(textDifference('{"a":1}', '{"a":1,"b":2}')).toEqual([
    'at 6: expected "{\\"a\\":1}"',
    'got "{\\"a\\":1,\\"b\\":2}"',
  ]);
});

test("every answer that is not loose is compared, by its status and by its text", async () => {
  const target = new Target(server.url);
  const outcomes = await runTexts(target);
  target.close();
  expect(outcomes.map(({ name }) => name)).toEqual(textNames());
  expect(outcomes.filter(({ equal }) => equal)).toEqual([]);
});
