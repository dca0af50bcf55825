import { describe, expect, test } from '@jest/globals';
import { ProviderError, ThrottledError, WaitingError, type WaitTarget } from '../../../base/errors/errors.ts';
import { KubeApiError, SilentError, UnreachableError } from '../../../kube/errors/errors.ts';
import { clusterResponse, withAdvice } from './connection-problem.ts';
import type { Finding, Problem } from './finding.ts';

const attempt = { verb: 'get', object: 'Secret shop/admin', clusterName: 'kyma' };
const serverError = new KubeApiError(attempt, { httpStatus: 500 });
const finding = (...problems: Problem[]): Finding => ({
  hop: 'Secret',
  object: 'Secret shop/admin',
  key: { namespace: 'shop', name: 'admin' },
  clusterName: 'kyma',
  problems,
});
const unreachable = (cause: Error): Problem => ({ kind: 'unreachable', text: 'away', cause });

describe('whether a cluster was heard of', () => {
  test.each([
    { title: 'all is well', findings: [finding()], heard: 'answered' },
    {
      title: 'something is missing',
      findings: [finding({ kind: 'missing', text: 'not found' })],
      heard: 'answered',
    },
    {
      title: 'the connection was refused',
      findings: [finding(unreachable(new UnreachableError(attempt, 'ECONNREFUSED')))],
      heard: 'failed',
    },
    {
      title: 'it answered with a server error',
      findings: [finding({ kind: 'failed', text: 'HTTP status 500', cause: serverError })],
      heard: 'failed',
    },
    {
      title: 'one read failed and another one heard nothing',
      findings: [
        finding({ kind: 'failed', text: 'HTTP status 500', cause: serverError }),
        finding(unreachable(new SilentError(attempt, 'no answer'))),
      ],
      heard: 'silent',
    },
    {
      title: 'one read heard nothing',
      findings: [finding(), finding(unreachable(new SilentError(attempt, 'no answer')))],
      heard: 'silent',
    },
  ])('$title: $heard', ({ findings, heard }) => {
    expect(clusterResponse(findings)).toBe(heard);
  });
});

describe('advice', () => {
  const target = (description: string): WaitTarget => ({ description, watch: () => () => undefined });
  const [a, b] = [target('a'), target('b')];

  test('takes nothing from the error: kind, patience and targets stay, and more may wake it', () => {
    expect(withAdvice(new ThrottledError('busy', 700), 'wait')).toMatchObject({
      kind: 'throttled',
      retryAfterMs: 700,
      message: 'busy; wait',
    });
    const refused = withAdvice(new ProviderError('auth', 'refused', { targets: [a] }), 'mend it', [a, b]);
    expect(refused).toMatchObject({ kind: 'auth', message: 'refused; mend it', targets: [a, b] });
    const away = withAdvice(new WaitingError('away', { retry: true }), 'wait');
    expect(away).toMatchObject({ kind: 'waiting', retry: true });
  });

  test('is not given to what is no error of ours', () => {
    const bug = new TypeError('x is undefined');
    expect(withAdvice(bug, 'wait')).toBe(bug);
  });
});
