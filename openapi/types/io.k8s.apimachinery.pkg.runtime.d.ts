// Written by `npm run types` from the schemas; do not edit.

/** Any object of any type. */
export type RawExtension = { [field: string]: unknown };
