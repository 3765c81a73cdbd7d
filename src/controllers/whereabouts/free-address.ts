// The choice of an address: the lowest one of a range that is free.
//
//   network 10.0.0.0/29, exclude 10.0.0.2/31, nothing taken     →  .0 ✗ network  .1 ✓
//   the same with .1 and .4 taken                               →  .1 ✗  .2 .3 ✗ excluded  .4 ✗  .5 ✓   (.7 broadcast)
import { type IpAddress, ipFromValue } from "../../meta/ip.ts";
import { IpamError, type IpRange } from "./ipam-config.ts";

const BITS = { 4: 32, 6: 128 } as const;
const HOST_BITS_MIN = 2;

/** Throws IpamError where the range is too small, or nothing is left. */
export function freeAddress(range: IpRange, isTaken: (value: bigint) => boolean): IpAddress {
  const { cidr, excludeTexts } = range;
  const [first, last] = usable(range);
  const excluded = range.excluded
    .filter(({ family }) => family === cidr.family)
    .sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0));
  let next = 0;
  for (let value = first; value <= last; value++) {
    while ((excluded[next]?.last ?? value) < value) next++;
    const skipped = excluded[next];
    if (skipped && skipped.first <= value) value = skipped.last;
    else if (!isTaken(value)) return ipFromValue(cidr.family, value);
  }
  const [from, to] = [first, last].map((value) => ipFromValue(cidr.family, value).text);
  throw new IpamError(
    `Could not allocate IP in range: ip: ${from} / - ${to} / range: ${cidr.text} / ` +
      `excludeRanges: [${excludeTexts.join(" ")}]`,
  );
}

/** The first and the last address that may be given; a start or an end that lies outside does not count. */
function usable({ cidr, start, end }: IpRange): [bigint, bigint] {
  if (BITS[cidr.family] - cidr.prefix < HOST_BITS_MIN) {
    throw new IpamError(`the subnet ${cidr.text} is too small, it has no usable IP addresses`);
  }
  const [lowest, highest] = [cidr.first + 1n, cidr.last - 1n];
  const within = (address: IpAddress | undefined, from: bigint): address is IpAddress =>
    address?.family === cidr.family && address.value >= from && address.value <= highest;
  const first = within(start, lowest) ? start.value : lowest;
  return [first, within(end, first) ? end.value : highest];
}
