import { describe, expect, test } from '@jest/globals';
import { ThrottledError } from '../../../internal/framework/base/errors/errors.ts';
import { LostResponseError, ResponseError } from '../../../internal/framework/http/index.ts';
import type { FaultAction } from '../../simulators/hana-cloud/faults/faults.ts';
import { callOptions, hanaCloudOfFile, instance, mapping, parsed, thrownBy } from './set-up.ts';

const { simulator, closers, open, connect } = hanaCloudOfFile();

const count = (route: 'list' | 'create' | 'delete' | 'token') => simulator.requests({ route }).length;

const passing: Record<string, FaultAction> = {
  500: { kind: 'status', status: 500, body: { message: 'oops' } },
  502: { kind: 'status', status: 502, body: '<html>' },
  '503 without a time': { kind: 'unavailable' },
  504: { kind: 'status', status: 504 },
  408: { kind: 'status', status: 408 },
  'a reset before the effect': { kind: 'reset' },
  'a reset after the effect': { kind: 'reset', when: 'after' },
  'an answer that breaks off': { kind: 'truncated' },
};

describe.each(Object.entries(passing))('%s', (_name, action) => {
  test('once or twice is not noticed by a list', async () => {
    const client = await connect();
    simulator.store.addMapping(instance, mapping);
    simulator.faults.add({ on: { route: 'list', first: 2 }, do: action });
    await expect(client.listMappings(instance, callOptions())).resolves.toMatchObject({
      mappings: [mapping],
    });
    expect(count('list')).toBe(3);
  });

  test('once or twice has no effect on a delete, which may find its mapping gone', async () => {
    const client = await connect();
    simulator.store.addMapping(instance, mapping);
    simulator.faults.add({ on: { route: 'delete', first: 2 }, do: action });
    const outcome = await client.deleteMapping(instance, mapping, callOptions());
    expect(['deleted', 'gone']).toContain(outcome);
    expect(simulator.store.mappings(instance)).toEqual([]);
  });

  test('at the token endpoint, once or twice, is not noticed', async () => {
    const client = await connect();
    simulator.faults.add({ on: { route: 'token', first: 2 }, do: action });
    await expect(client.listMappings(instance, callOptions())).resolves.toMatchObject({ state: 'listed' });
    expect(count('token')).toBe(3);
  });

  test('that lasts becomes a transient error after few attempts', async () => {
    const client = await connect();
    simulator.faults.add({ on: { route: 'list' }, do: action });
    const error = await thrownBy(() => client.listMappings(instance, callOptions()));
    expect(error).toMatchObject({ kind: 'transient' });
    expect(count('list')).toBe(3);
  });
});

describe('a create is not repeated without a list', () => {
  const lost: Record<string, { action: FaultAction; effect: boolean }> = {
    'its answer is lost': { action: { kind: 'reset', when: 'after' }, effect: true },
    'it is lost itself': { action: { kind: 'reset' }, effect: false },
    'its answer breaks off': { action: { kind: 'truncated' }, effect: true },
    'its answer has no end': { action: { kind: 'oversized', bytes: 5_000_000 }, effect: true },
    'a gateway gave up on it': { action: { kind: 'status', status: 504, when: 'after' }, effect: true },
    'the server failed over it': { action: { kind: 'status', status: 500, when: 'after' }, effect: true },
  };
  test.each(Object.entries(lost))('when %s', async (_name, { action, effect }) => {
    const client = await connect();
    simulator.faults.add({ on: { route: 'create' }, do: action });
    const error = await thrownBy(() => client.createMapping(instance, mapping, callOptions()));
    expect(error).toBeInstanceOf(LostResponseError);
    expect(error).toMatchObject({ kind: 'transient' });
    expect(error.message).toMatch(/^cannot create a mapping of instance .* \(it may have taken effect\)$/);
    expect(count('create')).toBe(1);
    expect(simulator.store.mappings(instance)).toEqual(effect ? [mapping] : []);
  });

  test('when no response is received in time', async () => {
    const client = await connect({ callTimeoutMs: 300 });
    await client.listMappings(instance, callOptions());
    simulator.faults.add({ on: { route: 'create' }, do: { kind: 'hang', when: 'after' } });
    const error = await thrownBy(() => client.createMapping(instance, mapping, callOptions()));
    expect(error).toBeInstanceOf(LostResponseError);
    expect(error.message).toContain('no answer within 0.3 s');
    expect(count('create')).toBe(1);
  });

  test('when the caller aborts; its reason is the cause', async () => {
    const client = await connect();
    const controller = new AbortController();
    const reason = new Error('enough');
    simulator.faults.add({ on: { route: 'create' }, do: { kind: 'hang', when: 'after' } });
    const creating = thrownBy(() =>
      client.createMapping(instance, mapping, { ...callOptions(), signal: controller.signal }),
    );
    await until(() => simulator.store.mappings(instance).length > 0);
    controller.abort(reason);
    const error = await creating;
    expect(error).toBeInstanceOf(LostResponseError);
    expect(error.cause).toBe(reason);
  });

  test('but it is where it was certainly not sent', async () => {
    const unreachable = {
      ...parsed((await simulator.credentials(instance)).fields),
      baseUrl: 'https://127.0.0.1:1',
    };
    const hana = open();
    const client = hana.connect(unreachable);
    closers.unshift(client.close);
    const error = await thrownBy(() => client.createMapping(instance, mapping, callOptions()));
    expect(error).not.toBeInstanceOf(LostResponseError);
    expect(error).toMatchObject({ kind: 'transient' });
    expect(error.message).toContain('ECONNREFUSED');
  });

  test('and a token that could not be fetched is no lost response', async () => {
    const client = await connect();
    simulator.faults.add({ on: { route: 'token' }, do: { kind: 'reset', when: 'after' } });
    const error = await thrownBy(() => client.createMapping(instance, mapping, callOptions()));
    expect(error).not.toBeInstanceOf(LostResponseError);
    expect(error).toMatchObject({ kind: 'transient' });
    expect(count('create')).toBe(0);
  });

  test('a refusal states that nothing was done', async () => {
    const client = await connect();
    simulator.faults.add({
      on: { route: 'create' },
      do: { kind: 'status', status: 400, body: { message: 'no' } },
    });
    const error = await thrownBy(() => client.createMapping(instance, mapping, callOptions()));
    expect(error).not.toBeInstanceOf(LostResponseError);
    expect(error).toBeInstanceOf(ResponseError);
  });
});

describe('a Retry-After is respected', () => {
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();
  const cases: Record<string, { action: () => FaultAction; waits: [least: number, most: number] }> = {
    '429 with seconds': {
      action: () => ({ kind: 'status', status: 429, headers: { 'retry-after': '17' } }),
      waits: [17_000, 17_000],
    },
    '429 with a date': {
      action: () => ({ kind: 'status', status: 429, headers: { 'retry-after': inSeconds(50) } }),
      waits: [30_000, 50_000],
    },
    '429 with a date that is too late': {
      action: () => ({ kind: 'status', status: 429, headers: { 'retry-after': inSeconds(86_400) } }),
      waits: [60_000, 60_000],
    },
    '429 without a time': { action: () => ({ kind: 'status', status: 429 }), waits: [1000, 60_000] },
    '503 with seconds': { action: () => ({ kind: 'unavailable', retryAfter: '3' }), waits: [3000, 3000] },
  };
  for (const [name, { action, waits }] of Object.entries(cases)) {
    test.each(['list', 'create', 'delete', 'token'] as const)(
      `${name}, on a %s: one call, and the error has the time`,
      async (route) => {
        const client = await connect();
        simulator.faults.add({ on: { route }, do: action() });
        const error = await thrownBy(() =>
          route === 'create'
            ? client.createMapping(instance, mapping, callOptions())
            : route === 'delete'
              ? client.deleteMapping(instance, mapping, callOptions())
              : client.listMappings(instance, callOptions()),
        );
        if (!(error instanceof ThrottledError)) throw error;
        expect(error.retryAfterMs).toBeGreaterThanOrEqual(waits[0]);
        expect(error.retryAfterMs).toBeLessThanOrEqual(waits[1]);
        expect(count(route)).toBe(1);
      },
    );
  }
});

describe('the caller’s signal aborts a call', () => {
  test('that waits for a response, with the caller’s own reason', async () => {
    const client = await connect();
    const controller = new AbortController();
    const reason = new Error('enough');
    simulator.faults.add({ on: { route: 'list' }, do: { kind: 'hang' } });
    const listing = thrownBy(() => client.listMappings(instance, { signal: controller.signal }));
    await until(() => count('list') === 1);
    controller.abort(reason);
    expect(await listing).toBe(reason);
    await until(() =>
      simulator.requests({ route: 'list', outcome: 'hung' }).every(({ durationMs }) => durationMs),
    );
  });

  test('that waits for a token, while others that wait for the same go on', async () => {
    const client = await connect();
    const controller = new AbortController();
    const reason = new Error('enough');
    simulator.settings.latencyMs = 50;
    const impatient = thrownBy(() => client.listMappings(instance, { signal: controller.signal }));
    const patient = client.listMappings(instance, callOptions());
    await until(() => count('token') === 1);
    controller.abort(reason);
    expect(await impatient).toBe(reason);
    await expect(patient).resolves.toMatchObject({ state: 'listed' });
    expect(count('token')).toBe(1);
  });
});

/** Turns of the event loop until `holds`; the test's own time limit ends what never comes. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}
