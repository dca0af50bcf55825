/** What to do about each cause for which an InstanceMapping does not become Ready. `FILE` has the credentials. */
import { kubectlArguments, objectCommand, shellCommand } from '../../../../framework/base/text/shell.ts';
import { groupResource, keyOf } from '../../../../framework/kube/index.ts';

import type { Remedy } from '../../../../framework/module/diagnosis.ts';
import type { AdminCredentialsRef } from '../admin-credentials.ts';
import { type InstanceMapping, instanceMappingTypes } from '../resource.ts';

export const rawRemedies = {
  /** The Secret is missing or incomplete, or its credentials are refused. Stores others; other keys of the Secret remain. */
  credentials: ({ namespace, name, key }: AdminCredentialsRef): Remedy => {
    const words = [`--from-file=${key}=FILE`, '--dry-run=client', '--output=yaml'];
    // `--` precedes a name that begins with a dash.
    const named = name.startsWith('-') ? [...words, '--', name] : [name, ...words];
    const create = shellCommand(...kubectlArguments(namespace), 'create', 'secret', 'generic', ...named);
    return { field: key, remediation: `${create} | kubectl apply --filename=-` };
  },
  /** They are those of another instance. */
  credentialsRef: (resource: InstanceMapping): Remedy => ({
    field: 'spec.forProvider.adminCredentialsSecretRef',
    remediation: ownCommand(resource, 'edit'),
  }),
  /** Nothing is known but the conditions and events. */
  unknown: (resource: InstanceMapping): Remedy => ({ remediation: ownCommand(resource, 'describe') }),
};

/** With the group, since both scopes have a kind of this name. */
function ownCommand(resource: InstanceMapping, verb: string): string {
  const key = keyOf(resource);
  const type = instanceMappingTypes[key.namespace === undefined ? 'cluster' : 'namespaced'];
  return objectCommand(verb, groupResource(type), key);
}
