// Explanations of the targets that the user looks at. They are requested from the server, and cached until the target's
// assignments or the number of eligible nodes change.
import { signal } from "@preact/signals";
import { ask } from "../frame/ask.ts";
import { at } from "../frame/navigation.ts";
import { mayDo } from "../rights/can.tsx";
import { onControl } from "../rights/question.ts";
import type { Facts, Target } from "./facts.ts";

/** The answer of POST /egret/v1/explain, reduced to the fields that the map shows. */
interface Explanation {
  readonly summary: string;
  readonly reasons: readonly { readonly text: string; readonly remedy?: string }[];
  readonly addresses?: readonly {
    readonly address: string;
    readonly node?: string;
    readonly summary: string;
    readonly reasons: readonly { readonly text: string; readonly remedy?: string }[];
  }[];
}

export interface Why {
  /** One sentence. */
  readonly summary: string;
  /** The decisive reason and its remedy; "" if there is none. */
  readonly reason: string;
  readonly remedy: string;
}

const NOTHING: Why = { summary: "", reason: "", remedy: "" };
const KEPT_MAX = 500;

export class Explained {
  /** Incremented when an answer arrives. */
  readonly version = signal(0);
  readonly #answers = new Map<string, Why>();

  /**
   * Returns the cached explanation, and requests it if missing. Texts are "" until the answer arrives, and if the server
   * has no explanation.
   */
  why(target: Target, nodes: Facts["nodes"]): Why {
    if (!mayDo([onControl("post", "explain")])) return NOTHING; // without the permission the map shows no reasons
    const revision = at.value;
    const key = `${revision ?? ""} ${target.key} ${signOf(target)} ${nodes.filter(({ mark, isAssignable }) => mark === "ok" && isAssignable).length}`;
    const known = this.#answers.get(key);
    if (known) return known;
    const [oldest] = this.#answers.keys();
    if (this.#answers.size >= KEPT_MAX && oldest !== undefined) this.#answers.delete(oldest);
    this.#answers.set(key, NOTHING);
    void this.#ask(key, target, revision);
    return NOTHING;
  }

  async #ask(key: string, { kind, namespace, name }: Target, revision: number | undefined): Promise<void> {
    const body = {
      ...{ kind, name, ...(namespace === "" ? {} : { namespace }) },
      ...(revision === undefined ? {} : { resourceVersion: String(revision) }),
    };
    try {
      const told = await ask<Explanation>("/egret/v1/explain", { method: "POST", body });
      this.#answers.set(key, whyOf(told));
      this.version.value++;
    } catch {
      // Without an explanation the target is shown without a reason.
    }
  }
}

const signOf = ({ addresses }: Target): string => addresses.map(({ node, mark }) => `${node}${mark}`).join();

export function whyOf({ summary, reasons, addresses = [] }: Explanation): Why {
  const without = addresses.find(({ node }) => node === undefined);
  const [first = without?.reasons[0]] = reasons;
  const said = without?.summary ?? (addresses.length === 1 ? addresses[0]?.summary : undefined) ?? summary;
  return { summary: said, reason: first?.text ?? "", remedy: first?.remedy ?? "" };
}
