import { describe, expect, it } from "vitest";
import { BUILT_IN_RESOURCES } from "../../../src/kube/index.ts";
import { create, fixtureFolder, fixtureFolders, fixturesOf, lines, nameErrors } from "./passage.ts";

it("every built-in kind has fixtures, and there are no others", () => {
  expect(fixtureFolders()).toEqual(BUILT_IN_RESOURCES.map(fixtureFolder).sort());
});

describe.each(BUILT_IN_RESOURCES.map((definition) => [fixtureFolder(definition), definition] as const))(
  "%s",
  (_folder, definition) => {
    const fixtures = fixturesOf(definition);

    it("has one valid fixture and at least one invalid", () => {
      expect(fixtures.filter(({ name }) => name === "valid")).toHaveLength(1);
      expect(fixtures.filter(({ name }) => name.startsWith("invalid-")).length).toBeGreaterThan(0);
    });

    it.each(fixtures.map((fixture) => [fixture.name, fixture] as const))("%s", (name, fixture) => {
      if (fixture.undecodable !== undefined) {
        expect(() => create(definition, fixture.body)).toThrow(new Error(fixture.undecodable));
        return;
      }
      const { object, errors } = create(definition, fixture.body);
      if (!definition.review && !definition.action)
        expect(nameErrors(definition, object.metadata.name ?? "")).toEqual([]);
      if (name === "valid") expect(lines(errors)).toEqual([]);
      else expect(errors.map(({ field }) => field)).toEqual(fixture.refused);
    });
  },
);
