/** Checks that the reports on both kinds have. */
import { findCause, messageOf } from '../../../framework/base/index.ts';

import { type KubeClient, keyString, type ObjectWatcher } from '../../../framework/kube/index.ts';
import { conditionCheck, type ExpectedCondition } from '../../../framework/module/condition-checks.ts';
import { connectChecked } from '../../../framework/module/connect-checked.ts';
import type { Check } from '../../../framework/module/diagnosis.ts';
import type { DiagnosisQuestion } from '../../../framework/module/module.ts';
import type { CheckResult } from '../../../framework/module/object-report.ts';
import type { CredentialResolver, ResolvedCredentials } from '../credentials/credential-resolver.ts';
import { InvalidCredentialsError, MissingCredentialsError } from '../credentials/errors.ts';
import type { CredentialUser } from '../credentials/secret-names.ts';
import type { ServiceManager, ServiceManagerClient } from '../service-manager/index.ts';
import { conditionsOf, typeReady, typeSucceeded } from '../status/conditions.ts';
import { nounOf } from '../status/messages.ts';
import { reasons } from '../status/reasons.ts';
import type { ServiceResource } from '../status/service-resource.ts';
import { btpRemedies } from './remedies.ts';

export interface DiagnosisOptions extends DiagnosisQuestion {
  readonly client: KubeClient;
  readonly objectWatcher: Pick<ObjectWatcher, 'target'>;
  readonly resolver: CredentialResolver;
  readonly serviceManager: Pick<ServiceManager, 'connect'>;
}

/** Secret and token; undefined if Service Manager cannot be reached with them. The caller closes the client. */
export async function* connectAs(
  { client, resolver, serviceManager, signal }: DiagnosisOptions,
  user: CredentialUser,
): AsyncGenerator<Check, { readonly manager: ServiceManagerClient; readonly baseUrl: string } | undefined> {
  const cluster = client.clusterName;
  let resolved: ResolvedCredentials;
  try {
    resolved = await resolver.resolve(user, signal);
  } catch (error) {
    const invalid = findCause(error, InvalidCredentialsError);
    const detail = invalid?.details ?? messageOf(error);
    const secret = invalid?.secret ?? findCause(error, MissingCredentialsError)?.proposed;
    const cause = user.spec.btpAccessCredentialsSecret ? 'namedCredentials' : 'credentials';
    const fallback = user.spec.btpAccessCredentialsSecret ? { field: 'spec.btpAccessCredentialsSecret' } : {};
    const remedy = secret === undefined ? fallback : btpRemedies[cause](secret);
    yield { name: 'Secret', status: 'failed', cluster, detail, ...remedy };
    return undefined;
  }
  const secret = `Secret ${keyString(resolved.secret)}`;
  yield { name: 'Secret', status: 'ok', object: secret, cluster, detail: 'found and complete' };

  const { credentials } = resolved;
  const manager = yield* connectChecked(() => serviceManager.connect(credentials), {
    tokenUrl: credentials.tokenUrl,
    remedy: btpRemedies.credentials(resolved.secret),
    signal,
  });
  return manager && { manager, baseUrl: credentials.baseUrl };
}

export interface ExternalCheckOptions {
  readonly resource: ServiceResource;
  /** In Service Manager; empty: it was not created yet. */
  readonly id: string;
  readonly baseUrl: string;
}

/** Whether Service Manager has the resource with the ID. */
export async function externalCheck(
  { resource, id, baseUrl }: ExternalCheckOptions,
  read: () => Promise<object | undefined>,
): Promise<CheckResult> {
  const noun = nounOf(resource.kind);
  if (id === '') return { status: 'waiting', object: baseUrl, detail: `the ${noun} is not created yet` };
  const object = `${baseUrl}, ${noun} ${id}`;
  try {
    if ((await read()) !== undefined) return { status: 'ok', object, detail: 'found' };
    const detail = 'does not exist, or is not visible to these credentials';
    return { status: 'failed', object, detail, ...btpRemedies.gone(resource) };
  } catch (error) {
    return { status: 'failed', object, detail: messageOf(error), ...btpRemedies.unknown(resource) };
  }
}

/** The operation goes on by itself. */
const waitingReasons: readonly string[] = [
  reasons.createInProgress,
  reasons.updateInProgress,
  reasons.deleteInProgress,
  reasons.inProgress,
];

/**
 * The result of the last operation, and whether the object can be used. An operation in progress is a check of its own.
 *
 * @param more further conditions that are True on an object that is as its spec says
 */
export const conditionsOfService = (
  object: ServiceResource,
  remediation: string,
  more: readonly ExpectedCondition[] = [],
): Check =>
  conditionCheck(
    conditionsOf(object),
    [
      { type: typeSucceeded, waiting: waitingReasons },
      { type: typeReady, waiting: [reasons.notProvisioned] },
      ...more,
    ],
    remediation,
  );

/** The operation in progress. */
export async function operationCheck(
  manager: ServiceManagerClient,
  object: ServiceResource,
  signal: AbortSignal,
): Promise<CheckResult> {
  const { operationURL = '', operationType = '' } = object.status ?? {};
  if (operationURL === '') return { status: 'ok', detail: 'none in progress' };
  try {
    const { state, description, errorDescription } = await manager.getOperation(operationURL, { signal });
    const text = errorDescription ?? description;
    const detail = `${operationType} ${state}${text === undefined ? '' : `: ${text}`}`;
    const status = {
      succeeded: 'ok',
      failed: 'failed',
      pending: 'waiting',
      'in progress': 'waiting',
    } as const;
    return { status: status[state], object: operationURL, detail };
  } catch (error) {
    return { status: 'failed', object: operationURL, detail: messageOf(error) };
  }
}
