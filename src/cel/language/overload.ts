// A declared function: its overloads, what they take and give, and how they are run.
import type { Value } from "../values/value.ts";
import type { CelType } from "./types.ts";

export interface Overload {
  /** The name that the cost rules know it by ("cidr_contains_ip_string"). */
  readonly id: string;
  readonly isMember: boolean;
  /** Of a member, the first is the receiver. */
  readonly args: readonly CelType[];
  readonly result: CelType;
  /** Names of the type parameters in args and result. */
  readonly typeParams: readonly string[];
  /** undefined: the planner runs it itself (logic, conditions, indexing …). */
  readonly run: ((args: readonly Value[]) => Value) | undefined;
}

export interface FunctionDecl {
  readonly name: string;
  readonly overloads: readonly Overload[];
}

function paramsOf(types: readonly CelType[]): string[] {
  const found = new Set<string>();
  const look = (type: CelType): void => {
    if (type.kind === "param") found.add(type.name);
    type.params.forEach(look);
  };
  types.forEach(look);
  return [...found];
}

type Run = Overload["run"];

/** An overload called as f(a, b). */
export const global = (id: string, args: readonly CelType[], result: CelType, run?: Run): Overload => ({
  id,
  isMember: false,
  args,
  result,
  typeParams: paramsOf([...args, result]),
  run,
});

/** An overload called as a.f(b). */
export const member = (id: string, args: readonly CelType[], result: CelType, run?: Run): Overload => ({
  ...global(id, args, result, run),
  isMember: true,
});
