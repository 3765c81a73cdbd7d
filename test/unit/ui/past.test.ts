import fc from "fast-check";
import { expect, test } from "vitest";
import { Moment, type Shown } from "../../../src/ui/data/moment.ts";
import type { Change, NodeRecord } from "../../../src/ui/data/records.ts";
import { Ring } from "../../../src/ui/data/ring.ts";
import { Page, revisionsOf } from "../../support/page/page.ts";

/** Goes back in a tab, and waits until it is shown. */
class Traveller {
  readonly page: Page;
  readonly moment: Moment;
  #shown: (shown: Shown) => void = () => {};

  constructor(page: Page, { model, feed } = page.tab()) {
    this.page = page;
    page.pass(200);
    this.moment = new Moment(model, feed, page.clock, (shown) => this.#shown(shown));
  }

  goTo(revision: number, meanwhile = () => this.page.clock.advance(150)): Promise<Shown> {
    const shown = new Promise<Shown>((resolve) => {
      this.#shown = resolve;
    });
    this.moment.goTo(revision);
    meanwhile();
    return shown;
  }
}

test("any revision since is shown as it was, from any other, whatever the watches went through", async () => {
  const name = fc.constantFrom("a", "b", "c");
  const act = fc.oneof(
    { weight: 4, arbitrary: name.map((name) => (page: Page) => page.server.put("pods", name)) },
    { weight: 2, arbitrary: name.map((name) => (page: Page) => page.server.remove("pods", name)) },
    fc.constant((page: Page) => page.server.put("nodes", "n1")),
    fc.constant((page: Page) => page.pass(100)),
    fc.constant((page: Page) => page.server.cut("pods", true)),
    fc.constant((page: Page) => {
      page.server.cut("pods", true);
      page.server.put("pods", "a");
      page.server.compact();
    }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { minLength: 1, maxLength: 30 }),
      fc.array(fc.nat(40), { minLength: 1, maxLength: 5 }),
      fc.constantFrom(0, 20, 1_000),
      async (acts, asked, spanMs) => {
        const page = new Page();
        const traveller = new Traveller(page);
        for (const act of acts) act(page);
        page.pass(spanMs);
        for (const number of asked) {
          const revision = Math.min(number, page.server.revision);
          const { state } = await traveller.goTo(revision);
          if (state === "shown")
            expect(revisionsOf(traveller.moment.model)).toEqual(page.server.state("pods", revision));
          else expect(state).toBe("forgotten");
        }
      },
    ),
    { numRuns: 150 },
  );
});

test("what a watch has missed is asked for while it is down, and until it has told of something newer", async () => {
  const page = new Page();
  const traveller = new Traveller(page);
  for (let cuts = 0; cuts < 3; cuts++) page.server.cut("pods", true);
  const expectShown = async (revision: number) => {
    expect((await traveller.goTo(revision)).state).toBe("shown");
    expect(revisionsOf(traveller.moment.model)).toEqual(page.server.state("pods", revision));
  };
  page.server.put("pods", "a"); // 1
  page.server.put("nodes", "n1"); // 2
  page.server.deliver();
  await expectShown(2);
  page.clock.advance(10_000); // it is open again, and what it has missed is on its way
  traveller.moment.forget();
  await expectShown(2);
  page.server.deliver();
  page.server.put("pods", "b"); // 3
  page.server.deliver();
  page.server.asked.length = 0;
  await expectShown(2);
  expect(page.server.asked).toEqual([]);
});

test("what was told before the server went away is shown without it", async () => {
  const page = new Page();
  page.tab();
  page.pass(200);
  page.server.put("pods", "a"); // 1
  page.server.put("nodes", "n1"); // 2
  const traveller = new Traveller(page);
  page.server.isDown = true;
  page.server.cut(undefined, false);
  page.server.asked.length = 0;
  expect((await traveller.goTo(2)).state).toBe("shown");
  expect(revisionsOf(traveller.moment.model)).toEqual(page.server.state("pods", 2));
  expect(page.server.asked.filter((asked) => asked.endsWith("exact"))).toEqual([]);
});

test("what a tab has not been told yet belongs to now", async () => {
  const page = new Page();
  const traveller = new Traveller(page);
  const put = (name: string) => {
    page.server.put("pods", name);
    page.server.deliver();
  };
  page.server.asked.length = 0;
  const shown = await traveller.goTo(2, () => {
    page.clock.advance(120);
    put("a");
    page.clock.advance(29); // notified
    put("b");
    page.clock.advance(1); // requested, before the tab is notified of the other
  });
  expect(shown.state).toBe("shown");
  expect(page.server.asked).toEqual([]);
  expect(revisionsOf(traveller.moment.model)).toEqual(page.server.state("pods", 2));
});

test("what has changed since is not asked for, what was before is, and what nobody knows is forgotten", async () => {
  const page = new Page();
  page.server.put("pods", "a"); // 1
  page.server.compact();
  page.server.put("pods", "b"); // 2
  page.server.put("pods", "b"); // 3
  const traveller = new Traveller(page);
  page.server.put("pods", "b"); // 4
  page.pass(200);
  page.server.asked.length = 0;
  expect((await traveller.goTo(3)).state).toBe("shown");
  expect(page.server.asked).toEqual([]);
  expect((await traveller.goTo(2)).state).toBe("shown");
  expect(revisionsOf(traveller.moment.model)).toEqual(page.server.state("pods", 2));
  expect(page.server.asked).toContain("pods exact");
  expect((await traveller.goTo(0)).state).toBe("forgotten");
});

test("who scrubs is shown where it ends, with what differs from what was shown", async () => {
  const page = new Page();
  const traveller = new Traveller(page);
  for (let n = 0; n < 5; n++) page.server.put("pods", "a");
  page.pass(200);
  await traveller.goTo(1);
  traveller.moment.goTo(2);
  traveller.moment.goTo(3);
  const shown = await traveller.goTo(4);
  expect(shown.revision).toBe(4);
  const before = shown.state === "shown" ? [...shown.touched.pods.values()] : [];
  expect(before.map((pod) => pod?.revision)).toEqual([1]);
});

const nodeAt = (revision: number, zone = ""): Change & { record: NodeRecord } => ({
  kind: "nodes",
  uid: "n1",
  revision,
  record: {
    uid: "n1",
    revision,
    namespace: "",
    name: "n1",
    labels: {},
    zone,
    isReady: true,
    isAssignable: true,
    isEnding: false,
    capacity: undefined,
  },
});

test("a ring keeps so many changes, and says what it does not know any more", () => {
  const ring = new Ring(3);
  for (let revision = 2; revision <= 10; revision++) ring.add(nodeAt(revision), nodeAt(revision - 1).record);
  expect(ring.between(Number.POSITIVE_INFINITY, 7)?.map(({ record }) => record?.revision)).toEqual([7]);
  expect(ring.between(Number.POSITIVE_INFINITY, 6)).toBeUndefined();
  expect(ring.between(7, 9)?.map(({ record }) => record?.revision)).toEqual([9]);
  ring.clear();
  expect(ring.between(Number.POSITIVE_INFINITY, 1)).toEqual([]);
});

test("a ring keeps so many bytes", () => {
  const ring = new Ring(1_000, 10_000);
  for (let revision = 2; revision <= 10; revision++)
    ring.add(nodeAt(revision), nodeAt(revision - 1, "z".repeat(3_000)).record);
  expect(ring.between(Number.POSITIVE_INFINITY, 8)).toBeDefined();
  expect(ring.between(Number.POSITIVE_INFINITY, 5)).toBeUndefined();
});
