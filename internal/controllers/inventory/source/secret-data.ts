import type { Secret } from '../../../kube/object.ts';

/** What a Secret holds, as text. Values that are no valid base64 cannot come from an API server. */
export function decodedData({ data = {} }: Secret): Record<string, string> {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
  );
}
