import { isObject, ownMember } from '../../../../framework/base/index.ts';

/** The value does not match the contract. The message quotes no value: `items[3].id is a number, not a string`. */
export class DifferenceError extends Error {}

/** Reads the fields of one untrusted JSON object. Null counts as absent. */
export interface Reader {
  /** @throws DifferenceError if it is absent or empty */
  text(name: string): string;
  optionalText(name: string): string | undefined;
  /** Absent: false. */
  flag(name: string): boolean;
  optionalObject(name: string): Reader | undefined;
  /** Absent: empty. */
  texts(name: string): string[];
  /** Each element of an array of objects; absent: none. */
  objects(name: string): Reader[];
  value(name: string): unknown;
  entries(): [name: string, value: unknown][];
}

/** @param path of the object in messages; empty for the body */
export function readerOf(value: unknown, path = ''): Reader {
  if (!isObject(value)) throw new DifferenceError(`${path || 'the body'} is ${nameOf(value)}, not an object`);
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const member = (name: string) => ownMember(value, name) ?? undefined;
  const optionalText = (name: string) => {
    const text = member(name);
    if (text === undefined || typeof text === 'string') return text;
    throw new DifferenceError(`${at(name)} is ${nameOf(text)}, not a string`);
  };
  const array = (name: string): readonly unknown[] => {
    const list = member(name) ?? [];
    if (Array.isArray(list)) return list;
    throw new DifferenceError(`${at(name)} is ${nameOf(list)}, not an array`);
  };
  return {
    optionalText,
    text: (name) => {
      const text = optionalText(name);
      if (text === undefined || text === '')
        throw new DifferenceError(`${at(name)} is ${text === '' ? 'empty' : 'missing'}`);
      return text;
    },
    flag: (name) => {
      const flag = member(name) ?? false;
      if (typeof flag === 'boolean') return flag;
      throw new DifferenceError(`${at(name)} is ${nameOf(flag)}, not a boolean`);
    },
    optionalObject: (name) => {
      const inner = member(name);
      return inner === undefined ? undefined : readerOf(inner, at(name));
    },
    texts: (name) =>
      array(name).map((element, index) => {
        if (typeof element === 'string') return element;
        throw new DifferenceError(`${at(name)}[${index}] is ${nameOf(element)}, not a string`);
      }),
    objects: (name) => array(name).map((element, index) => readerOf(element, `${at(name)}[${index}]`)),
    value: member,
    entries: () => Object.entries(value),
  };
}

function nameOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
