/** What is wrong with the values of a text that can be read; only told when all of the text can be. */
export class DecodeFailure extends Error {}
