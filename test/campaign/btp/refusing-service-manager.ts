import { jsonEqual } from '../../../internal/framework/base/json/json-value.ts';
import { errorOfCall } from '../../../internal/framework/http/errors/errors.ts';
import type { FakeServiceManager } from '../../../internal/systems/btp/fixtures/fake-service-manager/fake-service-manager.fixture.ts';
import type { KeptInstance } from '../../../internal/systems/btp/fixtures/fake-service-manager/kept-objects.fixture.ts';
import {
  lostResponse,
  refusal,
} from '../../../internal/systems/btp/fixtures/fake-service-manager/responses.fixture.ts';
import { errorOfResponse } from '../../../internal/systems/btp/service-manager/errors.ts';
import {
  operationURL,
  type ServiceInstanceUpdate,
  type ServiceManagerClient,
} from '../../../internal/systems/btp/service-manager/index.ts';
import type { LinkOptions } from '../actions/network.ts';
import type { Violation } from '../runner/campaign-module.ts';
import { CLUSTER } from './service-process.ts';
import { FOREIGN_NAMES, PARAMETER_SECRETS } from './service-specs.ts';

/** Instances of other clusters and namespaces. */
export const addForeign = (serviceManager: FakeServiceManager): readonly KeptInstance[] => [
  serviceManager.add({
    id: FOREIGN_NAMES[0],
    name: FOREIGN_NAMES[0],
    identity: { clusterID: 'cluster-2', namespace: 'shop', name: 'orders' },
    parameters: { theirs: true },
  }),
  serviceManager.add({
    id: FOREIGN_NAMES[1],
    name: FOREIGN_NAMES[1],
    identity: { clusterID: CLUSTER, namespace: 'elsewhere', name: 'orders' },
  }),
];

/** The service of this plan cannot be updated. */
export const isFixed = (instance: KeptInstance | undefined): boolean => instance?.servicePlanID === 'plan-2';

/** Service Manager with a broker that refuses parameters, and updates of one plan. */
export interface RefusingServiceManager extends FakeServiceManager {
  /** Whether the last update of the instance was refused, at once or at the end of its operation. */
  wasRefused(id: string): boolean;
}

export function refusingServiceManager(fake: FakeServiceManager): RefusingServiceManager {
  const { client, instances } = fake;
  const refused = new Set<string>();
  const assertAccepted = ({
    parameters,
  }: {
    readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  }) => {
    if (parameters !== undefined && 'refused' in parameters) throw refusal(400, 'the parameters are refused');
  };
  const refusing: ServiceManagerClient = {
    ...client,
    createInstance: async (content, options) => {
      assertAccepted(content);
      return client.createInstance(content, options);
    },
    updateInstance: async (id, update, options) => {
      refused.add(id);
      assertAccepted(update);
      if (isFixed(instances.get(id))) throw refusal(400, 'the service cannot be updated');
      const change = await client.updateInstance(id, update, options);
      refused.delete(id);
      return change;
    },
    createBinding: async (content, options) => {
      assertAccepted(content);
      return client.createBinding(content, options);
    },
  };
  return { ...fake, client: refusing, wasRefused: (id) => refused.has(id) || endedBadly(instances.get(id)) };
}

/** Whether the update of the last operation was not made. */
const endedBadly = (instance: KeptInstance | undefined): boolean =>
  instance?.lastOperation?.type === 'update' && instance.lastOperation.state === 'failed';

/** Operations go on without polls, of which the fake knows nothing. */
export async function endOperations({ client, instances, bindings }: FakeServiceManager): Promise<void> {
  const kept = [
    ...[...instances.values()].map((object) => ({ collection: 'service_instances', object }) as const),
    ...[...bindings.values()].map((object) => ({ collection: 'service_bindings', object }) as const),
  ];
  const { signal } = new AbortController();
  for (const { collection, object } of kept) {
    const { state, id: operationID } = object.lastOperation ?? {};
    if (state !== 'in progress' || operationID === undefined) continue;
    const url = operationURL({ collection, id: object.id, operationID });
    // In progress for one poll.
    for (let poll = 0; poll < 2; poll++) await client.getOperation(url, { signal });
  }
}

const hasSecretParameters = ({ parameters = {} }: KeptInstance): boolean =>
  PARAMETER_SECRETS.some((name) => name in parameters);

const hasParameters = (content: unknown): boolean =>
  (content as ServiceInstanceUpdate).parameters !== undefined;

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

const WRITES = new Set([
  'createInstance',
  'updateInstance',
  'shareInstance',
  'deleteInstance',
  'createBinding',
  'renameBinding',
  'deleteBinding',
]);

/**
 * The connection to Service Manager, which notes operations whose target is the present state.
 *
 * @param isRequested whether a user has requested an update of the instance
 * @param isDoubtful whether an edit may have been sent of which the status says nothing
 */
export const serviceManagerLink = (
  name: string,
  { instances, bindings, wasRefused }: RefusingServiceManager,
  {
    violations,
    isRequested,
    isDoubtful,
  }: {
    readonly violations: Violation[];
    readonly isRequested: (id: string) => boolean;
    readonly isDoubtful: (id: string) => boolean;
  },
): LinkOptions => ({
  name,
  lost: lostResponse,
  refused: (status) => refusal(status, 'injected', status === 409 ? 'conflict' : undefined),
  gateway: (response, method) => {
    const { signal } = new AbortController();
    const scrub = (text: string) => text;
    // What a create may have done is not known.
    const unrepeatable = method.startsWith('create') ? { unrepeatable: method } : {};
    const error = errorOfResponse(response, { route: method, scrub, nowMs: 0 });
    return asError(errorOfCall(error, { doing: method, ...unrepeatable, signal, scrub }));
  },
  writes: WRITES,
  subject: (_method, [given]) =>
    typeof given === 'string' ? given : JSON.stringify((given as { readonly identity: unknown }).identity),
  onWrite: (method, [id, content], isCertain) => {
    const add = (what: string) => void violations.push({ invariant: 'commands', what });
    const found = typeof id === 'string' ? instances.get(id) : undefined;
    const name = found?.name ?? id;
    // Marks of other instances, and those that a refused edit took away, change the versions of watched Secrets. A process that began
    // meanwhile knows these alone, and sends parameters once too often rather than not at all.
    // Where a service refuses every update, it refuses the repetition of one whose answer was lost, and shows no parameters.
    const isUnseen =
      found !== undefined && (hasSecretParameters(found) || (isFixed(found) && hasParameters(content)));
    // A refused edit that is taken back is sent once too often rather than not at all, if a process before may have sent another one.
    const isDue =
      found !== undefined &&
      (isRequested(found.id) || (wasRefused(found.id) && (isUnseen || isDoubtful(found.id))));
    if (method === 'updateInstance' && found !== undefined && isCertain && !isDue) {
      const { name: instance, servicePlanID, parameters } = found;
      const present = { name: instance, servicePlanID, parameters };
      if (jsonEqual({ parameters: undefined, ...(content as object) }, present))
        add(
          `instance ${name}${wasRefused(found.id) ? ', whose last edit was refused,' : ''} is updated to what it is`,
        );
    }
    if (method === 'shareInstance' && found?.shared === content && isCertain)
      add(`instance ${name} is ${content ? 'shared' : 'unshared'}, which it is`);
    const isGone =
      (method === 'deleteInstance' && found === undefined) ||
      (method === 'deleteBinding' && !bindings.has(String(id)));
    if (isGone && isCertain) add(`${method} of what is gone`);
  },
});
