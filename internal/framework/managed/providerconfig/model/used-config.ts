import { findCause, ProviderError } from '../../../base/errors/errors.ts';
import type { Managed } from '../../resource/managed.ts';
import * as messages from './messages.ts';
import type { ConfigKinds, ProviderConfig, UsedConfig } from './provider-config.ts';

/** The resource has no reference to a configuration, or an incomplete one. */
class MissingReferenceError extends ProviderError {
  constructor(message: string) {
    super('terminal', message);
  }
}

export function isMissingReference(error: unknown): boolean {
  return findCause(error, MissingReferenceError) !== undefined;
}

const DEFAULT_NAME = 'default';

/** The configuration that `spec.providerConfigRef` names. Throws if there is none. */
export function usedConfigOf<C extends ProviderConfig>(
  resource: Managed,
  kinds: ConfigKinds<C>,
): UsedConfig<C> {
  const ref = resource.spec.providerConfigRef;
  if (ref === undefined) throw new MissingReferenceError(messages.missingRefText);
  const { name, kind } = ref;
  if (kinds.scope === 'Cluster') {
    return { type: kinds.config, key: { name }, ref: { name }, isDefault: name === DEFAULT_NAME };
  }
  switch (kind) {
    case undefined:
    case '':
      throw new MissingReferenceError(messages.missingRefKindText);
    case kinds.clusterConfig.kind:
      return {
        type: kinds.clusterConfig,
        key: { name },
        ref: { kind, name },
        isDefault: name === DEFAULT_NAME,
      };
    case kinds.config.kind: {
      const { namespace = '' } = resource.metadata;
      return { type: kinds.config, key: { name, namespace }, ref: { kind, name }, isDefault: false };
    }
    default:
      throw new ProviderError('terminal', messages.unknownKindText(kind));
  }
}
