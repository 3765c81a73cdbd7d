// After any changes of nodes, EgressIPs and EgressServices, in any order and with any interruptions, the rules hold once
// the controllers are idle. A failing sequence is shrunk, shown and written to a file (see replay.ts).
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CLOUD_ERROR } from "./arbitrary-steps.ts";
import { checkRequests, holdsInMemoryAlone, refusedOnLostNodes } from "./cloud-rules.ts";
import { allReadable, readEgressIps, readNodes } from "./cluster-view.ts";
import { checkAllocations, checkPlacement, isOlder } from "./egress-ip-rules.ts";
import { checkServices } from "./egress-service-rules.ts";
import { checkExplained } from "./explain-rules.ts";
import { givenStory, writeStory } from "./replay.ts";
import { checkServicesExplained } from "./service-explain-rules.ts";
import type { Story } from "./steps.ts";
import { World } from "./world.ts";

const TIMEOUT_MS = 300_000;

/** Plays random histories; FC_RUNS=n plays n of them, FC_SEED=n repeats those of a printed seed. */
export function holdsAfterAny(
  what: string,
  stories: fc.Arbitrary<Story>,
  { histories }: { readonly histories: number },
): void {
  const { FC_RUNS = histories, FC_SEED = Math.floor(Math.random() * 2 ** 31) } = process.env;
  describe.skipIf(givenStory())(what, () => {
    test(
      "keeps its rules through any sequence of changes, interruptions and restarts",
      async () => {
        process.stdout.write(`${what}: ${FC_RUNS} histories, FC_SEED=${FC_SEED}\n`);
        const result = await fc.check(fc.asyncProperty(stories, play), {
          numRuns: Number(FC_RUNS),
          seed: Number(FC_SEED),
        });
        const [story] = result.counterexample ?? [];
        if (!result.failed) return;
        const how = story ? writeStory(story, result.seed) : "";
        const why = result.errorInstance instanceof Error ? result.errorInstance.message : "";
        throw new Error(`${why}\n${fc.defaultReportMessage(result)}\n${how}`, {
          cause: result.errorInstance,
        });
      },
      TIMEOUT_MS,
    );
  });
}

export async function play(story: Story): Promise<void> {
  const { cloud, steps } = story;
  const world = await World.start(story);
  try {
    for (const step of steps) await world.take(step);
    await world.take({ do: "tell once" });
    await healCloud(world);
    await world.rest();
    await checkAllocations(world);
    await checkExplained(world, { allLookedAt: false });
    await touchAll(world, "once");
    await touchAll(world, "twice");
    await world.rest();
    await checkAllocations(world);
    await checkPlacement(world);
    await checkExplained(world, { allLookedAt: true });
    if (cloud) await checkRequests(world);
    else if (!isOlder(world)) await checkServices(world);
    await checkServicesExplained(world);
    await checkRestart(world);
  } finally {
    await world.stop();
  }
}

/** The cloud grants every request from now on. */
async function healCloud(world: World): Promise<void> {
  const body = { metadata: { annotations: { [CLOUD_ERROR]: null } } };
  for (const { metadata } of await world.list("nodes")) {
    await world.take({ do: "merge", resource: "nodes", name: metadata.name ?? "", body });
  }
}

/** Enqueues every EgressIP: a freed address does not always enqueue the EgressIPs that wait for it. */
async function touchAll(world: World, word: string): Promise<void> {
  for (const { metadata } of await world.list("egressips")) {
    const body = { metadata: { labels: { touched: word } } };
    await world.take({ do: "merge", resource: "egressips", name: metadata.name ?? "", body });
    await world.settle();
  }
}

/** A restart changes nothing, unless the controllers relied on annotations or probes that are not available any more. */
async function checkRestart(world: World): Promise<void> {
  const nodes = await readNodes(world);
  const before = await readEgressIps(world);
  const all = await world.list("egressips");
  const forgets = await holdsInMemoryAlone(world);
  // The cloud requests the node once more, and finds it deleted.
  const askedAgain = (await refusedOnLostNodes(world)).map((name) => `patch cloudprivateipconfigs ${name}`);
  world.takeWrites();
  await world.restart();
  await world.settle();
  await checkAllocations(world);
  if (forgets || !allReadable(nodes) || before.length < all.length || nodes.some(({ answers }) => !answers))
    return;
  expect(world.takeWrites().filter((write) => !askedAgain.includes(write))).toEqual([]);
  expect(await readEgressIps(world)).toEqual(before);
}
