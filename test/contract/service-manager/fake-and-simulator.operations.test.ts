/**
 * Operations and calls that fail: the fake of the unit tests behaves as the simulator does behind the real client. The simulator is the
 * reference. Texts of errors may differ.
 */
import { describe, expect, test } from '@jest/globals';
import { FencedError } from '../../../internal/framework/base/concurrency/fence.ts';
import { ThrottledError } from '../../../internal/framework/base/errors/errors.ts';
import { LostResponseError } from '../../../internal/framework/http/index.ts';
import type { Call } from '../../../internal/systems/btp/fixtures/fake-service-manager/fake-calls.fixture.ts';
import {
  busy,
  conflict,
  describeBoth,
  fence,
  helpersOf,
  identity,
  instance,
  notFound,
  operationOf,
  options,
  signal,
} from './both.ts';
import { thrownBy } from './set-up.ts';

describeBoth((tested) => {
  const { createInstance, createBinding, poll, ended, errorOf } = helpersOf(tested);

  describe('an operation', () => {
    test('creates an instance: it is not ready until it has ended', async () => {
      tested().async('create', { polls: 2, description: 'preparing' });
      const { id, operationURL } = operationOf(await tested().client.createInstance(instance, options));
      const inProgress = { type: 'create', state: 'in progress', description: 'preparing' };
      expect(await tested().client.getInstance(id, options)).toMatchObject({
        ready: false,
        usable: false,
        lastOperation: inProgress,
      });
      expect(await poll(operationURL)).toMatchObject(inProgress);
      expect(await poll(operationURL)).toMatchObject(inProgress);
      const succeeded = {
        id: expect.any(String),
        type: 'create',
        state: 'succeeded',
        description: 'preparing',
      };
      expect(await poll(operationURL)).toEqual(succeeded);
      expect(await poll(operationURL)).toEqual(succeeded);
      expect(await tested().client.getInstance(id, options)).toMatchObject({
        ready: true,
        usable: true,
        lastOperation: succeeded,
      });
    });

    test('creates a binding: it has credentials when it has ended', async () => {
      const serviceInstanceID = await createInstance();
      tested().async('create', { polls: 1 });
      const created = await tested().client.createBinding(
        { name: 'key', serviceInstanceID, identity },
        options,
      );
      const { id, operationURL } = operationOf(created);
      const pending = await tested().client.getBinding(id, options);
      expect(pending).toMatchObject({
        ready: false,
        lastOperation: { type: 'create', state: 'in progress' },
      });
      expect(pending).not.toHaveProperty('credentials');
      expect(await ended(operationURL)).toMatchObject({ type: 'create', state: 'succeeded' });
      expect(await tested().client.getBinding(id, options)).toMatchObject({
        ready: true,
        credentials: expect.any(String),
      });
    });

    test('that fails says why, and leaves an instance that is not ready', async () => {
      tested().async('create', { polls: 0, state: 'failed', errorDescription: 'no quota' });
      const { id, operationURL } = operationOf(await tested().client.createInstance(instance, options));
      const failed = {
        id: expect.any(String),
        type: 'create',
        state: 'failed',
        errorDescription: 'no quota',
        errors: '{"description":"no quota"}',
      };
      expect(await poll(operationURL)).toEqual(failed);
      expect(await tested().client.getInstance(id, options)).toMatchObject({
        ready: false,
        usable: false,
        lastOperation: failed,
      });
      expect(await errorOf(() => tested().client.createInstance(instance, options))).toEqual(conflict);
    });

    test('updates an instance at its end, or not at all', async () => {
      const id = await createInstance();
      const update = { name: 'renamed', servicePlanID: 'plan-2' };
      tested().async('update', { polls: 0, state: 'failed', errorDescription: 'no' });
      await ended(operationOf(await tested().client.updateInstance(id, update, options)).operationURL);
      expect(await tested().client.getInstance(id, options)).toMatchObject({
        name: 'orders-db',
        ready: true,
        lastOperation: { type: 'update', state: 'failed' },
      });
      tested().async('update', { polls: 1 });
      const { operationURL } = operationOf(await tested().client.updateInstance(id, update, options));
      expect(await tested().client.getInstance(id, options)).toMatchObject({
        name: 'orders-db',
        ready: true,
      });
      expect(await ended(operationURL)).toMatchObject({ type: 'update', state: 'succeeded' });
      expect(await tested().client.getInstance(id, options)).toMatchObject(update);
    });

    test('deletes at its end, or not at all', async () => {
      const id = await createInstance();
      tested().async('delete', { polls: 0, state: 'failed', errorDescription: 'in use' });
      expect(
        await ended(operationOf(await tested().client.deleteInstance(id, options)).operationURL),
      ).toMatchObject({
        type: 'delete',
        state: 'failed',
        errorDescription: 'in use',
      });
      expect(await tested().client.getInstance(id, options)).toMatchObject({
        ready: true,
        lastOperation: { type: 'delete', state: 'failed' },
      });
      tested().async('delete', { polls: 1 });
      const { operationURL } = operationOf(await tested().client.deleteInstance(id, options));
      expect(await tested().client.getInstance(id, options)).toMatchObject({
        lastOperation: { type: 'delete', state: 'in progress' },
      });
      expect(await poll(operationURL)).toMatchObject({ type: 'delete', state: 'in progress' });
      expect(await poll(operationURL)).toMatchObject({ type: 'delete', state: 'succeeded' });
      expect(await tested().client.getInstance(id, options)).toBeUndefined();
      expect(await poll(operationURL)).toMatchObject({ type: 'delete', state: 'succeeded' });
    });

    test('of a binding deletes at its end', async () => {
      const { id } = await createBinding(await createInstance());
      tested().async('delete', { polls: 1 });
      const { operationURL } = operationOf(await tested().client.deleteBinding(id, options));
      expect(await tested().client.getBinding(id, options)).toMatchObject({ ready: true });
      expect(await ended(operationURL)).toMatchObject({ type: 'delete', state: 'succeeded' });
      expect(await tested().client.getBinding(id, options)).toBeUndefined();
    });

    test('in progress refuses other changes', async () => {
      const id = await createInstance();
      const { id: bindingID } = await createBinding(id);
      const free = await createInstance('second');
      tested().async('update', { polls: 100 });
      tested().async('delete', { polls: 100 });
      const update = { name: 'orders-db', servicePlanID: 'plan-1' };
      await tested().client.updateInstance(id, update, options);
      for (const change of [
        () => tested().client.updateInstance(id, update, options),
        () => tested().client.shareInstance(id, true, options),
        () => createBinding(id, 'more'),
      ])
        expect(await errorOf(change)).toEqual(busy);
      await tested().client.deleteInstance(free, options);
      expect(await errorOf(() => tested().client.deleteInstance(free, options))).toEqual(busy);
      await tested().client.deleteBinding(bindingID, options);
      const rename = { name: 'backup', kubernetesName: 'other' };
      for (const change of [
        () => tested().client.deleteBinding(bindingID, options),
        () => tested().client.renameBinding(bindingID, rename, options),
      ])
        expect(await errorOf(change)).toEqual(busy);
    });

    test('[B145] that is unknown is an error', async () => {
      const url = '/v1/service_instances/i/operations/o';
      expect(await errorOf(() => poll(url))).toEqual(notFound);
      expect(await thrownBy(() => poll('/other'))).toMatchObject({
        kind: 'transient',
        message: 'cannot get the operation: "/other" is no operation URL',
      });
    });
  });

  describe('a call', () => {
    test('of which the response is lost has taken effect', async () => {
      tested().answer('create', 'lost');
      expect(await thrownBy(() => tested().client.createInstance(instance, options))).toBeInstanceOf(
        LostResponseError,
      );
      const [found] = await tested().client.findInstances({ name: 'orders-db', identity }, options);
      expect(found).toMatchObject({ ready: true });
      tested().answer('bind', 'lost');
      expect(await thrownBy(() => createBinding(found?.id ?? ''))).toBeInstanceOf(LostResponseError);
      expect(await tested().client.findBindings({ name: 'key', identity }, options)).toMatchObject([
        { ready: true },
      ]);
    });

    test('that is throttled says how long, and has no effect', async () => {
      tested().answer('create', 'throttled');
      const error = await thrownBy(() => tested().client.createInstance(instance, options));
      expect(error).toBeInstanceOf(ThrottledError);
      expect(error).toMatchObject({ kind: 'throttled', retryAfterMs: 5000 });
    });

    test.each<[Call, () => Promise<unknown>]>([
      ['create', () => tested().client.createInstance(instance, options)],
      ['get', () => tested().client.getInstance('i', options)],
      ['find', () => tested().client.findInstances({ name: 'orders-db', identity }, options)],
      ['update', () => tested().client.updateInstance('i', { name: 'a', servicePlanID: 'plan-1' }, options)],
      ['delete', () => tested().client.deleteInstance('i', options)],
      ['bind', () => createBinding('i')],
      ['getBinding', () => tested().client.getBinding('b', options)],
      ['unbind', () => tested().client.deleteBinding('b', options)],
      ['operation', () => poll('/v1/service_instances/i/operations/o')],
    ])('that fails is an error, once: %s', async (call, action) => {
      tested().answer(call, 'failed');
      expect(await errorOf(action)).toEqual({
        class: 'transient',
        status: 500,
        kind: 'transient',
        isEffectUnknown: false,
      });
      await action().catch((error: unknown) => expect(error).toMatchObject({ status: 404 }));
    });

    test('that is fenced, or aborted, is not sent', async () => {
      const fenced = {
        signal,
        fence: () => {
          throw new FencedError('not the leader');
        },
      };
      const aborted = { signal: AbortSignal.abort(new Error('enough')), fence };
      await expect(tested().client.createInstance(instance, fenced)).rejects.toThrow('not the leader');
      await expect(tested().client.createInstance(instance, aborted)).rejects.toThrow('enough');
      await expect(tested().client.getInstance('i', aborted)).rejects.toThrow('enough');
      expect(await tested().client.findInstances({ name: 'orders-db', identity }, options)).toEqual([]);
      const id = await createInstance();
      const { id: bindingID } = await createBinding(id);
      for (const write of [
        () => tested().client.updateInstance(id, { name: 'other', servicePlanID: 'plan-1' }, fenced),
        () => tested().client.shareInstance(id, true, fenced),
        () => tested().client.deleteInstance(id, fenced),
        () => tested().client.createBinding({ name: 'more', serviceInstanceID: id, identity }, fenced),
        () => tested().client.renameBinding(bindingID, { name: 'more', kubernetesName: 'more' }, fenced),
        () => tested().client.deleteBinding(bindingID, fenced),
      ])
        await expect(write()).rejects.toThrow('not the leader');
      expect(await tested().client.getInstance(id, options)).toMatchObject({
        name: 'orders-db',
        shared: false,
      });
      expect(await tested().client.getBinding(bindingID, options)).toMatchObject({ name: 'key' });
    });
  });
});
