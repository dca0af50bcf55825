import { GoInteger, GoMap, GoObject, GoSlice, type Value } from '../../values/value.ts';
import { Panic } from '../call/failure.ts';
import { typeText } from '../call/parameter.ts';

/**
 * A key that two values share if they are equal as keys of a map of Go: of the same type, with the same value. NaN equals
 * nothing. @param isFirst whether the map has no keys yet, for the error @throws Panic for lists and maps, which cannot be keys
 */
export function comparableKey(value: Value, isFirst = false): unknown {
  if (value instanceof GoSlice || value instanceof GoMap) {
    const type = typeText(value);
    throw new Panic(
      isFirst ? `hash of unhashable type: ${type}` : `runtime error: hash of unhashable type ${type}`,
    );
  }
  if (value instanceof GoInteger) return `${value.type.name}:${value.value}`;
  if (value instanceof GoObject) {
    return value.typeName.startsWith('*')
      ? value.content
      : `${value.typeName}:${value.type.text(value.content)}`;
  }
  if (typeof value === 'number') return Number.isNaN(value) ? {} : value;
  return typeof value === 'string' ? `string:${value}` : value;
}
