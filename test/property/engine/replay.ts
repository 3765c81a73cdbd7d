// A story that broke a rule is written to a file, and read again from there:
//   ENGINE_REPLAY=<file> npx vitest run --config test/vitest.config.ts test/property/engine
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Story } from "./steps.ts";

/** The story named by ENGINE_REPLAY, if any. */
export function givenStory(): Story | undefined {
  const path = process.env["ENGINE_REPLAY"];
  if (!path) return undefined;
  return {
    profile: "ovn-kubernetes-2026",
    ...(JSON.parse(readFileSync(path, "utf8")) as Omit<Story, "profile">),
  }; // written below; before there were several profiles it named none
}

/** Writes the story. Returns the command that repeats it. */
export function writeStory(story: Story, seed: number): string {
  const path = join(tmpdir(), `egret-engine-${seed}.json`);
  const steps = story.steps.map((step) => `    ${JSON.stringify(step)}`).join(",\n");
  const text = `{\n  "cloud": ${story.cloud},\n  "profile": ${JSON.stringify(story.profile)},\n  "steps": [\n${steps}\n  ]\n}\n`;
  writeFileSync(path, text);
  return `replay with ENGINE_REPLAY=${path}\n${text}`;
}
