/** Messages that a kube-apiserver also returns with the reason InternalError, though nothing in it has failed. */
const SAID_BY_DESIGN = /Object 'apiVersion' is missing|the spec replicas field|failed to allocate/;

/** A kube-apiserver rejects some requests with code 500 and no reason; an internal failure of Egret has a reason. */
export const isOwnMistake = (status: number, text: string): boolean =>
  status >= 500 &&
  (!text.includes("Failure") || (text.includes("InternalError") && !SAID_BY_DESIGN.test(text)));
