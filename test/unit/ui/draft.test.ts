// An edited text and the server's version: unedited parts follow the server, and edits are never lost.
import { beforeEach, describe, expect, test } from "vitest";
import { Refused } from "../../../src/ui/frame/ask.ts";
import { Draft } from "../../../src/ui/object/draft.ts";

const text = (revision: number, spec: string) =>
  `metadata:\n  resourceVersion: "${revision}"\nspec: ${spec}\n`;

let shown: string;
let onServer: string;
let refusal: Refused | undefined;
let draft: Draft;
const type = (next: string) => {
  shown = next;
  draft.typed();
};
beforeEach(() => {
  onServer = text(1, "a");
  shown = onServer;
  refusal = undefined;
  const refuse = () => {
    if (refusal) throw refusal;
  };
  draft = new Draft(
    {
      read: async () => onServer,
      check: async (asked) => {
        refuse();
        return asked;
      },
      apply: async (asked) => {
        refuse();
        onServer = asked.replace(/"\d+"/, '"9"');
      },
    },
    onServer,
  );
  draft.open({ text: () => shown, setText: type, setFindings() {} });
});
const refused = (reason: string) =>
  new Refused({ code: 409, reason, message: "no", causes: [{ field: "spec", message: "odd" }] });
const state = () => draft.check.value.state;

describe("a text that nobody edits", () => {
  test("follows the server, and what was before is told", () => {
    draft.follow(text(2, "b"));
    expect(shown).toBe(text(2, "b"));
    expect(draft.before.value).toBe(text(1, "a"));
    expect([state(), draft.theirs.value]).toEqual(["unchanged", undefined]);
    type(text(2, "mine"));
    expect(draft.before.value).toBeUndefined();
  });

  test("is told of nothing where nothing has changed", () => {
    draft.follow(text(1, "a"));
    expect(draft.before.value).toBeUndefined();
  });
});

describe("a text that is edited", () => {
  beforeEach(() => type(text(1, "mine")));

  test("stays when the object changes elsewhere, and must be checked again", async () => {
    await draft.ask();
    expect(state()).toBe("passed");
    draft.follow(text(2, "b"));
    expect([shown, draft.theirs.value, state()]).toEqual([text(1, "mine"), text(2, "b"), "changed"]);
  });

  test("goes on from theirs where it is kept", async () => {
    draft.follow(text(2, "b"));
    draft.keepMine();
    expect([shown, draft.theirs.value, state()]).toEqual([text(2, "mine"), undefined, "changed"]);
    await draft.apply();
    expect([onServer, shown, state()]).toEqual([text(9, "mine"), text(9, "mine"), "applied"]);
  });

  test("is given up for theirs, or for what it was", () => {
    draft.undo();
    expect([shown, state()]).toEqual([text(1, "a"), "unchanged"]);
    type(text(1, "mine"));
    draft.follow(text(2, "b"));
    draft.undo();
    expect([shown, draft.theirs.value, state()]).toEqual([text(2, "b"), undefined, "unchanged"]);
  });

  test("is asked about again when theirs goes back to what it was", () => {
    draft.follow(text(2, "b"));
    draft.follow(text(1, "a"));
    expect(draft.theirs.value).toBeUndefined();
  });

  test("in conflict is shown what is there now", async () => {
    onServer = text(3, "c");
    refusal = refused("Conflict");
    await draft.ask();
    expect([shown, draft.theirs.value, state()]).toEqual([text(1, "mine"), text(3, "c"), "refused"]);
  });

  test("that is refused has findings at its lines", async () => {
    refusal = refused("Invalid");
    await draft.apply();
    expect(draft.check.value).toMatchObject({
      state: "refused",
      findings: [{ message: "spec: odd", line: 2 }],
    });
    expect([onServer, draft.theirs.value]).toEqual([text(1, "a"), undefined]);
  });

  test("what is typed while it is applied is kept, for the version that came of it", async () => {
    const applied = draft.apply();
    type(text(1, "more"));
    await applied;
    expect([shown, draft.base.value, state()]).toEqual([text(9, "more"), text(9, "mine"), "changed"]);
  });

  test("that was applied is followed without being told of itself", async () => {
    await draft.apply();
    draft.follow(onServer);
    expect([draft.before.value, draft.theirs.value, state()]).toEqual([undefined, undefined, "applied"]);
  });
});
