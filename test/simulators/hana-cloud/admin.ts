import { type AdminCall, closed, commonCalls, count, createAdmin, text } from '../base/admin.ts';
import { type Route, routes } from './contract.ts';
import type { HanaCloudSimulator } from './hana-cloud-simulator.ts';
import { keyIn } from './mappings-service.ts';
import type { Mapping } from './store.ts';

const mappingSchema = {
  ...closed,
  required: ['platform', 'primaryID', 'isDefault'],
  properties: { platform: text, primaryID: text, secondaryID: text, isDefault: { type: 'boolean' } },
};

const settings = {
  latencyMs: count,
  tokenLifetimeSeconds: { type: 'number', exclusiveMinimum: 0 },
  tokenFormat: { enum: ['jwt', 'opaque'] },
  omitTokenExpiry: { type: 'boolean' },
  hiddenAs: { enum: [403, 404] },
};

const adminCalls: readonly AdminCall<HanaCloudSimulator>[] = [
  ...commonCalls<Route, HanaCloudSimulator>(routes, settings),
  {
    method: 'GET',
    path: /^\/state$/,
    help: 'GET /state: instances with their mappings, settings, faults, violations',
    run: (simulator) => ({
      instances: Object.fromEntries(
        simulator.store.instances().map((id) => [id, simulator.store.mappings(id)]),
      ),
      settings: simulator.settings,
      faults: simulator.faults.list(),
      violations: simulator.violations(),
      maxInFlight: simulator.maxInFlight(),
    }),
  },
  {
    method: 'PUT',
    path: /^\/instances\/([^/]+)$/,
    help: 'PUT /instances/{id}',
    run: ({ store }, { names: [id = ''] }) => store.addInstance(id),
  },
  {
    method: 'DELETE',
    path: /^\/instances\/([^/]+)$/,
    help: 'DELETE /instances/{id}',
    run: ({ store }, { names: [id = ''] }) => store.removeInstance(id),
  },
  {
    method: 'POST',
    path: /^\/instances\/([^/]+)\/mappings$/,
    help: 'POST /instances/{id}/mappings {platform, primaryID, secondaryID, isDefault}: as a third party would',
    schema: mappingSchema,
    run: ({ store }, { names: [id = ''], body }) => ({ added: store.addMapping(id, body as Mapping) }),
  },
  {
    method: 'DELETE',
    path: /^\/instances\/([^/]+)\/mappings$/,
    help: 'DELETE /instances/{id}/mappings?primaryID=&secondaryID=: as a third party would',
    run: ({ store }, { names: [id = ''], query }) => ({ removed: store.removeMapping(id, keyIn(query)) }),
  },
  {
    method: 'GET',
    path: /^\/instances\/([^/]+)\/credentials$/,
    help: 'GET /instances/{id}/credentials: data of the Secret, in its three forms',
    run: ({ credentials }, { names: [id = ''] }) => credentials(id),
  },
  {
    method: 'POST',
    path: /^\/instances\/([^/]+)\/credentials$/,
    help: 'POST /instances/{id}/credentials {revokeOld}: new ones',
    schema: { ...closed, properties: { revokeOld: { type: 'boolean' } } },
    run: ({ rotateCredentials }, { names: [id = ''], body }) =>
      rotateCredentials(id, body as { revokeOld?: boolean }),
  },
];

/** The simulator's admin API, to control it from another process. It has no authentication. */
export const handleAdmin = createAdmin(adminCalls);
