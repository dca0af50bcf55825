import { type AdminCall, closed, commonCalls, count, createAdmin, text } from '../base/admin.ts';
import { type Route, routes } from './contract.ts';
import type { ServiceManagerSimulator } from './service-manager-simulator.ts';
import type { Catalog } from './state/catalog.ts';
import type { ModeRule } from './state/modes.ts';

const settings = {
  latencyMs: count,
  tokenLifetimeSeconds: { type: 'number', exclusiveMinimum: 0 },
  tokenFormat: { enum: ['jwt', 'opaque'] },
  omitTokenExpiry: { type: 'boolean' },
  pageSize: { type: 'integer', minimum: 1 },
  rateLimit: {
    anyOf: [
      { type: 'null' },
      {
        ...closed,
        required: ['requests', 'windowMs'],
        properties: {
          requests: count,
          windowMs: count,
          retryAfter: { enum: ['seconds', 'http-date', 'time', 'none'] },
        },
      },
    ],
  },
};

const flag = { type: 'boolean' };

const modeSchema = {
  ...closed,
  required: ['on', 'mode'],
  properties: {
    on: {
      ...closed,
      properties: {
        kind: { enum: ['instance', 'binding'] },
        operation: { enum: ['create', 'update', 'delete'] },
        plan: text,
        name: text,
        first: count,
      },
    },
    mode: {
      ...closed,
      properties: {
        async: {
          ...closed,
          required: ['polls'],
          properties: {
            polls: { type: ['integer', 'null'], minimum: 0 },
            pending: count,
            description: { type: 'string' },
            outcome: { enum: ['succeeded', 'failed'] },
            errors: true,
            omitType: flag,
          },
        },
        credentials: true,
      },
    },
  },
};

const catalogSchema = {
  ...closed,
  required: ['offerings', 'plans'],
  properties: {
    offerings: {
      type: 'array',
      items: {
        ...closed,
        required: ['id', 'catalog_name'],
        properties: { id: text, catalog_name: text, data_center: text, tags: { type: 'array', items: text } },
      },
    },
    plans: {
      type: 'array',
      items: {
        ...closed,
        required: ['id', 'catalog_name', 'service_offering_id'],
        properties: {
          id: text,
          catalog_name: text,
          service_offering_id: text,
          shareable: flag,
          updatable: flag,
          bindable: flag,
        },
      },
    },
  },
};

const finishSchema = {
  ...closed,
  required: ['state'],
  properties: { state: { enum: ['succeeded', 'failed'] }, errors: true },
};

const adminCalls: readonly AdminCall<ServiceManagerSimulator>[] = [
  ...commonCalls<Route, ServiceManagerSimulator>(routes, settings),
  {
    method: 'GET',
    path: /^\/state$/,
    help: 'GET /state: instances, bindings, catalog, modes, settings, faults, violations',
    run: (simulator) => ({
      instances: simulator.store.instances(),
      bindings: simulator.store.bindings(),
      catalog: simulator.store.catalog,
      modes: simulator.modes.list(),
      settings: simulator.settings,
      faults: simulator.faults.list(),
      violations: simulator.violations(),
      maxInFlight: simulator.maxInFlight(),
    }),
  },
  {
    method: 'PUT',
    path: /^\/catalog$/,
    help: 'PUT /catalog {offerings, plans}: replace it',
    schema: catalogSchema,
    run: ({ store }, { body }) => {
      store.catalog = body as Catalog;
    },
  },
  {
    method: 'POST',
    path: /^\/modes$/,
    help: 'POST /modes {on: {kind, operation, plan, name, first}, mode: {async: {polls, outcome, …}, credentials}}: add one',
    schema: modeSchema,
    run: ({ modes }, { body }) => void modes.add(body as ModeRule),
  },
  {
    method: 'DELETE',
    path: /^\/modes$/,
    help: 'DELETE /modes: back to those of the start',
    run: ({ modes }) => modes.clear(),
  },
  {
    method: 'POST',
    path: /^\/operations\/([^/]+)$/,
    help: 'POST /operations/{id} {state, errors}: end it',
    schema: finishSchema,
    run: ({ store }, { names: [id = ''], body }) => {
      const { state, errors } = body as { state: 'succeeded' | 'failed'; errors?: unknown };
      return { finished: store.finishOperation(id, state, errors) };
    },
  },
  {
    method: 'DELETE',
    path: /^\/operations\/([^/]+)$/,
    help: 'DELETE /operations/{id}: it can no longer be found',
    run: ({ store }, { names: [id = ''] }) => ({ removed: store.removeOperation(id) }),
  },
  {
    method: 'DELETE',
    path: /^\/instances\/([^/]+)$/,
    help: 'DELETE /instances/{id}: as a third party would',
    run: ({ store }, { names: [id = ''] }) => ({ removed: store.removeInstance(id) }),
  },
  {
    method: 'DELETE',
    path: /^\/bindings\/([^/]+)$/,
    help: 'DELETE /bindings/{id}: as a third party would',
    run: ({ store }, { names: [id = ''] }) => ({ removed: store.removeBinding(id) }),
  },
  {
    method: 'GET',
    path: /^\/credentials\/([^/]+)$/,
    help: 'GET /credentials/{subaccount}: data of the operator’s Secret, in its two forms',
    run: ({ credentials }, { names: [subaccount = ''] }) => credentials(subaccount),
  },
  {
    method: 'POST',
    path: /^\/credentials\/([^/]+)$/,
    help: 'POST /credentials/{subaccount} {revokeOld}: new ones',
    schema: { ...closed, properties: { revokeOld: flag } },
    run: ({ rotateCredentials }, { names: [subaccount = ''], body }) =>
      rotateCredentials(subaccount, body as { revokeOld?: boolean }),
  },
];

/** The simulator's admin API, to control it from another process. It has no authentication. */
export const handleAdmin = createAdmin(adminCalls);
