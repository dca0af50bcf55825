import type { Operand as OperandNode } from '../parse/nodes.ts';
import { sortedKeys } from '../values/create.ts';
import { zeroOf } from '../values/inspect.ts';
import { type GoFunction, GoInteger, GoMap, GoObject, GoSlice } from '../values/value.ts';
import type { Execution } from './execution.ts';
import { concrete, element, NO_VALUE, type Operand, typeName } from './operand.ts';

/** The command that a field starts. */
export interface FieldArguments {
  /** All operands of the command, the field itself first; empty if there is no command. */
  readonly nodes: readonly OperandNode[];
  readonly final: Operand | undefined;
}

/** At most so many names are kept for hints. */
const MAX_HINTS = 1000;

/** The value of a field: a key of a map, or a field of an object. For a method, the function to call. */
export function evaluateField(
  execution: Execution,
  receiver: Operand,
  name: string,
  { nodes, final }: FieldArguments,
): Operand | GoFunction {
  const { value } = receiver;
  if (value === undefined) {
    if (execution.environment.missingKey === 'error') {
      execution.fail(`nil data; no entry for key "${name}"`);
    }
    return NO_VALUE;
  }
  const type = typeName(receiver);
  if (value === null) execution.fail(`nil pointer evaluating ${type}.${name}`);
  const hasArguments = nodes.length > 1 || final !== undefined;
  if (value instanceof GoObject || value instanceof GoInteger) {
    const methods = value.type.methods ?? {};
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (method) return method(value);
  }
  if (value instanceof GoMap || value instanceof GoSlice) {
    const methods = value.named?.methods ?? {};
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (method) return method(value);
  }
  if (value instanceof GoObject) {
    const fields = value.type.fields ?? {};
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field && value.isNil) execution.fail(`nil pointer evaluating ${type}.${name}`);
    if (field && hasArguments) execution.fail(`${name} has arguments but cannot be invoked as function`);
    if (field) return concrete(field(value.content));
  }
  if (value instanceof GoMap) {
    if (hasArguments) execution.fail(`${name} is not a method but has arguments`);
    const entry = value.entries.get(name);
    return entry === undefined ? missingKey(execution, value, name) : element(entry, value.valueType);
  }
  return execution.fail(`can't evaluate field ${name} in type ${type}`);
}

function missingKey(execution: Execution, map: GoMap, name: string): Operand {
  switch (execution.environment.missingKey) {
    case 'default':
      return NO_VALUE;
    case 'zero':
      return element(zeroOf(map.valueType) ?? null, map.valueType);
    case 'error': {
      const available = sortedKeys(map).slice(0, MAX_HINTS);
      return execution.fail(`map has no entry for key "${name}"`, { missing: { name, available } });
    }
  }
}
