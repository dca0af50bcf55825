import type { ChangeEntry, Operation } from './change-entry.ts';
import { bytes, double, integer, message, text } from './protobuf.ts';

/** `OPERATION_TYPE_…`; 0 is unspecified. */
const OPERATIONS: Readonly<Record<Operation, number>> = { create: 1, update: 2, delete: 3 };

/** A `SendChangeLogRequest` of `changelogs.proto.v1alpha1`. */
export function encodeSendChangeLogRequest(entry: ChangeEntry): Uint8Array {
  return bytes(1, encodeChangeLogEntry(entry));
}

function encodeChangeLogEntry(entry: ChangeEntry): Uint8Array {
  const { apiVersion, kind, metadata } = entry.snapshot;
  return message(
    bytes(1, encodeTimestamp(entry.at)),
    ...optionalText(2, entry.provider),
    ...optionalText(3, apiVersion),
    ...optionalText(4, kind),
    ...optionalText(5, metadata.name),
    ...optionalText(6, entry.externalName),
    integer(7, OPERATIONS[entry.operation]),
    bytes(8, encodeStruct(entry.snapshot)),
    ...(entry.errorMessage === undefined ? [] : [text(9, entry.errorMessage)]),
    ...Object.entries(entry.additionalDetails).map(([key, value]) =>
      bytes(10, message(text(1, key), text(2, value))),
    ),
  );
}

/** `google.protobuf.Timestamp`. */
function encodeTimestamp(ms: number): Uint8Array {
  const seconds = Math.floor(ms / 1000);
  const nanos = Math.round((ms - seconds * 1000) * 1e6);
  return message(integer(1, seconds), ...(nanos === 0 ? [] : [integer(2, nanos)]));
}

/** `google.protobuf.Struct`. */
function encodeStruct(object: object): Uint8Array {
  return message(
    ...Object.entries(object)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => bytes(1, message(text(1, key), bytes(2, encodeValue(value))))),
  );
}

/** `google.protobuf.Value`, a oneof: zero values are written. */
function encodeValue(value: unknown): Uint8Array {
  switch (typeof value) {
    case 'number':
      return double(2, value);
    case 'string':
      return text(3, value);
    case 'boolean':
      return integer(4, value ? 1 : 0);
    case 'object': {
      if (value === null) break;
      if (!Array.isArray(value)) return bytes(5, encodeStruct(value));
      return bytes(6, message(...value.map((item) => bytes(1, encodeValue(item)))));
    }
  }
  return integer(1, 0);
}

const optionalText = (field: number, value = ''): Uint8Array[] => (value === '' ? [] : [text(field, value)]);
