// The most that an expression can cost, worked out from its tree and from how large the data may be. It decides
// which rules a schema may have, so that it follows the reference implementation closely, oddities included.
import { ACCUMULATOR, type CallExpr, type Expr, type FoldExpr } from "../language/ast.ts";
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

/** How large the data at a path of the declared types may be: "self", then fields, "@items", "@keys", "@values". */
export type SizeOfPath = (path: readonly string[]) => Size | undefined;

/** What is known of the entries of a list or map. */
interface EntrySize {
  readonly isList: boolean;
  readonly key: Size;
  readonly value: Size;
}

interface LocalVar {
  readonly path: readonly string[];
  readonly size: Size | undefined;
  readonly entries: EntrySize | undefined;
}

export function estimateCost(root: Expr, sizeOfPath: SizeOfPath): number {
  return new Estimator(sizeOfPath).cost(root);
}

class Estimator {
  readonly #sizeOfPath: SizeOfPath;
  readonly #paths = new Map<Expr, readonly string[]>();
  readonly #sizes = new Map<Expr, Size>();
  readonly #entries = new Map<Expr, EntrySize>();
  #locals: ReadonlyMap<string, LocalVar> = new Map();

  constructor(sizeOfPath: SizeOfPath) {
    this.#sizeOfPath = sizeOfPath;
  }

  cost(expr: Expr): number {
    switch (expr.kind) {
      case "literal":
        return 0;
      case "ident":
        this.#paths.set(expr, this.#locals.get(expr.name)?.path ?? [expr.name]);
        return 1;
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
        return 0;
    }
  }

  #select(expr: Extract<Expr, { kind: "select" }>): number {
    const operand = this.cost(expr.operand);
    if (expr.testOnly) return operand;
    this.#paths.set(expr, [...this.#path(expr.operand), expr.field]);
    const kind = expr.operand.type?.kind;
    return addCosts([operand, kind === "map" || kind === "struct" || kind === "param" ? 1 : 0]);
  }

  #path(expr: Expr): readonly string[] {
    const local = expr.kind === "ident" ? this.#locals.get(expr.name) : undefined;
    return local?.path ?? this.#paths.get(expr) ?? [];
  }

  #size(expr: Expr): Size | undefined {
    return (
      this.#sizes.get(expr) ??
      constantSize(expr) ??
      this.#declaredSize(expr) ??
      scalarSize(expr) ??
      this.#localSize(expr)
    );
  }

  #declaredSize(expr: Expr): Size | undefined {
    const path = this.#path(expr);
    return path.length === 0 || path[0] === ACCUMULATOR ? undefined : this.#sizeOfPath(path);
  }

  #localSize(expr: Expr): Size | undefined {
    return expr.kind === "ident" ? this.#locals.get(expr.name)?.size : undefined;
  }

  #sizeOr(expr: Expr): Size {
    return this.#size(expr) ?? UNKNOWN_SIZE;
  }

  #entrySize(expr: Expr): EntrySize | undefined {
    return (
      this.#entries.get(expr) ?? (expr.kind === "ident" ? this.#locals.get(expr.name)?.entries : undefined)
    );
  }

  #call(expr: CallExpr): number {
    const operands = expr.target ? [expr.target, ...expr.args] : expr.args;
    const costs = operands.map((operand) => this.cost(operand));
    switch (expr.fn) {
      case "_&&_":
      case "_||_":
        return addCosts(costs);
      case "_?_:_":
        return this.#condition(expr, costs);
      case "_?._":
        return addCosts([1, ...costs]);
      case "dyn":
        this.#copySizes(expr, operands[0]);
        return addCosts([1, ...costs]);
      default:
        return addCosts([this.#function(expr, operands), ...costs]);
    }
  }

  #condition(expr: CallExpr, costs: readonly number[]): number {
    const [condition = 0, yes = 0, no = 0] = costs;
    const [, first, second] = expr.args;
    if (first && second) {
      this.#sizes.set(expr, uniteSizes(this.#sizeOr(first), this.#sizeOr(second)));
      this.#uniteEntries(expr, first, second);
    }
    return addCosts([condition, Math.max(yes, no)]);
  }

  #uniteEntries(expr: Expr, a: Expr, b: Expr): void {
    const left = this.#entrySize(a);
    const right = this.#entrySize(b);
    if (!left || !right) return;
    const key = uniteSizes(left.key, right.key);
    this.#entries.set(expr, { isList: left.isList, key, value: uniteSizes(left.value, right.value) });
  }

  #copySizes(to: Expr, from: Expr | undefined): void {
    const size = from && this.#size(from);
    const entries = from && this.#entrySize(from);
    if (size) this.#sizes.set(to, size);
    if (entries) this.#entries.set(to, entries);
  }

  /** The cost without the arguments; the overload is not known for certain, so that the dearest counts. */
  #function(expr: CallExpr, operands: readonly Expr[]): number {
    const described = operands.map((operand) => this.#describe(operand));
    let cost = 0;
    let size: Size | undefined;
    const estimateCall = expr.declared?.price.estimate ?? (() => ({ cost: 1, size: undefined }));
    for (const overload of expr.overloads ?? []) {
      const estimate = estimateCall(described, overload);
      cost = Math.max(cost, estimate.cost);
      if (estimate.size) size = size ? uniteSizes(size, estimate.size) : estimate.size;
      const [within] = operands;
      const kind = overload.args[0]?.kind;
      if (within && expr.fn === "_[_]" && (kind === "list" || kind === "map")) {
        size = this.#entrySize(within)?.value;
        this.#paths.set(expr, [...this.#path(within), kind === "list" ? "@items" : "@values"]);
      }
      size ??= this.#size(expr);
    }
    const [a, b] = operands;
    if (expr.fn === "_+_" && a && b) this.#uniteEntries(expr, a, b);
    if (size) this.#sizes.set(expr, size);
    return cost;
  }

  #describe(expr: Expr): Operand {
    const path = this.#path(expr);
    const itemPath = path.length > 0 && path[0] !== ACCUMULATOR ? [...path, "@items"] : undefined;
    return {
      type: expr.type ?? DYN,
      size: this.#size(expr),
      itemSize: itemPath && this.#sizeOfPath(itemPath),
      constant: expr.kind === "literal" && typeof expr.value === "bigint" ? expr.value : undefined,
    };
  }

  #list(expr: Extract<Expr, { kind: "list" }>): number {
    const costs = expr.items.map((item) => this.cost(item));
    this.#entries.set(expr, { isList: true, key: fixedSize(1), value: this.#unite(expr.items) });
    return addCosts([LIST_COST, ...costs]);
  }

  #map(expr: Extract<Expr, { kind: "map" }>): number {
    const keys = expr.entries.map(({ key }) => key);
    const values = expr.entries.map(({ value }) => value);
    const costs = [...keys, ...values].map((part) => this.cost(part));
    this.#entries.set(expr, { isList: false, key: this.#unite(keys), value: this.#unite(values) });
    return addCosts([MAP_COST, ...costs]);
  }

  #unite(items: readonly Expr[]): Size {
    const [first, ...rest] = items.map((item) => this.#sizeOr(item));
    return first ? rest.reduce(uniteSizes, first) : fixedSize(0);
  }

  #fold(expr: FoldExpr): number {
    const before = addCosts([this.cost(expr.range), this.cost(expr.accuInit)]);
    const accu = {
      path: this.#path(expr.accuInit),
      size: this.#size(expr.accuInit),
      entries: this.#entrySize(expr.accuInit),
    };
    const outside = this.#locals;
    const withAccu = new Map([...outside, [expr.accuVar, accu]]);
    const isLoop = expr.accuVar === ACCUMULATOR;
    if (isLoop) this.#locals = new Map([...withAccu, ...this.#loopVars(expr)]);
    const each = isLoop ? addCosts([this.cost(expr.condition), this.cost(expr.step)]) : 0;
    this.#locals = withAccu;
    const result = this.cost(expr.result);
    this.#locals = outside;
    if (!isLoop) {
      this.#copySizes(expr, expr.result); // a value with a name
      return addCosts([before, result]);
    }
    const count = this.#sizeOr(expr.range);
    this.#noteFoldSize(expr, count);
    return addCosts([before, result, multiplyCosts(count.max, each)]);
  }

  #loopVars({ range, iterVar, iterVar2 }: FoldExpr): (readonly [string, LocalVar])[] {
    const entries = this.#entrySize(range);
    const isList = entries?.isList ?? range.type?.kind === "list";
    const path = this.#path(range);
    const local = (name: string, step: string, size: Size | undefined) =>
      [name, { path: [...path, step], size, entries: undefined }] as const;
    const value = (name: string) => local(name, isList ? "@items" : "@values", entries?.value);
    const key = (name: string) => local(name, isList ? "@indices" : "@keys", entries?.key);
    if (iterVar2 !== undefined) return [key(iterVar), value(iterVar2)];
    return [isList ? value(iterVar) : key(iterVar)];
  }

  #noteFoldSize(expr: FoldExpr, count: Size): void {
    if (expr.accuInit.kind === "literal") {
      const size = this.#size(expr.accuInit);
      if (size) this.#sizes.set(expr, size);
    } else if (expr.accuInit.kind === "list" || expr.accuInit.kind === "map") {
      this.#sizes.set(expr, addSizes(count, fixedSize(0)));
      const entries = this.#entrySize(expr.step);
      if (entries) this.#entries.set(expr, entries);
    }
  }
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
