// Values counted by how large they are, as Prometheus has it: nothing of a value is kept, and nothing is made for one.

export class Histogram {
  /** Upper bounds, ascending; what is larger is in the sum and the count alone. */
  readonly bounds: readonly number[];
  /** How many are at most as large as each bound, and larger than the one before. */
  readonly buckets: number[];
  sum = 0;
  count = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.buckets = new Array<number>(bounds.length).fill(0);
  }

  observe(value: number): void {
    this.sum += value;
    this.count++;
    const { bounds, buckets } = this;
    for (let index = 0; index < bounds.length; index++) {
      if (value > (bounds[index] ?? 0)) continue;
      buckets[index] = (buckets[index] ?? 0) + 1;
      return;
    }
  }
}
