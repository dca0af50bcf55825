/** The path of an operation. */
export interface OperationPath {
  readonly collection: 'service_instances' | 'service_bindings';
  /** Of the instance or binding. */
  readonly id: string;
  readonly operationID: string;
}

/** `/v1/service_instances/<id>/operations/<operationID>`, or the same for a binding. */
export function operationURL({ collection, id, operationID }: OperationPath): string {
  return `/v1/${collection}/${encodeURIComponent(id)}/operations/${encodeURIComponent(operationID)}`;
}

/** Length of an operation URL, in characters: two UUIDs and the rest need about 120. */
const MAX_LENGTH = 1024;
const PATTERN = /^\/v1\/(service_instances|service_bindings)\/([^/?#\s]+)\/operations\/([^/?#\s]+)$/;

/** Undefined for another text. It is from Service Manager or from a status, so it must not change the path of a request. */
export function parseOperationURL(text: string): OperationPath | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const [, collection, id, operationID] = PATTERN.exec(text) ?? [];
  if (collection !== 'service_instances' && collection !== 'service_bindings') return undefined;
  const segments = { id: decoded(id), operationID: decoded(operationID) };
  if (segments.id === undefined || segments.operationID === undefined) return undefined;
  return { collection, id: segments.id, operationID: segments.operationID };
}

/** Encoding makes a text one segment of a path, except for an empty text, `.` and `..`. */
function decoded(segment = ''): string | undefined {
  try {
    const text = decodeURIComponent(segment);
    return ['', '.', '..'].includes(text) || !text.isWellFormed() ? undefined : text;
  } catch {
    return undefined;
  }
}
