// A histogram with buckets as in Prometheus. Observing a value allocates nothing.

export class Histogram {
  /** Upper bounds, ascending; larger values count only in the sum and the count. */
  readonly bounds: readonly number[];
  /** Number of values per bucket: at most its bound, and greater than the bound before. */
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
