/**
 * Templates of Go (text/template), with the functions of sprig: for `spec.secretTemplate` of ServiceBindings.
 */
export { TemplateLimitError } from './errors/template-limit-error.ts';
export {
  type Budget,
  createBudget,
  DEFAULT_LIMITS,
  ELEMENT_BYTES,
  type TemplateLimits,
} from './limits/budget.ts';
export { dict, INTEGER_TYPES, int, int64, list, sortedKeys, stringMap, strings } from './values/create.ts';
export { fromJson } from './values/from-json.ts';
export { FunctionError } from './values/function-error.ts';
export { isNil, isTrue, typeOf, zeroOf } from './values/inspect.ts';
export {
  byteLength,
  compareText,
  concat,
  fromBytes,
  fromOutside,
  isEscapedByte,
  normalize,
  runes,
  sliceBytes,
  toBytes,
} from './values/text.ts';
export {
  type CallContext,
  type GoFunction,
  type GoFunctions,
  GoInteger,
  GoMap,
  type GoMethods,
  GoObject,
  GoSlice,
  INTERFACE,
  type IntegerType,
  type ObjectType,
  type TypeName,
  type Value,
} from './values/value.ts';
