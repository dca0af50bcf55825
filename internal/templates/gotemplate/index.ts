/**
 * Templates of Go (text/template), with the functions of sprig: for `spec.secretTemplate` of ServiceBindings.
 */

export {
  type Budget,
  createBudget,
  DEFAULT_LIMITS,
  ELEMENT_BYTES,
  type TemplateLimits,
} from './budget.ts';
export {
  type MissingName,
  TemplateExecError,
  type TemplateLimit,
  TemplateLimitError,
  type TemplateLocation,
  TemplateParseError,
} from './errors.ts';
export type { MissingKey, TraceStep } from './exec/execution.ts';
export { formatFloat, formatFloat32, SHORTEST } from './format/float.ts';
export { print, printf, println, printValue } from './format/printf.ts';
export { isPrint, quote } from './format/quote.ts';
export { FUNCTION_CATEGORIES, type FunctionCategory, SPRIG_FUNCTIONS } from './functions/categories.ts';
export {
  castToFloat,
  castToInteger,
  parseFloat64,
  parseInteger,
  parseMagnitude,
} from './functions/convert/cast.ts';
export { Failure, objectType, Panic } from './functions/define.ts';
export { decodeJson, encodeJson, toJsonValue } from './functions/json.ts';
export { compilePattern, type Pattern } from './functions/regex.ts';
export { isCompatible, isValidVersion } from './functions/semver/constraints.ts';
export { formatDuration, parseDuration, roundDuration } from './functions/time/duration.ts';
export { matchesLayout, parseRfc3339 } from './functions/time/parse.ts';
export { durationIn, durationValue } from './functions/time/values.ts';
export type { PipeNode } from './parse/nodes.ts';
export { nodeText } from './parse/nodes.ts';
export { positionIn, type SourcePosition } from './parse/tokens.ts';
export { certificateIn, certificateValue } from './sprig/crypto/crypto.ts';
export { SPRIG3_FUNCTIONS } from './sprig/sprig.ts';
export { typed } from './sprig/typed.ts';
export {
  type ExecuteOptions,
  type ParseOptions,
  parseTemplate,
  type Template,
  TemplateSet,
} from './template.ts';
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
  sortTexts,
  toBytes,
} from './values/text.ts';
export {
  type CallContext,
  dict,
  FunctionError,
  fromJson,
  type GoFunction,
  type GoFunctions,
  GoInteger,
  GoMap,
  type GoMethods,
  GoObject,
  GoSlice,
  INTEGER_TYPES,
  INTERFACE,
  type IntegerType,
  int,
  int64,
  list,
  type ObjectType,
  sortedKeys,
  stringMap,
  strings,
  type TypeName,
  type Value,
} from './values/value.ts';
