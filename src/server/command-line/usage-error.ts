/** What is wrong with a command line, in one line for the person who typed it. */
export class UsageError extends Error {}
