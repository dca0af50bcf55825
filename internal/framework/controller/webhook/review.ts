/** Shared by the readers of admission and conversion reviews. */
import { ProviderError } from '../../base/errors/errors.ts';
import type { KubeObject } from '../../kube/object/object.ts';

export const malformed = (problem: string) =>
  new ProviderError('terminal', `cannot read the review: ${problem}`);

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isObject(value: unknown): value is KubeObject {
  return (
    isRecord(value) &&
    typeof value.apiVersion === 'string' &&
    typeof value.kind === 'string' &&
    isRecord(value.metadata)
  );
}
