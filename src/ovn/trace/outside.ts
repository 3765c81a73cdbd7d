// Destinations outside of the cluster, by family.

/** All addresses. */
export const WORLD = { 4: "0.0.0.0/0", 6: "::/0" } as const;

/** Documentation addresses (RFC 5737, RFC 3849), which no host has. */
export const SOMEBODY_OUTSIDE = { 4: "192.0.2.1", 6: "2001:db8::1" } as const;
