// Random names. They are few, so that collisions are likely.
import fc from "fast-check";

export const NODES = ["n1", "n2", "n3", "n4"];

export const node = fc.constantFrom(...NODES);
export const colour = fc.constantFrom("red", "blue");
