import { secrets } from '../../../../../framework/kube/index.ts';

import type { Action, ActionContext } from '../../model/component.ts';
import { deployments, findObject, itemsAt, KYMA_SYSTEM, secretText, textAt } from '../common/objects.ts';

const CREDENTIALS = { name: 'serverless-registry-config-default', namespace: KYMA_SYSTEM };
const REGISTRY = { name: 'serverless-docker-registry', namespace: KYMA_SYSTEM };
const HTTP_SECRET = 'REGISTRY_HTTP_SECRET';

/** The chart makes new credentials for each rendering: those of the cluster go into its values. */
export const keepRegistryCredentials: Action = async (context) => {
  const { configuration } = context;
  const secret = await findObject(context, secrets, CREDENTIALS);
  if (secret === undefined) return;
  set(configuration, 'dockerRegistry.username', secretText(secret, 'username'));
  set(configuration, 'dockerRegistry.password', secretText(secret, 'password'));
  const isInternal = secretText(secret, 'isInternal');
  if (isInternal) configuration['dockerRegistry.enableInternal'] = booleans.get(isInternal) ?? isInternal;
  await keepDeployment(context);
};

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/** Another hash would restart the registry, and another secret break uploads in progress. */
async function keepDeployment(context: ActionContext): Promise<void> {
  const { configuration } = context;
  const registry = await findObject(context, deployments, REGISTRY);
  if (registry === undefined) return;
  set(
    configuration,
    'docker-registry.rollme',
    textAt(registry, 'spec', 'template', 'metadata', 'annotations', 'rollme'),
  );
  const variables = itemsAt(registry, 'spec', 'template', 'spec', 'containers').flatMap((container) =>
    itemsAt(container, 'env'),
  );
  const secret = variables.find(({ name, value }) => name === HTTP_SECRET && value !== '');
  set(configuration, 'docker-registry.registryHTTPSecret', textAt(secret, 'value'));
}

function set(configuration: ActionContext['configuration'], key: string, value: string | undefined): void {
  if (value !== undefined && value !== '') configuration[key] = value;
}
