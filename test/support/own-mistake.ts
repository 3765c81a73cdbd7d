/** A real server says these with the reason of an internal error too, though nothing in it has failed. */
const SAID_BY_DESIGN = /Object 'apiVersion' is missing|the spec replicas field|failed to allocate/;

/** Some refusals have the code 500 in a real server and no reason; a failure of our own has one. */
export const isOwnMistake = (status: number, text: string): boolean =>
  status >= 500 &&
  (!text.includes("Failure") || (text.includes("InternalError") && !SAID_BY_DESIGN.test(text)));
