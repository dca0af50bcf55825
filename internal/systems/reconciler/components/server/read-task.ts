import { type JsonLimits, ProviderError, parseBoundedJson } from '../../../../framework/base/index.ts';

import { JsonLimitError } from '../../../../framework/base/json/json-text.ts';
import {
  bounds,
  counts,
  type JsonFieldRules,
  type JsonFields,
  jsonFields,
  keyProblem,
  textProblem,
} from '../../operations/json-documents.ts';
import type { Task } from '../model/task.ts';

/** A task that is refused with this status. */
export class RefusedTaskError extends ProviderError {
  readonly status: 400 | 500;

  constructor(status: 400 | 500, message: string) {
    super('terminal', message);
    this.status = status;
  }
}

/** Of a kubeconfig, values of a chart, and little more. */
export const MAX_TASK_BYTES = 2 * 1024 * 1024;
const LIMITS: JsonLimits = { maxLength: MAX_TASK_BYTES, maxDepth: 64, maxValues: 100_000 };

const RULES: JsonFieldRules = {
  refuse: (problem) => new RefusedTaskError(500, `cannot read the task: ${problem}`),
  areStored: false,
};

const MAX_RETRIES = 1000;

/**
 * The task in a body, whose fields may be absent unless they are required.
 *
 * @param defaults `maxRetries`: attempts of a task that does not say how many
 * @throws RefusedTaskError 400 for fields that are missing or cannot be used, 500 for what is no task
 */
export function readTask(body: string, defaults: { readonly maxRetries: number }): Task {
  const fields = jsonFields(parse(body), RULES);
  const task = {
    component: fields.text('component'),
    namespace: fields.text('namespace'),
    kubeconfig: fields.text('kubeconfig'),
    correlationID: fields.text('correlationID', bounds.correlationID),
    type: fields.text('type'),
    callbackURL: fields.text('callbackURL', bounds.url),
  };
  assertPresent(task);
  const { type } = task;
  if (type !== 'reconcile' && type !== 'delete') {
    throw new RefusedTaskError(400, 'type: want reconcile or delete');
  }
  assertBounded('component', textProblem(task.component, bounds.component));
  assertBounded('namespace', textProblem(task.namespace, bounds.namespace));
  assertUrl(task.callbackURL);
  const limits = fields.object('componentConfiguration');
  const chart = {
    version: fields.text('version'),
    url: fields.text('url'),
    profile: fields.text('profile'),
  };
  assertBounded('version', textProblem(chart.version, bounds.version));
  assertBounded('url', textProblem(chart.url, bounds.url));
  assertBounded('profile', textProblem(chart.profile, bounds.profile));
  const configuration = { ...fields.object('configuration').value };
  for (const key of Object.keys(configuration)) {
    assertBounded(`configuration[${JSON.stringify(key.slice(0, 64))}]`, keyProblem(key));
  }
  return {
    ...task,
    ...chart,
    type,
    componentsReady: fields.texts('componentsReady', { max: counts.components, each: bounds.component }),
    configuration,
    metadata: metadataOf(fields.object('metadata')),
    ...(fields.has('tenant') ? { tenant: tenant(fields) } : {}),
    repository: { url: fields.object('repository').text('url', bounds.url) },
    componentConfiguration: {
      maxRetries: limits.has('maxRetries') ? limits.count('maxRetries', MAX_RETRIES) : defaults.maxRetries,
      debug: limits.boolean('debug'),
    },
  };
}

function parse(body: string): unknown {
  try {
    return parseBoundedJson(body, LIMITS);
  } catch (error) {
    // The message of the parser may quote a kubeconfig.
    if (error instanceof JsonLimitError || error instanceof SyntaxError) {
      throw new RefusedTaskError(500, 'cannot read the task: the body is no JSON, or has too many values');
    }
    throw error;
  }
}

/** One message names all that are missing. */
function assertPresent(required: Readonly<Record<string, string>>): void {
  const missing = Object.entries(required).flatMap(([name, value]) => (value.trim() === '' ? [name] : []));
  if (missing.length === 0) return;
  throw new RefusedTaskError(400, `the task has no ${missing.join(', ')}`);
}

function tenant(fields: JsonFields): string {
  const text = fields.text('tenant');
  assertBounded('tenant', textProblem(text, bounds.name));
  return text;
}

function assertBounded(name: string, problem: string | undefined): void {
  if (problem !== undefined) throw new RefusedTaskError(400, `${name}: ${problem}`);
}

function assertUrl(text: string): void {
  const protocol = URL.parse(text)?.protocol;
  if (protocol === 'http:' || protocol === 'https:') return;
  throw new RefusedTaskError(500, 'cannot use the task: callbackURL: want a URL with http or https');
}

const METADATA = [
  'globalAccountID',
  'subAccountID',
  'serviceID',
  'servicePlanID',
  'servicePlanName',
  'shootName',
  'instanceID',
  'region',
] as const satisfies (keyof Task['metadata'])[];

const metadataOf = (fields: JsonFields): Task['metadata'] =>
  Object.fromEntries(METADATA.map((name) => [name, fields.text(name, bounds.metadata)])) as Record<
    (typeof METADATA)[number],
    string
  >;
