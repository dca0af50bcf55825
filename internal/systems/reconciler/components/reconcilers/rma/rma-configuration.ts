import { createHash } from 'node:crypto';
import { ProviderError } from '../../../../../framework/base/errors/errors.ts';
import type { Values } from '../../charts/rendering/values.ts';
import type { ActionContext } from '../../model/actions.ts';
import { domainOf } from '../common/domain.ts';

/** Where the chart of the monitoring integration is, and where it goes. */
export interface RmaConfiguration {
  readonly chartUrl: string;
  /** Of the control plane. */
  readonly namespace: string;
  /** Groups of alerts, over which clusters are spread. */
  readonly groups: number;
}

/** @throws ProviderError of kind `terminal` for a value that is missing */
export function rmaConfiguration({ configuration }: Pick<ActionContext, 'configuration'>): RmaConfiguration {
  return {
    chartUrl: required(configuration, 'rmi.chartUrl'),
    namespace: required(configuration, 'rmi.namespace'),
    groups: groupsOf(configuration['rmi.vmalertGroupsNum']),
  };
}

function required(configuration: Values, key: string): string {
  const value = configuration[key];
  if (typeof value === 'string' && value !== '') return value;
  throw new ProviderError('terminal', `the configuration of the component has no ${key}`);
}

/** Default 1. */
function groupsOf(value: unknown): number {
  const groups = typeof value === 'string' || typeof value === 'number' ? Number(value) : 1;
  return Number.isSafeInteger(groups) && groups > 0 ? groups : 1;
}

/** The values of the chart for one cluster. */
export function integrationValues(
  { task: { metadata }, cluster }: Pick<ActionContext, 'task' | 'cluster'>,
  password: string,
  groups: number,
): Values {
  return {
    runtime: {
      instanceID: metadata.instanceID,
      globalAccountID: metadata.globalAccountID,
      subaccountID: metadata.subAccountID,
      shootName: metadata.shootName,
      planName: metadata.servicePlanName,
      region: metadata.region,
      dnsDomain: domainOf(cluster.name),
    },
    auth: { username: metadata.instanceID, password },
    vmalert: { group: groupOf(metadata.instanceID, groups) },
  };
}

/** The same for each rendering, since another group would move the alerts of the cluster. */
function groupOf(instanceId: string, groups: number): number {
  return createHash('sha256').update(instanceId).digest().readUInt32BE(0) % groups;
}
