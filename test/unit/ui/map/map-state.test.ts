import { effect } from "@preact/signals";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Model } from "../../../../src/ui/data/model.ts";
import { MapState } from "../../../../src/ui/map/map-state.ts";
import { HeldClock } from "../../../support/page/held-clock.ts";
import { egressIp, node } from "./worlds.ts";

function started() {
  const model = new Model();
  const clock = new HeldClock();
  let frames = 0;
  const nextFrame = (callback: () => void) => {
    frames++;
    clock.after(10, callback);
  };
  const state = new MapState({ model, clock, nextFrame });
  state.hold(false);
  clock.advance(1_000);
  const put = (kind: "nodes" | "egressips", record: ReturnType<typeof node> | ReturnType<typeof egressIp>) =>
    state.take(model.apply([{ kind, uid: record.uid, record } as never]));
  return { state, clock, put, frames: () => frames };
}

describe("the state of the map", () => {
  test("asks for no frame when nothing happens, and for one when much does", () => {
    const { clock, put, frames } = started();
    const before = frames();
    clock.advance(60_000);
    expect(frames()).toBe(before);
    for (let at = 0; at < 50; at++) put("nodes", node(`n${at}`));
    clock.advance(1_000);
    expect(frames()).toBe(before + 1);
  });

  test("draws ten times a second at most", () => {
    const { clock, put, frames } = started();
    const before = frames();
    for (let at = 0; at < 100; at++) {
      put("nodes", node(`n${at}`));
      clock.advance(10);
    }
    expect(frames() - before).toBeLessThanOrEqual(11);
    expect(frames() - before).toBeGreaterThanOrEqual(5);
  });

  test("leaves the page alone three times as long as a picture takes", async () => {
    const { state, clock, put } = started();
    const end = effect(() => {
      void state.facts.value;
      clock.pass(100); // a slow machine draws
    });
    let pictures = 0;
    const count = effect(() => {
      void state.facts.value;
      pictures++;
    });
    for (let at = 0; at < 400; at++) {
      put("nodes", node(`n${at}`));
      clock.advance(10);
      await Promise.resolve(); // what is drawn is drawn before the next change
    }
    end();
    count();
    expect(pictures).toBeGreaterThanOrEqual(12);
    expect(pictures).toBeLessThanOrEqual(24);
  });

  test("shows an address move for four seconds, and says so once", () => {
    const { state, clock, put } = started();
    const web = egressIp("web", { "10.0.0.1": "n1" });
    const mark = () => state.facts.value.targets[0]?.mark;
    put("egressips", web);
    clock.advance(1_000);
    put("egressips", { ...web, assigned: [{ address: "10.0.0.1", node: "n2" }] });
    clock.advance(300);
    expect(mark()).toBe("move");
    expect(state.arrived.value).toMatchObject([{ from: "n1", to: "n2" }]);
    clock.advance(5_000);
    expect(mark()).toBe("ok");
    expect(state.entries.value.map(({ sentence }) => sentence)).toEqual([
      "10.0.0.1 of EgressIP web moved from n1 to n2.",
    ]);
  });

  test("says that a node is not Ready, and that it is again", () => {
    const { state, clock, put } = started();
    const one = node("n1");
    put("nodes", one);
    clock.advance(1_000);
    put("nodes", { ...one, isReady: false });
    clock.advance(4_000);
    put("nodes", one);
    clock.advance(4_000);
    expect(state.entries.value.map(({ sentence }) => sentence)).toEqual([
      "n1 is not Ready.",
      "n1 is Ready again; it carries no address.",
    ]);
  });

  test("shows what comes between its facts and their picture", async () => {
    const { state, clock, put } = started();
    put("nodes", node("n1"));
    clock.after(10, () => put("nodes", node("n2"))); // behind the frame, and before the turn that shows it
    clock.advance(10);
    await Promise.resolve();
    clock.advance(5_000);
    expect(state.facts.value.nodes).toHaveLength(2);
  });

  test("shows in the end what the model holds, whenever it comes", async () => {
    const pauses = fc.array(fc.tuple(fc.constantFrom(0, 10, 90, 100, 110), fc.boolean()), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(pauses, async (times) => {
        const { state, clock, put } = started();
        const rest = [...times];
        const putNext = () => {
          const [pauseMs, isFirst] = rest.pop() ?? [0, false];
          if (rest.length > 0 && isFirst) clock.after(pauseMs, putNext);
          put("nodes", node(`n${rest.length}`));
          if (rest.length > 0 && !isFirst) clock.after(pauseMs, putNext);
        };
        putNext();
        for (let at = 0; at < 1_000; at++) {
          clock.advance(10);
          await Promise.resolve();
        }
        expect(state.facts.value.nodes).toHaveLength(times.length);
      }),
    );
  });

  test("draws nothing while lists are on their way", () => {
    const { state, clock, put } = started();
    state.hold(true);
    put("nodes", node("n1"));
    clock.advance(1_000);
    expect(state.facts.value.nodes).toEqual([]);
    state.hold(false);
    state.hold(true); // the picture has been asked for
    clock.advance(1_000);
    expect(state.facts.value.nodes).toEqual([]);
    state.hold(false);
    clock.advance(1_000);
    expect(state.facts.value.nodes).toHaveLength(1);
  });
});
