import { describe, expect, test } from '@jest/globals';
import { type CpuProfile, type Locate, summarizeProfile } from './cpu-profile.ts';

const node = (id: number, functionName: string, url = '', lineNumber = 0) => ({
  id,
  callFrame: { functionName, url, lineNumber, columnNumber: 0 },
});
const locate: Locate = ({ url, lineNumber }) =>
  url === '' ? undefined : { file: url, line: lineNumber + 1 };

/** One sample each `ms`, of the nodes in this order. */
function profile(nodes: CpuProfile['nodes'], samples: readonly number[], ms = 1): CpuProfile {
  return { nodes, samples, timeDeltas: [0, ...samples.slice(1).map(() => ms * 1000), ms * 1000] };
}

const nodes = [
  node(1, '(root)'),
  node(2, '(idle)'),
  node(3, '(garbage collector)'),
  node(4, '(program)'),
  node(5, 'schedule', 'internal/framework/controller/queue/work-queue.ts', 9),
  node(6, 'parse', 'node_modules/@scope/yaml/dist/parse.js'),
  node(7, 'send', 'node_modules/undici/lib/dispatcher/client.js'),
  node(8, 'structuredClone'),
  node(9, 'emit', 'node:events', 400),
  node(10, 'schedule', 'internal/framework/controller/queue/work-queue.ts', 9),
  node(11, '', 'internal/framework/kube/cache/informer.ts', 4),
];

describe('the summary of a profile', () => {
  const samples = [2, 2, 3, 5, 5, 10, 4, 6, 7, 8, 9, 11];
  const summary = summarizeProfile(profile(nodes, samples), locate, 3);

  test('counts the time in which the thread was busy, and shares are of that', () => {
    expect(summary.busyMs).toBe(10);
    expect(summary.functions[0]?.share).toBeCloseTo(0.3);
  });

  test('adds up a function over all its callers, most costly first', () => {
    expect(summary.functions).toHaveLength(3);
    expect(summary.functions[0]).toMatchObject({
      name: 'schedule',
      place: { file: 'internal/framework/controller/queue/work-queue.ts', line: 10 },
      selfMs: 3,
    });
  });

  test('distinguishes layers, packages, Node, built-ins, native code and collections', () => {
    const parts = Object.fromEntries(summary.parts.map(({ part, selfMs }) => [part, selfMs]));
    expect(parts).toEqual({
      'queue and limits': 3,
      'cache and watches': 1,
      '@scope/yaml': 1,
      HTTP: 1,
      Node: 1,
      'built-in functions': 1,
      'native code, system calls': 1,
      'garbage collection': 1,
    });
  });

  test.each([
    ['TLS and sockets', 'writev', ''],
    ['TLS and sockets', 'onStreamRead', 'node:internal/stream_base_commons'],
    ['JSON', 'parse', 'internal/framework/kube/client/rest-client.ts'],
    ['JSON', 'parseLine', 'internal/framework/kube/client/watch-stream.ts'],
    ['cache and watches', 'watchObjects', 'internal/framework/kube/client/watch-stream.ts'],
    ['HTTP', 'get', 'internal/framework/kube/client/rest-client.ts'],
    ['copies', 'cloneContainer', 'internal/framework/base/json/json-value.ts'],
    ['comparison', 'isSame', 'internal/framework/kube/cache/informer.ts'],
    ['events', 'record', 'internal/framework/kube/events/event-broadcaster.ts'],
    ['metrics', 'observe', 'node_modules/prom-client/lib/histogram.js'],
    ['logging and redaction', 'redact', 'internal/framework/base/text/redact.ts'],
    ['reconciles', 'render', 'internal/systems/infrastructure-manager/rendering/shoot-rendering.ts'],
  ])('adds to the layer %s the function %s of %s', (part, name, file) => {
    const { parts } = summarizeProfile(profile([node(1, name, file)], [1]), locate, 1);
    expect(parts.map((each) => each.part)).toEqual([part]);
  });

  test('names a function without a name by its place', () => {
    const { functions } = summarizeProfile(profile(nodes, [11]), locate, 3);
    expect(functions).toEqual([
      {
        name: '(anonymous)',
        place: { file: 'internal/framework/kube/cache/informer.ts', line: 5 },
        selfMs: 1,
        share: 1,
      },
    ]);
  });
});
