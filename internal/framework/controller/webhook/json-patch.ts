import { isObject, jsonEqual } from '../../base/json/json-value.ts';
import { type JsonPatchOperation, jsonPointer } from '../../kube/apply/json-patch.ts';

/** The JSON patch (RFC 6902) from `before` to `after`. Objects are compared by member; a changed list is replaced. */
export function jsonPatch(before: object, after: object): JsonPatchOperation[] {
  return [...operations(before as Members, after as Members, '')];
}

type Members = Readonly<Record<string, unknown>>;

function* operations(before: Members, after: Members, path: string): Generator<JsonPatchOperation> {
  for (const name of Object.keys(before)) {
    if (before[name] === undefined) continue;
    const isKept = Object.hasOwn(after, name) && after[name] !== undefined;
    if (!isKept) yield { op: 'remove', path: jsonPointer(path, name) };
  }
  for (const [name, value] of Object.entries(after)) {
    if (value === undefined) continue;
    const at = jsonPointer(path, name);
    const old = Object.hasOwn(before, name) ? before[name] : undefined;
    if (old === undefined) yield { op: 'add', path: at, value };
    else if (isObject(old) && isObject(value)) yield* operations(old, value, at);
    else if (!jsonEqual(old, value)) yield { op: 'replace', path: at, value };
  }
}
