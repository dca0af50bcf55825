/** The names of gRPC's status codes, by number. */
const CODES = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];

/** Why a call failed, from the fields `grpc-status` and `grpc-message` of its end; undefined where it did not. */
export function grpcFailure(status: unknown, message: unknown): string | undefined {
  const code = typeof status === 'string' && /^\d+$/.test(status) ? Number(status) : undefined;
  if (code === 0) return undefined;
  if (code === undefined) return 'the answer has no gRPC status';
  const name = CODES[code] ?? `code ${code}`;
  return typeof message === 'string' && message !== '' ? `${name}: ${decode(message)}` : name;
}

/** Messages are percent-encoded; what is not well encoded is shown as it is. */
function decode(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
