/** Faults of what tenants and requests share: connections, processes, limiters. */
import { type Fault, faultsOf, insert, removeCall, replace, replaceCall } from './fault.ts';

const HTTP = 'internal/framework/http/transport';
const KUBE = 'internal/framework/kube/transport';
const WORKERS = 'internal/framework/process/workers';
const CONCURRENCY = 'internal/framework/base/concurrency';
const CONNECTIONS = 'test/guards/connections.test';
const TENANTS = 'test/guards/non-interference.test';

export const SHARED_PART_FAULTS: readonly Fault[] = [
  ...faultsOf('connections', 'http', HTTP, [
    ['send-request.ts', 'onAbort', removeCall('abort'), CONNECTIONS],
    [
      'send-request.ts',
      'sendRequest',
      replaceCall('collectBytes', '(globalThis.collected ??= collectBytes())'),
      CONNECTIONS,
    ],
    [
      'send-request.ts',
      'onResponseError',
      replaceCall('fail', 'end({ response: { status: 200, headers: {}, body: body.takeText() } })'),
      CONNECTIONS,
    ],
  ]),
  ...faultsOf('connections', 'kube', KUBE, [
    [
      'transport.ts',
      'call',
      replaceCall(
        'sendRequest',
        "sendRequest(call, { method, url: { origin: url.origin, pathname: prefix + path, search: '' }, headers: {} }, maxBytes, new AbortController().signal)",
      ),
      CONNECTIONS,
    ],
    ['transport.ts', 'call', replace('body', '(globalThis.lastAnswer ??= body)'), CONNECTIONS],
    [
      'transport.ts',
      'call',
      replaceCall(
        'sendRequest',
        '(globalThis.sent ??= await sendRequest(call, { method, url: { origin: url.origin, pathname: prefix + path, search: "" }, headers: {} }, maxBytes, signal))',
      ),
      CONNECTIONS,
    ],
  ]),
  ...faultsOf('connections', 'process', WORKERS, [
    ['worker-process.ts', 'fail', replaceCall('end', 'undefined'), CONNECTIONS],
    [
      'worker-pool.ts',
      'perform',
      replaceCall('deserialize', '(globalThis.lastResult ??= deserialize(answer.result))'),
      CONNECTIONS,
    ],
    ['worker-pool.ts', 'dispatch', removeCall('delete'), CONNECTIONS],
  ]),
  ...faultsOf('non-interference', 'base', CONCURRENCY, [
    ['concurrency-limiter.ts', 'nameOf', insert("return '';"), TENANTS],
    ['bucket-queue.ts', 'ofReturning', insert('return 0;'), TENANTS],
    [
      'bucket-queue.ts',
      'goesBefore',
      // The oldest goes first, whoever has it.
      insert('return (a.waiting.peek()?.turn ?? 0) < (b.waiting.peek()?.turn ?? 0);'),
      TENANTS,
    ],
  ]),
  ...faultsOf('non-interference', 'process', WORKERS, [
    ['turns.ts', 'add', insert("group = '';"), TENANTS],
    [
      'turns.ts',
      'next',
      replaceCall(
        'set',
        'new Map([[group, items], ...groups]).forEach((value, key) => { groups.delete(key); groups.set(key, value); })',
      ),
      TENANTS,
    ],
    ['turns.ts', 'next', removeCall('delete'), TENANTS],
  ]),
];
