// In which order the members of a value are written: those of a struct as it declares them, all others by their names.

export interface MemberOrder {
  /** Of a struct; undefined: the keys are sorted. */
  readonly members: ReadonlyMap<string, OrderedMember> | undefined;
  /** Of the values of a map. */
  readonly values: MemberOrder | undefined;
  /** Of the items of a list. */
  readonly items: MemberOrder | undefined;
}

export interface OrderedMember {
  readonly place: number;
  /** Within the member's value. */
  readonly order: MemberOrder | undefined;
}

/** Most objects have their keys in order already, and to see that takes less than sorting. */
export function sortedKeys(value: object): string[] {
  const keys = Object.keys(value);
  for (let index = 1; index < keys.length; index++) {
    if ((keys[index - 1] ?? "") > (keys[index] ?? "")) return keys.sort();
  }
  return keys;
}

/** The keys as they are written. What the struct does not know stands behind what it does. */
export function keysInOrder(value: object, order: MemberOrder | undefined): string[] {
  const members = order?.members;
  if (members === undefined) return sortedKeys(value);
  const placeOf = (key: string): number => members.get(key)?.place ?? members.size;
  const keys = Object.keys(value);
  for (let index = 1, last = placeOf(keys[0] ?? ""); index < keys.length; index++) {
    const place = placeOf(keys[index] ?? "");
    if (place <= last) return keys.sort((a, b) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1));
    last = place;
  }
  return keys;
}

/** The order within the value of a member. */
export const orderWithin = (order: MemberOrder | undefined, key: string): MemberOrder | undefined =>
  order === undefined
    ? undefined
    : order.members === undefined
      ? order.values
      : order.members.get(key)?.order;
