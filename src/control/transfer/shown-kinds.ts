// Which kinds an export shows to its caller: those whose objects he may list. A kind that he has named and may not list is
// refused; of others he is told that they are left out.
import { Warnings } from "../../apiserver/response/warnings.ts";
import type { ResourceAttributes } from "../../registry/definition/access.ts";
import type { ResourceView } from "../../registry/definition/resource-definition.ts";
import { type Caller, nameOfKind, questionOf } from "../caller.ts";

export class ShownKinds {
  readonly #caller: Caller;
  readonly #namespace: string;
  readonly #leftOut: string[] = [];
  #refused: ResourceAttributes | undefined;
  #shown = 0;

  /** namespace "": all of them. */
  constructor(caller: Caller, namespace: string) {
    this.#caller = caller;
    this.#namespace = namespace;
  }

  /** Throws a 403 for a kind that was named. */
  mayShow(view: ResourceView, isNamed: boolean): boolean {
    const question = questionOf(this.#caller, { verb: "list", view, namespace: this.#namespace });
    if (isNamed) this.#caller.demand(question);
    if (isNamed || this.#caller.may(question)) {
      this.#shown++;
      return true;
    }
    this.#refused ??= question;
    this.#leftOut.push(nameOfKind(view));
    return false;
  }

  /** A header that names what was left out, if there is any. Throws a 403 when nothing could be shown at all. */
  warning(): Readonly<Record<string, string[]>> {
    if (this.#refused === undefined) return {};
    if (this.#shown === 0) this.#caller.demand(this.#refused);
    const warnings = new Warnings();
    const who = this.#caller.user.name;
    warnings.add(`left out, because user "${who}" may not list them: ${this.#leftOut.join(", ")}`);
    return { warning: warnings.headers() };
  }
}
