import { randomUUID } from 'node:crypto';
import { abandonable } from '../../../../framework/base/concurrency/abandonable.ts';
import { createBreather } from '../../../../framework/base/concurrency/breather.ts';
import { kindOf, messageOf, redact, systemClock, withDeadline } from '../../../../framework/base/index.ts';

import { isSmall } from '../../../../framework/base/json/in-parts.ts';
import { kubernetesYaml } from '../../../../framework/base/text/kubernetes-yaml.ts';
import type { Manifest } from '../model/component.ts';
import { type Task, tenantOf } from '../model/task.ts';
import { createHeartbeat } from '../reports/create-heartbeat.ts';
import { CLEANER, CRDS, type RunTaskOptions, type TaskResult } from './run-task.ts';

/**
 * Renders the objects of a component and reports them, without a call of its cluster. A chart that is not there is no error:
 * its message takes the place of the objects. Never rejects.
 */
export async function dryRun(
  task: Task,
  options: Pick<RunTaskOptions, 'clock' | 'charts' | 'callback' | 'settings' | 'signal' | 'abort'>,
): Promise<TaskResult> {
  const { clock, callback, settings, signal, abort } = options;
  const began = clock.monotonic();
  const heartbeat = createHeartbeat({ clock, callback, settings, signal: abort });
  using deadline = withDeadline(clock, settings.workerTimeoutMs, `dry run of ${task.component}`, signal);
  heartbeat.running(randomUUID());
  const writing = rendered(task, options, deadline.signal).then(yamlOf);
  const ended = await abandonable(writing, deadline.signal).then(
    (manifest) => ({ manifest }),
    (error: unknown) =>
      kindOf(error) === 'not-found' ? { manifest: textOf(error) } : { reason: textOf(error) },
  );
  const durationMs = Math.round(clock.monotonic() - began);
  if ('manifest' in ended) {
    const delivery = heartbeat.end({ status: 'success', manifest: ended.manifest });
    return { state: 'success', reason: '', durationMs, delivery };
  }
  const { reason } = ended;
  const state = signal.aborted ? 'cancelled' : 'error';
  const delivery = heartbeat.end({ status: signal.aborted ? 'failed' : 'error', reason });
  return { state, reason, durationMs, delivery };
}

const textOf = (error: unknown): string => redact(messageOf(error));

async function rendered(
  task: Task,
  { charts }: Pick<RunTaskOptions, 'charts'>,
  signal: AbortSignal,
): Promise<Manifest> {
  if (task.component === CLEANER) return [];
  // Its objects count as memory until then.
  const reading = new AbortController();
  const options = { signal: AbortSignal.any([signal, reading.signal]), tenant: tenantOf(task) };
  try {
    return task.component === CRDS ? await charts.crds(task, options) : await charts.render(task, options);
  } finally {
    reading.abort();
  }
}

/** Documents, each with the file it comes from. A large one is JSON, which is YAML too, and takes a hundredth of the time. */
async function yamlOf(manifest: Manifest): Promise<string> {
  const breathe = createBreather(systemClock);
  let text = '';
  for (const { object, source } of manifest) {
    const body = isSmall(object, MAX_YAML_VALUES) ? kubernetesYaml(object) : `${JSON.stringify(object)}\n`;
    text += `---\n# Source: ${source}\n${body}`;
    await breathe();
  }
  return text;
}

/** Values of an object that is written as YAML: some milliseconds of work. */
const MAX_YAML_VALUES = 1000;
