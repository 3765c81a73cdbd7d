// URLs of the web UI: parsing and formatting.
import fc from "fast-check";
import { expect, test } from "vitest";
import { linkTo, refOf } from "../../../src/ui/frame/kinds.ts";
import { formatRoute, listAt, parseRoute, VIEWS, withQuery } from "../../../src/ui/frame/route.ts";

const parse = (address: string) => {
  const { pathname, search } = new URL(address, "http://egret");
  return parseRoute(pathname, search);
};

test("a route comes back from its address", () => {
  const texts = fc.string({ unit: "grapheme", minLength: 1 }).filter((text) => !/^\.{1,2}$/.test(text));
  const query = fc.dictionary(fc.string({ minLength: 1 }), fc.string({ unit: "grapheme" }));
  fc.assert(
    fc.property(fc.constantFrom(...VIEWS), fc.array(texts), query, (view, path, values) => {
      const route = parse(formatRoute({ view, path, query: new URLSearchParams(values) }));
      expect({ view: route.view, path: route.path }).toEqual({ view, path });
      expect([...route.query]).toEqual([...new URLSearchParams(values)]);
    }),
  );
});

test("what is unknown is the map, and a % of its own breaks nothing", () => {
  expect(parse("/egret/ui/").view).toBe("map");
  expect(parse("/egret/ui/nothing/here")).toMatchObject({ view: "map", path: [] });
  expect(parseRoute("/egret/ui/o/%E0%A4%A", "").path).toEqual(["%E0%A4%A"]);
});

test("addresses are readable: names, ports and lists stay as they are", () => {
  const route = withQuery(parse("/egret/ui/trace?proto=udp"), {
    from: "pod/shop/web",
    to: "8.8.8.8:53",
    proto: "",
  });
  expect(formatRoute(route)).toBe("/egret/ui/trace?from=pod/shop/web&to=8.8.8.8:53");
  expect(listAt(parse("/egret/ui/map?ns=shop,mail,"), "ns")).toEqual(["shop", "mail"]);
});

test("an object's address names it, with words for what is empty", () => {
  const node = { group: "", version: "v1", resource: "nodes", namespace: "", name: "n1" };
  const firewall = {
    group: "k8s.ovn.org",
    version: "v1",
    resource: "egressfirewalls",
    namespace: "shop",
    name: "default",
  };
  expect(linkTo(node)).toBe("/egret/ui/o/core/v1/nodes/-/n1");
  for (const ref of [node, firewall, { ...node, name: "" }])
    expect(refOf(parse(linkTo(ref)).path)).toEqual(ref);
  expect(refOf(["core", "v1"])).toBeUndefined();
});
