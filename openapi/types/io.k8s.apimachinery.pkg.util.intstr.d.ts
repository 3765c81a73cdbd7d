// Written by `npm run types` from the schemas; do not edit.

/** A whole number or a text. */
export type IntOrString = number | string;
