// Why routes are not advertised. The kind decides the reason in the condition, and stands before the message.

export type ProblemKind = "error" | "pending";

const REASONS = { error: "ConfigurationError", pending: "ConfigurationPending" } as const;

export class ConfigurationProblem extends Error {
  readonly kind: ProblemKind;

  constructor(kind: ProblemKind, message: string) {
    super(`configuration ${kind}: ${message}`);
    this.name = "ConfigurationProblem";
    this.kind = kind;
  }

  get reason(): string {
    return REASONS[this.kind];
  }
}

export const wrong = (message: string): ConfigurationProblem => new ConfigurationProblem("error", message);
export const pending = (message: string): ConfigurationProblem =>
  new ConfigurationProblem("pending", message);
