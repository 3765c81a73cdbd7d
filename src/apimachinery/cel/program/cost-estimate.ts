// Estimates the maximum cost of an expression from its tree and the possible size of the data. The estimate decides
// which rules a schema may have, so it follows the reference implementation closely, oddities included.
import {
  ACCUMULATOR,
  type CallExpr,
  type Expr,
  type FoldExpr,
  type ListExpr,
  type MapExpr,
  type SelectExpr,
} from "../language/ast.ts";
import { DYN } from "../language/types.ts";
import {
  addCosts,
  addSizes,
  fixedSize,
  LIST_COST,
  MAP_COST,
  multiplyCosts,
  type Operand,
  type Size,
  UNKNOWN_SIZE,
  uniteSizes,
} from "../library/price.ts";
import { lengthOf } from "../values/inspect.ts";

/** The possible size of the data at a path of the declared types: "self", then fields, "@items", "@keys", "@values". */
export type SizeOfPath = (path: readonly string[]) => Size | undefined;

/** The known sizes of the entries of a list or map. */
interface EntrySize {
  readonly isList: boolean;
  readonly key: Size;
  readonly value: Size;
}

/** Facts about the value of an expression before its evaluation. */
interface Known {
  /** Its path in the declared data; [] for computed values. */
  readonly path: readonly string[];
  readonly size: Size | undefined;
  readonly entries: EntrySize | undefined;
}

interface Cost {
  readonly cost: number;
}
type Estimate = Known & Cost;
/** Facts that are left out are unknown. */
type Partly = Partial<Known> & Cost;

export function estimateCost(root: Expr, sizeOfPath: SizeOfPath): number {
  return new Estimator(sizeOfPath).of(root).cost;
}

class Estimator {
  readonly #sizeOfPath: SizeOfPath;
  #locals: ReadonlyMap<string, Known> = new Map();

  constructor(sizeOfPath: SizeOfPath) {
    this.#sizeOfPath = sizeOfPath;
  }

  of(expr: Expr): Estimate {
    const { cost, path = [], size, entries } = this.#look(expr);
    return { cost, path, size: size ?? this.#sizeAt(path, expr), entries };
  }

  #look(expr: Expr): Partly {
    switch (expr.kind) {
      case "ident": {
        const { path = [expr.name], size, entries } = this.#locals.get(expr.name) ?? {};
        return { cost: 1, path, size: this.#sizeAt(path, expr) ?? size, entries };
      }
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "fold":
        return this.#fold(expr);
      default:
        return { cost: 0 };
    }
  }

  /** The size of a literal, of declared data, or of a type with a fixed size. */
  #sizeAt(path: readonly string[], expr: Expr): Size | undefined {
    const isDeclared = path.length > 0 && path[0] !== ACCUMULATOR;
    return constantSize(expr) ?? (isDeclared ? this.#sizeOfPath(path) : undefined) ?? scalarSize(expr);
  }

  #select(expr: SelectExpr): Partly {
    const operand = this.of(expr.operand);
    if (expr.testOnly) return { cost: operand.cost };
    const kind = expr.operand.type?.kind;
    const cost = addCosts([operand.cost, kind === "map" || kind === "struct" || kind === "param" ? 1 : 0]);
    return { cost, path: [...operand.path, expr.field] };
  }

  #call(expr: CallExpr): Partly {
    const exprs = expr.target ? [expr.target, ...expr.args] : expr.args;
    const operands = exprs.map((operand) => this.of(operand));
    const costs = operands.map(({ cost }) => cost);
    const [first, second, third] = operands;
    switch (expr.fn) {
      case "_&&_":
      case "_||_":
        return { cost: addCosts(costs) };
      case "_?_:_":
        return {
          cost: addCosts([first?.cost ?? 0, Math.max(second?.cost ?? 0, third?.cost ?? 0)]),
          size: uniteSizes(sizeOr(second), sizeOr(third)),
          entries: uniteEntries(second, third),
        };
      case "_?._":
        return { cost: addCosts([1, ...costs]) };
      case "dyn":
        return { cost: addCosts([1, ...costs]), size: first?.size, entries: first?.entries };
      default: {
        const described = operands.map((operand, index) => this.#describe(exprs[index], operand));
        const { cost, ...known } = this.#function(expr, operands, described);
        return { ...known, cost: addCosts([cost, ...costs]) };
      }
    }
  }

  /** The cost without the arguments. Without a definite overload the most expensive one counts. */
  #function(expr: CallExpr, [first, second]: readonly Estimate[], described: readonly Operand[]): Estimate {
    let cost = 0;
    let size: Size | undefined;
    let path: readonly string[] = [];
    const estimateCall = expr.declared?.price.estimate ?? (() => ({ cost: 1, size: undefined }));
    for (const overload of expr.overloads ?? []) {
      const estimate = estimateCall(described, overload);
      cost = Math.max(cost, estimate.cost);
      if (estimate.size) size = size ? uniteSizes(size, estimate.size) : estimate.size;
      const kind = overload.args[0]?.kind;
      if (first && expr.fn === "_[_]" && (kind === "list" || kind === "map")) {
        size = first.entries?.value;
        path = [...first.path, kind === "list" ? "@items" : "@values"];
      }
      size ??= this.#sizeAt(path, expr);
    }
    const entries = expr.fn === "_+_" ? uniteEntries(first, second) : undefined;
    return { cost, path, size, entries };
  }

  #describe(expr: Expr | undefined, { path, size }: Estimate): Operand {
    const isDeclared = path.length > 0 && path[0] !== ACCUMULATOR;
    return {
      type: expr?.type ?? DYN,
      size,
      itemSize: isDeclared ? this.#sizeOfPath([...path, "@items"]) : undefined,
      constant: expr?.kind === "literal" && typeof expr.value === "bigint" ? expr.value : undefined,
    };
  }

  #list({ items }: ListExpr): Partly {
    const parts = items.map((item) => this.of(item));
    const entries = { isList: true, key: fixedSize(1), value: uniteAll(parts) };
    return { cost: addCosts([LIST_COST, ...parts.map(({ cost }) => cost)]), entries };
  }

  #map(expr: MapExpr): Partly {
    const keys = expr.entries.map(({ key }) => this.of(key));
    const values = expr.entries.map(({ value }) => this.of(value));
    const entries = { isList: false, key: uniteAll(keys), value: uniteAll(values) };
    return { cost: addCosts([MAP_COST, ...[...keys, ...values].map(({ cost }) => cost)]), entries };
  }

  #fold(expr: FoldExpr): Partly {
    const range = this.of(expr.range);
    const init = this.of(expr.accuInit);
    const before = addCosts([range.cost, init.cost]);
    const outside = this.#locals;
    const withAccu = new Map([...outside, [expr.accuVar, init]]);
    if (expr.accuVar !== ACCUMULATOR) {
      this.#locals = withAccu;
      const result = this.of(expr.result); // a value with a name
      this.#locals = outside;
      return { cost: addCosts([before, result.cost]), size: result.size, entries: result.entries };
    }
    this.#locals = new Map([...withAccu, ...loopVars(expr, range)]);
    const [condition, step] = [this.of(expr.condition), this.of(expr.step)];
    this.#locals = withAccu;
    const result = this.of(expr.result);
    this.#locals = outside;
    const count = range.size ?? UNKNOWN_SIZE;
    const each = multiplyCosts(count.max, addCosts([condition.cost, step.cost]));
    const cost = addCosts([before, result.cost, each]);
    if (expr.accuInit.kind === "literal") return { cost, size: init.size };
    return expr.accuInit.kind === "list" || expr.accuInit.kind === "map"
      ? { cost, size: addSizes(count, fixedSize(0)), entries: step.entries }
      : { cost };
  }
}

const sizeOr = (known: Known | undefined): Size => known?.size ?? UNKNOWN_SIZE;

function uniteEntries(a: Known | undefined, b: Known | undefined): EntrySize | undefined {
  if (!a?.entries || !b?.entries) return undefined;
  return {
    isList: a.entries.isList,
    key: uniteSizes(a.entries.key, b.entries.key),
    value: uniteSizes(a.entries.value, b.entries.value),
  };
}

function uniteAll(parts: readonly Known[]): Size {
  const [first, ...rest] = parts.map(sizeOr);
  return first ? rest.reduce(uniteSizes, first) : fixedSize(0);
}

function loopVars(
  { range, iterVar, iterVar2 }: FoldExpr,
  { path, entries }: Known,
): (readonly [string, Known])[] {
  const isList = entries?.isList ?? range.type?.kind === "list";
  const local = (name: string, step: string, size: Size | undefined) =>
    [name, { path: [...path, step], size, entries: undefined }] as const;
  const value = (name: string) => local(name, isList ? "@items" : "@values", entries?.value);
  const key = (name: string) => local(name, isList ? "@indices" : "@keys", entries?.key);
  if (iterVar2 !== undefined) return [key(iterVar), value(iterVar2)];
  return [isList ? value(iterVar) : key(iterVar)];
}

function constantSize(expr: Expr): Size | undefined {
  if (expr.kind === "list") return fixedSize(expr.items.length);
  if (expr.kind === "map") return fixedSize(expr.entries.length);
  if (expr.kind !== "literal") return undefined;
  if (typeof expr.value === "string") return fixedSize(lengthOf(expr.value));
  return fixedSize(expr.value instanceof Uint8Array ? expr.value.length : 1);
}

const SCALARS = new Set(["bool", "double", "duration", "int", "timestamp", "uint"]);

function scalarSize(expr: Expr): Size | undefined {
  let type = expr.type ?? DYN;
  while (type.name === "optional_type") type = type.params[0] ?? DYN;
  return SCALARS.has(type.kind) ? fixedSize(1) : undefined;
}
