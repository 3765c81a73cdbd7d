// Keyboard shortcuts and their targets.
import { expect, test } from "vitest";
import { HELP, Keys, PLACES, type Pressed } from "../../../src/ui/frame/keys.ts";
import { formatRoute, keepingAt, parseRoute, VIEWS } from "../../../src/ui/frame/route.ts";
import { placeFor, subjectOf } from "../../../src/ui/frame/subject.ts";

const press = (key: string, rest: Partial<Pressed> = {}): Pressed => ({
  ...{ key, isModified: false, isTyping: false, isOnControl: false, view: "map", ...rest },
});

test("a g and a letter go to each view; too late the letter means itself", () => {
  const keys = new Keys(true);
  expect([...PLACES.values()].sort()).toEqual([...VIEWS].sort());
  for (const [letter, view] of PLACES) {
    expect(keys.press(press("g"), 0)).toBeUndefined();
    expect(keys.press(press(letter), 100)).toEqual({ act: "go", view });
  }
  keys.press(press("g"), 0);
  expect(keys.press(press("t"), 5_000)).toEqual({ act: "subject", verb: "trace" });
});

test("who types, holds Ctrl, or has switched letters off, is left alone; Escape works anywhere", () => {
  const keys = new Keys(true);
  for (const rest of [{ isTyping: true }, { isModified: true }])
    for (const key of ["e", "n", "?", "g", " "]) expect(keys.press(press(key, rest), 0)).toBeUndefined();
  expect(keys.press(press("Escape", { isTyping: true }), 0)).toEqual({ act: "escape" });
  keys.isOn = false;
  expect(keys.press(press("n"), 0)).toBeUndefined();
  expect(keys.press(press("?"), 0)).toBeUndefined();
});

test("Space plays in the timeline, and presses what has the focus", () => {
  const keys = new Keys(true);
  expect(keys.press(press(" ", { view: "time" }), 0)).toEqual({ act: "play" });
  expect(keys.press(press(" ", { view: "time", isOnControl: true }), 0)).toBeUndefined();
  expect(keys.press(press(" "), 0)).toBeUndefined();
});

test("the help names every key that does something", () => {
  const named = HELP.map(([keys]) => ` ${keys.replaceAll(",", " ")} `).join(" ");
  for (const key of ["e", "t", "w", "[", "]", "p", "n", "v", "?", "/", "Esc", ...PLACES.keys()])
    expect(named).toContain(` ${key} `);
});

const at = (address: string) => parseRoute(address, "");
const placeOf = (rowKey: string, verb: "explain" | "trace" | "whatif", users: string[] = []) => {
  const of = subjectOf(rowKey, at("/egret/ui/map"));
  const place = of && placeFor(verb, of, users);
  return place && formatRoute(place);
};

test("rows lead to their explanation, a trace, and what if they were gone", () => {
  expect(placeOf("eip/web", "explain")).toBe("/egret/ui/o/k8s.ovn.org/v1/egressips/-/web?tab=explain");
  expect(placeOf("eip/web", "trace", ["shop", "mail"])).toBe("/egret/ui/trace?from=ns/shop");
  expect(placeOf("eip/web", "trace")).toBeUndefined();
  expect(placeOf("eip/web", "whatif")).toBe("/egret/ui/whatif?do=delete:egressip/web");
  expect(placeOf("node/n1", "whatif")).toBe("/egret/ui/whatif?do=notready:node/n1");
  expect(placeOf("node/n1", "trace")).toBeUndefined();
  expect(placeOf("pod/shop/web", "trace")).toBe("/egret/ui/trace?from=pod/shop/web&to=8.8.8.8:443");
  expect(placeOf("es/shop/front", "whatif")).toBe("/egret/ui/whatif?do=delete:egressservice/shop/front");
  expect(placeOf("zone/west", "explain")).toBeUndefined();
  expect(subjectOf("", at("/egret/ui/o/core/v1/nodes/-/n1"))).toMatchObject({
    resource: "nodes",
    name: "n1",
  });
});

test("who goes elsewhere stays in the moment, unless he goes to another", () => {
  const then = parseRoute("/egret/ui/time", "?at=41&sel=x");
  expect(formatRoute(keepingAt(at("/egret/ui/map"), then))).toBe("/egret/ui/map?at=41");
  expect(formatRoute(keepingAt(parseRoute("/egret/ui/map", "?at=7"), then))).toBe("/egret/ui/map?at=7");
  expect(formatRoute(keepingAt(at("/egret/ui/map"), at("/egret/ui/o")))).toBe("/egret/ui/map");
});
