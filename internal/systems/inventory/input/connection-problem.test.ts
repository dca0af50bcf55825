import { describe, expect, test } from '@jest/globals';
import {
  ProviderError,
  ThrottledError,
  WaitingError,
  type WatchedObject,
} from '../../../framework/base/errors/errors.ts';
import { KubeApiError, KubeTimeoutError, UnreachableError } from '../../../framework/kube/errors/errors.ts';
import { secrets } from '../../../framework/kube/object/resource-type.ts';
import { clusterResponse, connectionProblem, withAdvice } from './connection-problem.ts';
import type { Finding, Problem } from './read-input.ts';

const attempt = { verb: 'get', object: 'Secret shop/admin', clusterName: 'kyma' };
const serverError = new KubeApiError(attempt, { httpStatus: 500 });
const finding = (...problems: Problem[]): Finding => ({
  type: secrets,
  object: 'Secret shop/admin',
  key: { namespace: 'shop', name: 'admin' },
  clusterName: 'kyma',
  problems,
});
const kubeconfig = {
  place: 'key kubeconfig of Secret shop/kyma',
  target: { description: 'Secret shop/kyma', watch: () => () => undefined },
};

test.each<[Problem['kind'], string, ProviderError['kind']]>([
  ['refused', 'cluster kyma does not accept the credentials: Unauthorized', 'transient'],
  ['unreachable', 'cluster kyma is unreachable: ECONNREFUSED', 'waiting'],
])('a problem of the cluster is said once, with the Secret of its kubeconfig: %s', (kind, text, effect) => {
  const findings = [1, 2, 3].map(() => finding({ kind, text }));
  const problem = connectionProblem(findings, kubeconfig);
  expect(problem?.message).toBe(`${text}; its kubeconfig is key kubeconfig of Secret shop/kyma`);
  expect([problem?.kind, problem?.targets]).toEqual([effect, [kubeconfig.target]]);
  expect(connectionProblem(findings)?.message).toBe(text);
});

const unreachable = (cause: Error): Problem => ({ kind: 'unreachable', text: 'away', cause });

describe('whether a cluster responded', () => {
  test.each([
    { title: 'no problem', findings: [finding()], outcome: 'answered' },
    {
      title: 'an object is missing',
      findings: [finding({ kind: 'missing', text: 'not found' })],
      outcome: 'answered',
    },
    {
      title: 'the connection was refused',
      findings: [finding(unreachable(new UnreachableError(attempt, 'ECONNREFUSED')))],
      outcome: 'failed',
    },
    {
      title: 'it answered with a server error',
      findings: [finding({ kind: 'failed', text: 'HTTP status 500', cause: serverError })],
      outcome: 'failed',
    },
    {
      title: 'one read failed and another one timed out',
      findings: [
        finding({ kind: 'failed', text: 'HTTP status 500', cause: serverError }),
        finding(unreachable(new KubeTimeoutError(attempt, 'no answer'))),
      ],
      outcome: 'timed-out',
    },
    {
      title: 'one read timed out',
      findings: [finding(), finding(unreachable(new KubeTimeoutError(attempt, 'no answer')))],
      outcome: 'timed-out',
    },
  ])('$title: $outcome', ({ findings, outcome }) => {
    expect(clusterResponse(findings)).toBe(outcome);
  });
});

describe('advice', () => {
  const target = (description: string): WatchedObject => ({ description, watch: () => () => undefined });
  const [a, b] = [target('a'), target('b')];

  test('keeps kind, retry delay and targets of the error, and may add targets', () => {
    expect(withAdvice(new ThrottledError('busy', 700), 'wait')).toMatchObject({
      kind: 'throttled',
      retryAfterMs: 700,
      message: 'busy; wait',
    });
    const refused = withAdvice(new ProviderError('auth', 'refused', { targets: [a] }), 'fix it', [a, b]);
    expect(refused).toMatchObject({ kind: 'auth', message: 'refused; fix it', targets: [a, b] });
    const away = withAdvice(new WaitingError('away', { retry: true }), 'wait');
    expect(away).toMatchObject({ kind: 'waiting', retry: true });
  });

  test('is not added to other errors', () => {
    const bug = new TypeError('x is undefined');
    expect(withAdvice(bug, 'wait')).toBe(bug);
  });
});
