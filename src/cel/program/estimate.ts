// Ranges of sizes and costs for the estimate before anything runs. They saturate instead of overflowing.

const COST_CEILING = 2 ** 64;

/** How large a text, list or map may be. */
export interface Size {
  readonly min: number;
  readonly max: number;
}

export const UNKNOWN_SIZE: Size = { min: 0, max: COST_CEILING };

const cap = (value: number): number => Math.min(value, COST_CEILING);

export const fixedSize = (size: number): Size => ({ min: size, max: size });
export const addSizes = (a: Size, b: Size): Size => ({ min: cap(a.min + b.min), max: cap(a.max + b.max) });
export const multiplySizes = (a: Size, b: Size): Size => ({
  min: cap(a.min * b.min),
  max: cap(a.max * b.max),
});
export const uniteSizes = (a: Size, b: Size): Size => ({
  min: Math.min(a.min, b.min),
  max: Math.max(a.max, b.max),
});

/** The cost of going through something of the size once, at a cost per unit. */
export const costBySize = ({ max }: Size, perUnit: number): number => cap(Math.ceil(max * perUnit));
export const addCosts = (costs: readonly number[]): number => cap(costs.reduce((sum, cost) => sum + cost, 0));
export const multiplyCosts = (a: number, b: number): number => cap(a * b);
