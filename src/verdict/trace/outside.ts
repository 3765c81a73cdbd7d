// What stands for the world outside of a cluster, family by family.

/** All of it. */
export const WORLD = { 4: "0.0.0.0/0", 6: "::/0" } as const;

/** An address in it: kept for documents (RFC 5737, RFC 3849), and so nobody's own. */
export const SOMEBODY_OUTSIDE = { 4: "192.0.2.1", 6: "2001:db8::1" } as const;
