// How an evaluation ends without a value. A CelError is an outcome of the language (|| and && may swallow it);
// CostExceeded ends the evaluation whatever stands around it.

export class CelError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "CelError";
  }
}

/** A value of a type that the operation does not take. */
export const noSuchOverload = (of?: string): CelError =>
  new CelError(of === undefined ? "no such overload" : `no such overload: ${of}`);

const COST_EXCEEDED = "operation cancelled: actual cost limit exceeded";

export class CostExceeded extends Error {
  constructor() {
    super(COST_EXCEEDED);
    this.name = "CostExceeded";
  }
}
