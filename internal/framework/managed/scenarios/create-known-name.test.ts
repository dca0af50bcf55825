import { expect } from '@jest/globals';
import { managedFinalizer } from '../../controller/reconcile/finalizer.ts';
import { requeueInProgress } from '../../controller/reconcile-result.ts';
import type { KubeObject } from '../../kube/object/object.ts';
import type { Harness } from '../fakes/managed-harness.ts';
import {
  annotations,
  at,
  boom,
  created,
  creating,
  earlier,
  failure,
  interrupted,
  poll,
  requeue,
  runScenarios,
  success,
  upToDate,
} from './scenario.ts';

/** A kind that does not record the outcome of a create. */
const named = { deterministicExternalName: true, creationGracePeriodMs: 0 };
const begunAs = (object: KubeObject | undefined, name: string) => ({
  'external-name': name,
  'external-create-intent': `${object?.metadata.uid} ${name}`,
});

runScenarios('creating under a name that is known beforehand', () => [
  {
    title: '[26] a create whose outcome was never recorded, under a deterministic name',
    reason: 'whatever the lost create made will be found by its name',
    given: { resource: interrupted, kind: { deterministicExternalName: true } },
    want: {
      result: requeue,
      conditions: [success, creating],
      events: [created],
      calls: ['observe', 'create'],
      check: (h) =>
        expect(annotations(h.stored())).toEqual({
          'external-create-pending': at,
          'external-create-succeeded': at,
        }),
    },
  },
  ...[
    { title: '(ours) a create whose outcome was never recorded is found', resource: interrupted },
    {
      title: '(ours) a create whose name is recorded and whose outcome is not is found',
      resource: {
        metadata: {
          finalizers: [managedFinalizer],
          annotations: { ...interrupted.metadata.annotations, 'crossplane.io/external-name': 'a/b' },
        },
      },
    },
  ].map(({ title, resource }) => ({
    title,
    reason: 'from here on it is recorded, and a name that a user writes later is not taken for it',
    given: {
      resource,
      kind: { deterministicExternalName: true },
      external: { observe: { ...upToDate, externalName: 'a/b' } },
    },
    want: {
      result: poll,
      conditions: [success],
      events: [],
      calls: ['observe'],
      writes: ['update', 'update status'],
      check: (h: Harness) =>
        expect(annotations(h.stored())).toEqual({
          'external-name': 'a/b',
          'external-create-pending': earlier,
          'external-create-succeeded': at,
        }),
    },
  })),
  {
    title: '(ours) an operation is in progress after a create whose outcome was never recorded',
    reason: 'only what is found by a name shows that the create succeeded',
    given: {
      resource: interrupted,
      kind: { deterministicExternalName: true },
      external: { observe: { state: 'pending', operation: 'copying', checkAfterMs: 5000 } },
    },
    want: {
      result: requeueInProgress(5000),
      check: (h) => expect(annotations(h.stored())).toEqual({ 'external-create-pending': earlier }),
    },
  },
  {
    title: '(ours) the name is known beforehand',
    reason: 'name, finalizer and intent fit in one write, and a crash after it finds what Create made',
    given: {
      kind: { deterministicExternalName: true },
      external: {
        observe: { state: 'absent', externalName: 'a/b' },
        create: (resource) => {
          expect(annotations(resource)).toEqual({ 'external-name': 'a/b', 'external-create-pending': at });
          expect(resource.metadata.finalizers).toEqual([managedFinalizer]);
          return {};
        },
      },
    },
    want: { result: requeue, writes: ['update', 'update', 'update status'] },
  },
  {
    title: '(ours) the name is known beforehand, and what Create makes is visible at once',
    reason: 'a crash after the intent finds what Create made, so its outcome needs no record and no write',
    given: {
      kind: { ...named },
      external: {
        observe: { state: 'absent', externalName: 'a/b' },
        create: (resource) => {
          expect(annotations(resource)).toEqual(begunAs(resource, 'a/b'));
          expect(resource.metadata.finalizers).toEqual([managedFinalizer]);
          return {};
        },
      },
    },
    want: {
      result: requeue,
      conditions: [success, creating],
      events: [created],
      writes: ['update', 'update status'],
      check: (h) => expect(annotations(h.stored())).toEqual(begunAs(h.stored(), 'a/b')),
    },
  },
  {
    title: '(ours) Create fails under a name that is known beforehand',
    reason: 'nothing is left that stops crossplane-runtime, and no write is spent on it',
    given: {
      kind: { ...named },
      external: { observe: { state: 'absent', externalName: 'a/b' }, create: boom },
    },
    want: {
      result: requeue,
      conditions: [failure('create failed: boom'), creating],
      events: ['Warning CannotCreateExternalResource: boom'],
      writes: ['update', 'update status'],
      check: (h) => expect(annotations(h.stored())).toEqual(begunAs(h.stored(), 'a/b')),
    },
  },
  {
    title: '(ours) an older create left its pending annotation, and made nothing that is there',
    reason: 'alone it would stop crossplane-runtime, should it take the resource back',
    given: {
      kind: { ...named },
      resource: interrupted,
      external: { observe: { state: 'absent', externalName: 'a/b' } },
    },
    want: {
      result: requeue,
      conditions: [success, creating],
      events: [created],
      writes: ['update', 'update status'],
      check: (h) => {
        expect(annotations(h.stored())).toEqual({
          ...begunAs(h.stored(), 'a/b'),
          'external-create-pending': earlier,
          'external-create-failed': at,
        });
      },
    },
  },
  {
    title: '(ours) Create gives another name than Observe said, or sets annotations',
    reason: 'what only Create knows is stored at once',
    given: {
      kind: { ...named },
      external: {
        observe: { state: 'absent', externalName: 'a/b' },
        create: (resource) => {
          resource.metadata.annotations = { ...resource.metadata.annotations, 'example.org/zone': 'z' };
          return { externalName: 'a/c' };
        },
      },
    },
    want: {
      result: requeue,
      events: [created],
      writes: ['update', 'update', 'update status'],
      check: (h) =>
        expect(annotations(h.stored())).toMatchObject({ 'external-name': 'a/c', 'example.org/zone': 'z' }),
    },
  },
  {
    title: '(ours) Observe follows Create',
    reason:
      'where the external API is done at once the first reconcile ends ready, in one write, a status and an event',
    given: {
      kind: { ...named, observeAfterCreate: true },
      external: {
        observe: [
          { state: 'absent', externalName: 'a/b' },
          (resource) => {
            resource.status = { ...resource.status, atProvider: { size: 3 } };
            return upToDate;
          },
        ],
      },
    },
    want: {
      result: poll,
      conditions: [success],
      events: [created],
      calls: ['observe', 'create', 'observe'],
      writes: ['update', 'update status'],
      check: (h) => expect(h.stored()?.status?.atProvider).toEqual({ size: 3 }),
    },
  },
  {
    title: '(ours) created just now, but under another name',
    reason: 'the missing resource is not the one just created',
    given: {
      kind: { deterministicExternalName: true },
      resource: {
        metadata: {
          annotations: {
            'crossplane.io/external-create-succeeded': at,
            'crossplane.io/external-name': 'old',
          },
        },
      },
      external: { observe: { state: 'absent', externalName: 'new' } },
    },
    want: { result: requeue, calls: ['observe', 'create'] },
  },
  ...['w', ''].map((name) => ({
    title: `(ours) a Composition has set the external name again, to "${name}"`,
    reason:
      'the name is recorded by the intent; writing it again and again would be answered in the same way',
    given: {
      kind: { ...named },
      resource: {
        metadata: {
          finalizers: [managedFinalizer],
          annotations: {
            'crossplane.io/external-name': name,
            'crossplane.io/external-create-intent': 'uid-w a/b',
          },
        },
      },
      external: { observe: { ...upToDate, externalName: 'a/b' } },
    },
    want: {
      result: poll,
      conditions: [success],
      writes: ['update status'],
      check: (h: Harness) => expect(annotations(h.stored())['external-name']).toBe(name),
    },
  })),
  {
    title: '(ours) the external name is that of the object, and no other was recorded before',
    reason: 'it is written once',
    given: {
      kind: { ...named },
      resource: {
        metadata: {
          finalizers: [managedFinalizer],
          annotations: {
            'crossplane.io/external-name': 'w',
            'crossplane.io/external-create-intent': 'uid-of-another a/b',
          },
        },
      },
      external: { observe: { ...upToDate, externalName: 'a/b' } },
    },
    want: {
      result: poll,
      writes: ['update', 'update status'],
      check: (h) => expect(annotations(h.stored())).toEqual(begunAs(h.stored(), 'a/b')),
    },
  },
]);
