// Resource requests and allocatable amounts as integers: CPU in millicores, other resources in their base unit.
import { type Amounts, wholeUnits } from "../../kube/quota/amounts.ts";

export type Counts = ReadonlyMap<string, number>;

export const countsOf = (amounts: Amounts): Counts =>
  new Map([...amounts].map(([name, amount]) => [name, Number(wholeUnits(name, amount))]));

export const addCount = (to: Map<string, number>, name: string, count: number): unknown =>
  to.set(name, (to.get(name) ?? 0) + count);
