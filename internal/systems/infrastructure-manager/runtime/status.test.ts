/** Which events and log lines come of what the states of a Runtime store. */
import { expect, test } from '@jest/globals';
import {
  type Runtime,
  runtimes,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { type Logger, nopLogger } from '../../../framework/base/telemetry/telemetry.ts';
import { createFakeClock } from '../../../framework/base/time/fake-clock.ts';
import { createMemoryClient } from '../../../framework/kube/fakes/memory-client.ts';
import { createFakeRecorder, createWorkingCopy } from '../../../framework/managed/fakes/index.ts';
import { runtimeOf } from './fixtures/runtime.fixture.ts';
import { type ConditionType, conditionTypes, createRuntimeStatusStore, reasons } from './status.ts';

type Status = NonNullable<Runtime['status']>;
type State = Status['state'];

/** A Runtime that was Ready once, whose condition Provisioned is False. */
function setup(state: State) {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const recorder = createFakeRecorder();
  const errors: string[] = [];
  const log: Logger = { ...nopLogger, error: (message) => void errors.push(message) };
  const provisioned = {
    ...({ type: conditionTypes.provisioned, status: 'False', reason: reasons.processingError } as const),
    ...{ message: 'before', lastTransitionTime: '2024-01-01T00:00:00Z' },
  };
  const status: Status = { state, provisioningCompleted: true, conditions: [provisioned] };
  const object = client.seed(runtimes, { ...runtimeOf(), status });
  const copy = createWorkingCopy({ client, type: runtimes, object });
  const { signal } = new AbortController();
  const store = createRuntimeStatusStore(copy, { recorder, signal, clock, log });
  return { store, errors, events: () => recorder.lines() };
}

const { configured: type } = conditionTypes;

test.each<[what: string, state: State, type: ConditionType, isEvent: boolean]>([
  ['another condition of a Runtime that has failed', 'Failed', conditionTypes.configured, true],
  ['another condition of a Runtime that is Ready', 'Ready', conditionTypes.configured, false],
  ['a condition that was False, of a Runtime that is Ready', 'Ready', conditionTypes.provisioned, true],
])('a step that succeeds, of %s', async (_, state, changed, isEvent) => {
  const h = setup(state);
  const reason = reasons.configurationCompleted;
  h.store.ready({ type: changed, reason, status: 'True', message: 'done' });
  await h.store.store();
  expect(h.events()).toEqual(isEvent ? ['Normal ConfigurationCompleted: done: kcp-system/runtime-1'] : []);
});

test.each<['pending' | 'failed', errors: readonly string[]]>([
  ['failed', ['the Runtime has failed']],
  ['pending', []],
])(
  'a condition that is False makes a Runtime %s, and is an error of the log only if it has failed',
  async (how, errors) => {
    const h = setup('Ready');
    const stated = { type, reason: reasons.configurationError, message: 'why' };
    if (how === 'failed') h.store.failed(stated);
    else h.store.pending({ ...stated, status: 'False' });
    await h.store.store();
    expect(h.events()).toEqual(['Warning ConfigurationError: why: kcp-system/runtime-1']);
    expect(h.errors).toEqual(errors);
  },
);
