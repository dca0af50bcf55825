import {
  type ErrorKind,
  findCause,
  kindOf,
  messageOf,
  ProviderError,
} from '../../../../../framework/base/index.ts';
import { KubeApiError, type KubeObject } from '../../../../../framework/kube/index.ts';

import { nameOf } from '../prepared-object.ts';

/** A change of fields that cannot change. The object must be deleted before the chart can create it anew. */
export class ImmutableFieldError extends ProviderError {
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
const IMMUTABLE = ['immutable', 'may not be changed', 'may not be updated', 'cannot change', 'are forbidden'];

const saysImmutable = (message: string): boolean =>
  IMMUTABLE.some((text) => message.toLowerCase().includes(text));

/** Objects of a component that could not be applied. All objects of the same stage were tried. */
export class ApplyError extends ProviderError {
  readonly failures: readonly unknown[];

  constructor(failures: readonly unknown[]) {
    const [first] = failures;
    const text = failures.slice(0, MAX_NAMED).map(messageOf).join('; ');
    const others = failures.length - MAX_NAMED;
    super(worst(failures.map(kindOf)), others > 0 ? `${text}; and ${others} other objects` : text, {
      cause: first,
    });
    this.failures = failures;
  }
}

const MAX_NAMED = 10;

/** A terminal failure stays whatever becomes of the others. */
const worst = (kinds: readonly ErrorKind[]): ErrorKind =>
  kinds.find((kind) => kind === 'terminal') ?? kinds[0] ?? 'transient';
