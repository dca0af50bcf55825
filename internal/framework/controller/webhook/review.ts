/** Shared by the readers of admission and conversion reviews. */
import { ProviderError } from '../../base/errors/errors.ts';
import { isObject } from '../../base/json/json-value.ts';
import type { KubeObject } from '../../kube/object/object.ts';

export const malformed = (problem: string) =>
  new ProviderError('terminal', `cannot read the review: ${problem}`);

export function isKubeObject(value: unknown): value is KubeObject {
  return (
    isObject(value) &&
    typeof value.apiVersion === 'string' &&
    typeof value.kind === 'string' &&
    isObject(value.metadata)
  );
}
