// The only module in which views ask for permissions. Actions that the user is not authorized for are not rendered.
import { effect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { ask, forbidden } from "../frame/ask.ts";
import { browserClock } from "../frame/browser-clock.ts";
import { session } from "../frame/session.ts";
import { type Question, type Rules, refusalOf } from "./question.ts";
import { type Right, Rights } from "./rights.ts";

const GROUP = "authorization.k8s.io";
/** The group bypasses authorization, whatever RBAC rules exist. */
const PRIVILEGED = "system:masters";

const rights = new Rights(
  {
    rulesIn: async (namespace) => (await review<Rules>("SelfSubjectRulesReview", { namespace })).status,
    mayDo: async (question) => {
      const spec =
        "path" in question ? { nonResourceAttributes: question } : { resourceAttributes: question };
      return (await review<{ readonly allowed: boolean }>("SelfSubjectAccessReview", spec)).status.allowed;
    },
  },
  browserClock,
);
effect(() => {
  if (forbidden.value > 0) rights.renew();
});

const review = <T,>(kind: string, spec: unknown) =>
  ask<{ readonly status: T }>(`/apis/${GROUP}/v1/${kind.toLowerCase()}s`, {
    method: "POST",
    body: { apiVersion: `${GROUP}/v1`, kind, spec },
  });

interface Standing {
  readonly right: Right;
  /** Why it is refused, or "". */
  readonly why: string;
}

/** Whether all questions are allowed. A component that calls it renders again when the result changes. */
export function standingOf(questions: readonly Question[]): Standing {
  if (session.value === undefined) return { right: "asking", why: "" };
  const { asksWho, groups, user } = session.value;
  if (!asksWho || groups.includes(PRIVILEGED)) return { right: "allowed", why: "" };
  const found = questions.map((question) => ({ question, right: rights.of(question) }));
  const refused = found.find(({ right }) => right === "refused");
  if (refused) return { right: "refused", why: refusalOf(user, refused.question) };
  const right = found.find(({ right }) => right !== "allowed")?.right ?? "allowed";
  return { right, why: "" };
}

/** Whether to offer the action. An unknown permission counts as allowed: the server decides. */
export function mayDo(questions: readonly Question[]): boolean {
  const { right } = standingOf(questions);
  return right === "allowed" || right === "unknown";
}

interface CanProps {
  readonly all: readonly Question[];
  /** Rendered on refusal; by default a sentence with the reason. */
  readonly otherwise?: (why: string) => ComponentChildren;
  readonly children: ComponentChildren;
}

/** Renders nothing while the permission is unresolved. */
export function Can({ all, otherwise, children }: CanProps) {
  const { right, why } = standingOf(all);
  if (right === "asking") return null;
  if (right !== "refused") return <>{children}</>;
  return <>{otherwise ? otherwise(why) : <NotAllowed why={why} />}</>;
}

export const NotAllowed = ({ why }: { why: string }) => <p class="hint not-allowed">⊘ {why}</p>;
