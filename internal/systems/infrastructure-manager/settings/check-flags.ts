import { InvalidConfigurationError, type Logger } from '../../../framework/base/index.ts';

import type { Configuration } from '../configuration/configuration.ts';
import type { InfrastructureManagerFlags } from './flags.ts';

type Checked = Pick<
  InfrastructureManagerFlags,
  'structuredAuthEnabled' | 'customConfigControllerEnabled' | 'apiServerAclEnabled'
>;

/**
 * What a flag alone does not show: that it needs a member of the configuration, or has no effect any more.
 *
 * @throws InvalidConfigurationError
 */
export function checkFlags(
  { structuredAuthEnabled, customConfigControllerEnabled, apiServerAclEnabled }: Checked,
  { converter }: Pick<Configuration, 'converter'>,
  log: Pick<Logger, 'info'>,
): void {
  if (structuredAuthEnabled)
    log.info('--structured-auth-enabled has no effect: users are always authenticated by a ConfigMap');
  if (customConfigControllerEnabled)
    log.info(
      '--custom-config-controller-enabled has no effect: its successor is --registry-cache-config-controller-enabled',
    );
  if (apiServerAclEnabled && converter.kubernetes.kubeApiServer.acl.configMapName === '')
    throw new InvalidConfigurationError(
      '--api-server-acl-enabled needs converter.kubernetes.kubeApiServer.acl.configMapName in the converter configuration',
    );
}
