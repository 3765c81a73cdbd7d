// Written by `npm run types` from the schemas; do not edit.

/** An amount with an optional unit suffix, such as 500m, 2 or 64Mi. */
export type Quantity = number | string;
