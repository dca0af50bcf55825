import { randomUUID } from 'node:crypto';
import type { Answer } from '../../base/answer.ts';
import type { Incoming, Service } from '../../base/http/receiver.ts';
import { clientOfBearer } from '../../base/oauth/bearer.ts';
import { certificateOf } from '../../base/oauth/client-certificate.ts';
import type { TokenMint } from '../../base/oauth/tokens.ts';
import { errors, notFound } from '../answers.ts';
import { type Route, routes } from '../contract.ts';
import type { Modes } from '../state/modes.ts';
import type { Store, Subaccount } from '../state/store.ts';
import { createBindings } from './bindings.ts';
import type { ServiceBroker } from './broker.ts';
import { listOfferings, listPlans } from './catalog.ts';
import type { ForeignCopies } from './foreign-copies.ts';
import { accepted, createInstances } from './instances.ts';
import { pollOperation } from './operations.ts';
import { createRateLimiter, type RateLimit } from './rate-limit.ts';

export interface ServiceManagerServiceOptions {
  readonly store: Store;
  readonly modes: Modes;
  readonly broker: ServiceBroker;
  readonly mint: TokenMint;
  readonly pageSize: () => number;
  readonly rateLimit: () => RateLimit | null;
  readonly foreign: ForeignCopies;
}

/** The API with its state. Clients see the objects of their subaccount. */
export function createServiceManagerService(options: ServiceManagerServiceOptions): Service<Route> {
  const { store, mint, pageSize, rateLimit } = options;
  const instances = createInstances(options);
  const bindings = createBindings(options);
  const limit = createRateLimiter(rateLimit);

  const deleteCluster = (owner: Subaccount, { parameters }: Incoming<Route>): Answer => {
    const { platformID, clusterID = '' } = parameters;
    const inCluster = [...owner.instances.values()].filter(({ context }) => context.clusterid === clusterID);
    if (platformID !== owner.platformID || inCluster.length === 0)
      return notFound('no such platform or cluster');
    for (const { id } of inCluster) {
      owner.instances.delete(id);
      for (const binding of [...owner.bindings.values()]) {
        if (binding.service_instance_id === id) owner.bindings.delete(binding.id);
      }
    }
    const started = {
      id: randomUUID(),
      resource_id: clusterID,
      description: '',
      state: 'succeeded',
    } as const;
    return accepted(`/v1/platforms/${platformID}`, started);
  };

  return {
    routes: new Set(routes.filter((route) => route !== 'grantToken')),
    identify: ({ message }) => {
      const known = clientOfBearer(message, store, mint);
      if ('refused' in known) return { refusal: errors.unauthorized(known.refused) };
      const { client, number: token } = known;
      const identity = { clientID: client.id, token };
      if (client.certificate !== undefined && certificateOf(message) !== client.certificate)
        return {
          ...identity,
          refusal: errors.unauthorized('the connection has no certificate of the client'),
        };
      const refusal = limit(client.id);
      return refusal === undefined ? identity : { ...identity, refusal };
    },
    serve: (incoming, clientID) => {
      const { route, instance: id, query, body } = incoming;
      const owner = store.subaccount(store.client(clientID ?? '')?.subaccount ?? '');
      switch (route) {
        case 'listOfferings':
          return listOfferings(store.catalog, query, pageSize());
        case 'listPlans':
          return listPlans(store.catalog, query, pageSize());
        case 'listInstances':
          return instances.list(owner, query);
        case 'createInstance':
          return instances.create(owner, body);
        case 'getInstance':
          return instances.get(owner, id);
        case 'updateInstance':
          return instances.update(owner, id, body);
        case 'deleteInstance':
          return instances.remove(owner, id);
        case 'listBindings':
          return bindings.list(owner, query);
        case 'createBinding':
          return bindings.create(owner, body);
        case 'getBinding':
          return bindings.get(owner, id);
        case 'updateBinding':
          return bindings.update(owner, id, body);
        case 'deleteBinding':
          return bindings.remove(owner, id);
        case 'getInstanceOperation':
        case 'getBindingOperation':
          return pollOperation(store, owner, id, incoming.parameters.operationID ?? '');
        case 'deleteCluster':
          return deleteCluster(owner, incoming);
        case 'grantToken':
          throw new Error('the API grants no tokens');
        default:
          return route satisfies never;
      }
    },
  };
}
