import { findCause, ProviderError } from '../../../../../framework/base/index.ts';
import { KubeApiError, type KubeObject } from '../../../../../framework/kube/index.ts';
import { nameOf } from '../prepared-object.ts';

/** A change of fields that cannot change. The object must be deleted before the chart can create it anew. */
class ImmutableFieldError extends ProviderError {
  /** `Deployment shop/web` */
  readonly object: string;
  /** `spec.selector` */
  readonly fields: readonly string[];

  constructor(object: KubeObject, fields: readonly string[], cause: unknown) {
    super(
      'terminal',
      `cannot change ${fields.join(', ')} of ${nameOf(object)}: immutable; delete the object so that it is created anew`,
      { cause },
    );
    this.object = nameOf(object);
    this.fields = fields;
  }
}

/** The immutable fields that the API server names in its refusal; undefined if that is not why it refused. */
export function asImmutable(object: KubeObject, error: unknown): ImmutableFieldError | undefined {
  const refusal = findCause(error, KubeApiError);
  if (refusal?.status !== 422) return undefined;
  const causes = refusal.details?.causes ?? [];
  const fields = causes.filter(({ message = '' }) => saysImmutable(message)).map(({ field }) => field ?? '');
  const named = [...new Set(fields.filter((field) => field !== ''))];
  return named.length === 0 ? undefined : new ImmutableFieldError(object, named, error);
}

/** Texts of API servers, for all kinds of this sort. */
const IMMUTABLE = [
  'immutable',
  'may not be changed',
  'may not be updated',
  'may not change',
  'cannot change',
  'are forbidden',
];

export const saysImmutable = (message: string): boolean =>
  IMMUTABLE.some((text) => message.toLowerCase().includes(text));
