/** V8 makes room for so many items with the first one that is added. */
const ROOM = 16;

/** The list without room for more. A million lists of one item take a third of the memory so. */
export const trimmed = <T>(list: T[]): T[] => (list.length > 0 && list.length < ROOM ? list.slice() : list);
