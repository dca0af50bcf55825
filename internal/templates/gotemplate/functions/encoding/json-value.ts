import { type Budget, ELEMENT_BYTES } from '../../budget.ts';
import { toBytes } from '../../values/text.ts';
import { dict, GoMap, GoObject, GoSlice, INTERFACE, type Value } from '../../values/value.ts';
import { bytesText } from '../convert/cast.ts';
import { Failure } from '../define.ts';
import { versionIn } from '../semver/value.ts';
import { versionText } from '../semver/version.ts';
import { timeIn, timeJson } from '../time/values.ts';

/**
 * What is left of a value if encoding/json writes it, and a reader that keeps integers reads it: bytes that are not UTF-8
 * are U+FFFD, nil maps null, times texts. @throws Failure for what JSON does not have
 */
export function toJsonValue(value: Value, budget: Budget, depth = 0): Value {
  budget.step();
  budget.checkDepth(depth);
  if (typeof value === 'string')
    return value.isWellFormed() ? value : value.replace(/[\ud800-\udfff]/gu, '\ufffd');
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Failure('json: unsupported value');
  if (value instanceof GoSlice) return sliceValue(value, budget, depth);
  if (value instanceof GoMap) {
    if (value.isNil) return null;
    budget.charge(value.entries.size * ELEMENT_BYTES);
    const entries = [...value.entries].map(
      ([key, item]) => [String(toJsonValue(key, budget)), toJsonValue(item, budget, depth + 1)] as const,
    );
    return new GoMap(INTERFACE, new Map(entries));
  }
  if (value instanceof GoObject) return objectValue(value, budget, depth);
  return value;
}

function sliceValue(value: GoSlice, budget: Budget, depth: number): Value {
  if (value.isNil) return null;
  budget.charge(value.items.length * ELEMENT_BYTES);
  if (value.elementType === 'uint8') return toBytes(bytesText(value)).toString('base64');
  return new GoSlice(
    INTERFACE,
    value.items.map((item) => toJsonValue(item, budget, depth + 1)),
  );
}

function objectValue(value: GoObject, budget: Budget, depth: number): Value {
  if (value.isNil) return null;
  const time = timeIn(value);
  if (time) return timeJson(time);
  const version = versionIn(value);
  if (version) return versionText(version);
  return value.type.json ? toJsonValue(dict(value.type.json(value.content)), budget, depth + 1) : null;
}
