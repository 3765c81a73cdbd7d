// When the web UI requests rights from the server, and how long it caches the answers.
import { beforeEach, expect, test } from "vitest";
import type { Question, ResourceQuestion, Rules } from "../../../../src/ui/rights/question.ts";
import { Rights } from "../../../../src/ui/rights/rights.ts";
import { HeldClock } from "../../../support/page/held-clock.ts";

const MINUTE_MS = 60_000;
const READ_PODS = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };

let clock: HeldClock;
let asked: string[];
let rulesOf: (namespace: string) => Partial<Rules>;
let rights: Rights;
beforeEach(() => {
  clock = new HeldClock();
  asked = [];
  rulesOf = (namespace) => (namespace === "shop" ? { resourceRules: [READ_PODS] } : {});
  rights = new Rights(
    {
      async rulesIn(namespace) {
        asked.push(`rules ${namespace}`);
        return { resourceRules: [], nonResourceRules: [], incomplete: false, ...rulesOf(namespace) };
      },
      async mayDo(question) {
        asked.push(`may ${question.verb}`);
        return question.verb === "get";
      },
    },
    clock,
  );
});

const pods = (verb: string, namespace: string): ResourceQuestion => ({
  ...{ verb, group: "", resource: "pods", subresource: "", namespace, name: "" },
});
const known = async (question: Question) => {
  rights.of(question);
  await settled();
  return rights.of(question);
};
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a namespace is asked for once", async () => {
  expect(rights.of(pods("get", "shop"))).toBe("asking");
  expect(await known(pods("get", "shop"))).toBe("allowed");
  expect(await known(pods("delete", "shop"))).toBe("refused");
  expect(asked).toEqual(["rules shop"]);
});

test("what holds in a namespace holds in no other, and not in the whole cluster", async () => {
  expect(await known(pods("get", "mail"))).toBe("refused");
  expect(await known(pods("get", ""))).toBe("refused");
  expect(await known({ verb: "get", path: "/egret/v1/clock" })).toBe("refused");
  // "-" is no valid namespace name, so a user has no namespaced rights in it: the answer holds the cluster-wide rules.
  expect(asked).toEqual(["rules mail", "rules -"]);
});

test("where the rules are incomplete, or cannot be read, each question is asked by itself", async () => {
  rulesOf = () => ({ incomplete: true });
  expect(await known(pods("get", "shop"))).toBe("allowed");
  expect(await known(pods("delete", "shop"))).toBe("refused");
  rulesOf = () => {
    throw new Error("refused");
  };
  expect(await known(pods("get", ""))).toBe("allowed");
  expect(asked).toEqual(["rules shop", "may get", "may delete", "rules -", "may get"]);
});

test("what nobody can say is unknown", async () => {
  const failing = new Rights(
    { rulesIn: () => Promise.reject(new Error("x")), mayDo: () => Promise.reject(new Error("x")) },
    clock,
  );
  failing.of(pods("get", ""));
  await settled();
  expect(failing.of(pods("get", ""))).toBe("unknown");
});

test("an answer stands until there is a newer one", async () => {
  await known(pods("get", "shop"));
  rulesOf = () => ({});
  clock.advance(5 * MINUTE_MS - 1);
  expect(await known(pods("get", "shop"))).toBe("allowed");
  clock.advance(1);
  expect(rights.of(pods("get", "shop"))).toBe("allowed");
  await settled();
  expect(rights.of(pods("get", "shop"))).toBe("refused");
});

test("after a refusal all is asked for anew, but not again and again", async () => {
  await known(pods("get", "shop"));
  await known(pods("get", "mail"));
  rulesOf = () => ({});
  rights.renew();
  await settled();
  rights.renew();
  expect(rights.of(pods("get", "shop"))).toBe("refused");
  expect(asked).toEqual(["rules shop", "rules mail", "rules shop", "rules mail"]);
  clock.advance(10_000);
  rights.renew();
  await settled();
  expect(asked).toHaveLength(6);
});
