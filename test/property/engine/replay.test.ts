// Plays the story in the file that ENGINE_REPLAY names.
import { expect, test } from "vitest";
import { play } from "./play.ts";
import { givenStory } from "./replay.ts";

const given = givenStory();

test.runIf(given)("a story that was written down", async () => {
  if (given) await expect(play(given)).resolves.toBeUndefined();
});
