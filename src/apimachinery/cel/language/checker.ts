// Type checker: sets the type of every node and the overloads of every call, or reports issues. Messages and positions
// are those of the reference compiler, since users see them.

import type { Environment, FunctionDecl, Overload } from "../library/declare.ts";
import { typeOfValue } from "../values/inspect.ts";
import type { CallExpr, Expr, FoldExpr, ListExpr, MapExpr, SelectExpr, StructExpr } from "./ast.ts";
import { walk } from "./ast.ts";
import type { Issue } from "./source.ts";
import {
  BOOL,
  type CelType,
  DYN,
  ERROR,
  formatSignature,
  formatType,
  INT,
  isDyn,
  isDynOrError,
  listOf,
  mapOf,
  optionalOf,
  param,
  sameType,
  typeOf,
  unwrapOptional,
  withParams,
} from "./types.ts";
import { Bindings, mostGeneral, TooEntangled } from "./unify.ts";

/** Checks the tree in place; the issues are empty if it is well typed. */
export function check(root: Expr, env: Environment): Issue[] {
  const checker = new Checker(env);
  try {
    checker.check(root);
    walk(root, (expr) => checker.settle(expr));
  } catch (error) {
    if (!(error instanceof TooEntangled)) throw error;
    return [{ offset: undefined, message: "types of the expression are too complex" }];
  }
  return checker.issues;
}

class Checker {
  readonly issues: Issue[] = [];
  readonly #env: Environment;
  /** Variables of macros hide outer ones. */
  #scope: ReadonlyMap<string, CelType>;
  readonly #bindings = new Bindings();
  #freeTypes = 0;

  constructor(env: Environment) {
    this.#env = env;
    this.#scope = env.variables;
  }

  /** Replaces type parameters that are left in a node's type. */
  settle(expr: Expr): void {
    expr.type = this.#bindings.substitute(expr.type ?? DYN, true);
  }

  check(expr: Expr): CelType {
    const type = this.#typeOf(expr);
    expr.type = type;
    return type;
  }

  #typeOf(expr: Expr): CelType {
    switch (expr.kind) {
      case "literal":
        return typeOfValue(expr.value);
      case "ident":
        return this.#ident(expr);
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "struct":
        return this.#struct(expr);
      case "fold":
        return this.#fold(expr);
    }
  }

  #report(offset: number, message: string): void {
    this.issues.push({ offset, message });
  }

  #undeclared(offset: number, name: string): CelType {
    this.#report(offset, `undeclared reference to '${name}' (in container '')`);
    return ERROR;
  }

  #mismatch(offset: number, expected: CelType, actual: CelType): void {
    this.#report(offset, `expected type '${formatType(expected)}' but found '${formatType(actual)}'`);
  }

  #assignable(from: CelType, to: CelType): boolean {
    return this.#bindings.assign([from], [to]);
  }

  #freeType(): CelType {
    return param(`_var${this.#freeTypes++}`);
  }

  #ident(expr: Extract<Expr, { kind: "ident" }>): CelType {
    const name = expr.name.replace(/^\./, "");
    const variable = this.#scope.get(name);
    if (variable) return variable;
    const named = this.#env.typeNames.get(name);
    if (!named) return this.#undeclared(expr.offset, expr.name);
    expr.typeValue = named;
    return typeOf(named);
  }

  #select(expr: SelectExpr): CelType {
    const qualified = qualifiedName(expr);
    const named = qualified === undefined ? undefined : this.#env.typeNames.get(qualified);
    if (named) {
      expr.typeValue = named;
      return typeOf(named);
    }
    const variable = qualified === undefined ? undefined : this.#env.variables.get(qualified);
    if (variable && !expr.testOnly) {
      expr.variable = qualified ?? "";
      return variable;
    }
    const field = this.#field(expr.offset, expr.operand, expr.field);
    return expr.testOnly ? BOOL : this.#bindings.substitute(field, false);
  }

  #field(offset: number, operand: Expr, name: string): CelType {
    const operandType = this.#bindings.substitute(this.check(operand), false);
    const inner = unwrapOptional(operandType);
    const target = inner ?? operandType;
    const found = this.#fieldOf(offset, target, name);
    return inner ? optionalOf(found) : found;
  }

  #fieldOf(offset: number, target: CelType, name: string): CelType {
    switch (target.kind) {
      case "map":
        return target.params[1] ?? DYN;
      case "struct": {
        if (!target.field) this.#report(offset, `unexpected failed resolution of '${target.name}'`);
        const found = target.field?.(name);
        if (target.field && !found) this.#report(offset, `undefined field '${name}'`);
        return found ?? ERROR;
      }
      case "param":
        this.#assignable(DYN, target);
        return DYN;
      default:
        if (!isDynOrError(target)) {
          this.#report(offset, `type '${formatType(target)}' does not support field selection`);
        }
        return DYN;
    }
  }

  #call(expr: CallExpr): CelType {
    if (expr.fn === "_?._") return this.#optionalSelect(expr);
    const argTypes = expr.args.map((arg) => this.check(arg));
    if (expr.fn === "_&&_" || expr.fn === "_||_") return this.#logic(expr, argTypes);
    if (!expr.target) {
      const name = expr.fn.replace(/^\./, "");
      const fn = this.#env.functions.get(name);
      if (!fn) return this.#undeclared(expr.offset, expr.fn);
      expr.fn = name;
      return this.#resolve(expr, fn, argTypes);
    }
    const qualified = qualifiedName(expr.target);
    const full = qualified === undefined ? undefined : this.#env.functions.get(`${qualified}.${expr.fn}`);
    if (full) {
      expr.fn = full.name;
      expr.target = undefined;
      return this.#resolve(expr, full, argTypes);
    }
    const targetType = this.check(expr.target);
    const fn = this.#env.functions.get(expr.fn);
    return fn ? this.#resolve(expr, fn, [targetType, ...argTypes]) : this.#undeclared(expr.offset, expr.fn);
  }

  #optionalSelect(expr: CallExpr): CelType {
    const [operand, field] = expr.args;
    if (!operand || field?.kind !== "literal") return ERROR;
    this.check(field);
    const found = this.#field(expr.offset, operand, String(field.value));
    return this.#bindings.substitute(unwrapOptional(found) ? found : optionalOf(found), false);
  }

  #logic(expr: CallExpr, argTypes: readonly CelType[]): CelType {
    let fits = true;
    argTypes.forEach((type, index) => {
      if (this.#assignable(type, BOOL)) return;
      fits = false;
      this.#mismatch(expr.args[index]?.offset ?? expr.offset, BOOL, type);
    });
    return fits ? BOOL : ERROR;
  }

  #resolve(expr: CallExpr, fn: FunctionDecl, argTypes: readonly CelType[]): CelType {
    const fitting: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of fn.overloads) {
      if (overload.isMember !== (expr.target !== undefined)) continue;
      const fresh = new Map(overload.typeParams.map((name): [string, CelType] => [name, this.#freeType()]));
      const bound = (type: CelType): CelType => (fresh.size > 0 ? rename(fresh, type) : type);
      if (!this.#bindings.assign(argTypes, overload.args.map(bound))) continue;
      fitting.push(overload);
      const given = this.#bindings.substitute(bound(overload.result), false);
      if (!result) result = given;
      else if (!isDyn(result) && !sameType(given, result)) result = DYN;
    }
    if (result) {
      expr.declared = fn;
      expr.overloads = fitting;
      return result;
    }
    const shown = argTypes.map((type) => this.#bindings.substitute(type, true));
    const signature = formatSignature(shown, expr.target !== undefined);
    this.#report(expr.offset, `found no matching overload for '${fn.name}' applied to '${signature}'`);
    return ERROR;
  }

  /** The joined type of the previous elements and one more; mixed types are checked later. */
  #join(previous: CelType | undefined, current: CelType): CelType {
    if (!previous) return current;
    return this.#assignable(previous, current) ? mostGeneral(previous, current) : DYN;
  }

  #unwrap(offset: number, type: CelType): CelType {
    const inner = unwrapOptional(type);
    if (!inner && !isDyn(type)) this.#mismatch(offset, optionalOf(type), type);
    return inner ?? type;
  }

  #list(expr: ListExpr): CelType {
    let joined: CelType | undefined;
    expr.items.forEach((item, index) => {
      const type = this.check(item);
      joined = this.#join(joined, expr.optional.has(index) ? this.#unwrap(item.offset, type) : type);
    });
    return listOf(joined ?? this.#freeType());
  }

  #map(expr: MapExpr): CelType {
    let keys: CelType | undefined;
    let values: CelType | undefined;
    for (const { key, value, optional } of expr.entries) {
      keys = this.#join(keys, this.check(key));
      const type = this.check(value);
      values = this.#join(values, optional ? this.#unwrap(value.offset, type) : type);
    }
    return mapOf(keys ?? this.#freeType(), values ?? this.#freeType());
  }

  #struct(expr: StructExpr): CelType {
    const name = expr.name.replace(/^\./, "");
    const message = this.#env.messageType?.(name);
    if (!message) return this.#noMessage(expr, name);
    for (const { name: field, value, optional } of expr.fields) {
      const expected = message.field?.(field);
      const given = this.check(value);
      const actual = optional ? this.#unwrap(value.offset, given) : given;
      if (!expected) this.#report(value.offset, `undefined field '${field}'`);
      else if (!this.#assignable(expected, actual)) {
        const types = `'${formatType(expected)}' but provided type is '${formatType(actual)}'`;
        this.#report(value.offset, `expected type of field '${field}' is ${types}`);
      }
    }
    return message;
  }

  #noMessage(expr: StructExpr, name: string): CelType {
    const named = this.#env.typeNames.get(name);
    if (!named) return this.#undeclared(expr.offset, expr.name);
    this.#report(expr.offset, `'${named.name}' is not a message type`);
    for (const { value } of expr.fields) this.check(value);
    return ERROR;
  }

  #fold(expr: FoldExpr): CelType {
    const range = this.#bindings.substitute(this.check(expr.range), false);
    const accuType = this.check(expr.accuInit);
    const outside = this.#scope;
    const withAccu = new Map([...outside, [expr.accuVar, accuType]]);
    const [first, second] = this.#iterTypes(expr, range);
    const inLoop = new Map(withAccu).set(expr.iterVar, first);
    if (expr.iterVar2 !== undefined) inLoop.set(expr.iterVar2, second);
    this.#scope = inLoop;
    this.#assertType(expr.condition, BOOL);
    this.#assertType(expr.step, accuType);
    this.#scope = withAccu;
    const result = this.check(expr.result);
    this.#scope = outside;
    return this.#bindings.substitute(result, false);
  }

  #iterTypes(expr: FoldExpr, range: CelType): readonly [CelType, CelType] {
    const two = expr.iterVar2 !== undefined;
    switch (range.kind) {
      case "list": {
        const item = range.params[0] ?? DYN;
        return two ? [INT, item] : [item, item];
      }
      case "map":
        return [range.params[0] ?? DYN, range.params[1] ?? DYN];
      case "dyn":
      case "error":
      case "param":
        this.#assignable(DYN, range);
        return [DYN, DYN];
      default:
        this.#report(
          expr.range.offset,
          `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [ERROR, ERROR];
    }
  }

  #assertType(expr: Expr, expected: CelType): void {
    const actual = this.check(expr);
    if (!this.#assignable(expected, actual)) this.#mismatch(expr.offset, expected, actual);
  }
}

/** The declared type with fresh type parameters for one call. */
function rename(fresh: ReadonlyMap<string, CelType>, type: CelType): CelType {
  if (type.kind === "param") return fresh.get(type.name) ?? type;
  if (type.params.length === 0) return type;
  return withParams(
    type,
    type.params.map((inner) => rename(fresh, inner)),
  );
}

/** "a.b" of an identifier with selections; undefined for anything else. */
function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === "ident") return expr.name.replace(/^\./, "");
  if (expr.kind !== "select" || expr.testOnly) return undefined;
  const prefix = qualifiedName(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}
